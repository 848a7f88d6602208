#!/usr/bin/env python3
"""Compares predictions with measurements on this host; a benchmark, not a test.

Needs a quiet machine. Build first:
    cmake --preset release && cmake --build --preset release
Then: tests/bench/one_host_validation.py [--ranks 2] [--rounds 9] [--algorithm ring] ...

Each round runs the commands of a user, `calibrate`, `predict` with its files, `measure`, `compare`,
and another `measure` before them: a prediction cannot be closer than two measurements are to each other.
Goal: from 1 MiB on, the medians of predicted over measured are within 10 % on average.

Why medians of ratios: in a virtual machine whose system moves the cores about, the speed at which
cores share data changes within seconds (here between 55 and 330 ns for a round trip of a cache line,
and with it the time of a ring of 1 MiB sevenfold). A round in which that happens says nothing about
the prediction, but it does so in both directions.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import typing

from fabric_validation import JUDGED_FROM, ROOT

GOAL = 0.10
SIZES = ("--min", "1MiB", "--max", "256MiB", "--factor", "4")


class Bench:
    def __init__(self, arguments):
        self.ringcast = arguments.build.resolve() / "bin/ringcast"
        self.ranks = arguments.ranks
        self.algorithm = arguments.algorithm
        self.output = arguments.output.resolve()
        self.output.mkdir(parents=True, exist_ok=True)

    def run(self, *words):
        done = subprocess.run([str(word) for word in [self.ringcast, *words]],
                              capture_output=True, text=True, cwd=self.output)
        if done.returncode not in (0, 6):  # 6: calibrate, if its times scatter
            raise SystemExit(f"{words[0]}: exit code {done.returncode}\n{done.stderr}")

    def on_ranks(self, *words):
        crowded = ["--oversubscribe"] if self.ranks > os.cpu_count() else []
        self.run(*words, "--ranks", self.ranks, *crowded)

    def prediction(self, number):
        """Calibrates and predicts."""
        machine = self.output / f"{number}.calibrated.yaml"
        result = self.output / f"{number}.predicted.json"
        self.on_ranks("calibrate", "--output", machine)
        self.run("predict", machine, "--ranks", self.ranks, "--algorithm", self.algorithm, *SIZES,
                 "--output", result, "--quiet")
        return result

    def measurement(self, number, turn):
        result = self.output / f"{number}.measured-{turn}.json"
        self.on_ranks("measure", ROOT / "scenarios/one-host.yaml", "--algorithm", self.algorithm,
                      *SIZES, "--output", result, "--quiet")
        return result

    def compared(self, number, predicted, measured):
        """Size -> predicted and measured seconds."""
        file = self.output / f"{number}.comparison.json"
        self.run("compare", predicted, measured, "--output", file, "--quiet")
        rows = json.loads(file.read_text())["rows"]
        return {row["size_bytes"]: (row["predicted_time_s"], row["measured_time_s"])
                for row in rows if row["size_bytes"] >= JUDGED_FROM}

    def round(self, number):
        """Returns for each size the predicted seconds, those measured before, and those measured after."""
        before = self.measurement(number, "before")
        predicted = self.prediction(number)
        after = self.measurement(number, "after")
        first, second = (self.compared(number, predicted, each) for each in (before, after))
        return [Cell(size, *first[size], second[size][1]) for size in first]


class Cell(typing.NamedTuple):
    size: int
    predicted: float
    before: float
    after: float

    def ratios(self):
        """Predicted over measured."""
        return [self.predicted / self.before, self.predicted / self.after]


def mean_distance(ratios):
    """The mean distance from 1."""
    return statistics.mean(abs(ratio - 1) for ratio in ratios)


def percent(part, width=7):
    return f"{100 * part:>{width}.1f} %"


def print_round(number, cells):
    for cell in cells:
        print(f"{number:>5}{cell.size / 2**20:>6g} MiB"
              f"{1e3 * cell.predicted:>14.3f}{1e3 * cell.before:>11.3f}{1e3 * cell.after:>11.3f}",
              flush=True)


def print_summary(rounds):
    """Returns the mean distance of the medians from 1."""
    print("size       predicted over measured: median, quartiles     after over before: quartiles")
    medians = []
    for of_size in zip(*rounds):
        ratios = [ratio for cell in of_size for ratio in cell.ratios()]
        low, median, high = statistics.quantiles(ratios, n=4, method="inclusive")
        repeated = statistics.quantiles([cell.after / cell.before for cell in of_size], n=4,
                                        method="inclusive")
        medians.append(median)
        print(f"{of_size[0].size / 2**20:>4g} MiB{median:>22.3f}{low:>10.3f}{high:>8.3f}"
              f"{repeated[0]:>24.3f}{repeated[2]:>8.3f}")
    cells = [cell for each in rounds for cell in each]
    print(f"single predictions off by {percent(mean_distance(r for c in cells for r in c.ratios()))}"
          f" on average, single repetitions of a measurement by"
          f"{percent(mean_distance(cell.after / cell.before for cell in cells))}")
    return mean_distance(medians)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "results/one-host")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--algorithm", default="ring")
    arguments = parser.parse_args()
    if arguments.rounds < 2:
        parser.error(f"--rounds: {arguments.rounds} (expected 2 or more: quartiles are over rounds)")
    bench = Bench(arguments)

    print("round      size  predicted ms  before ms   after ms")
    rounds = []
    for number in range(arguments.rounds):
        rounds.append(bench.round(number))
        print_round(number, rounds[-1])
    off = print_summary(rounds)
    print(f"{arguments.algorithm}, {arguments.ranks} ranks, {arguments.rounds} rounds: medians off by "
          f"{percent(off)} on average (goal {percent(GOAL)})")


if __name__ == "__main__":
    sys.exit(main())
