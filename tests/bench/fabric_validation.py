#!/usr/bin/env python3
"""Compares predictions with measurements on emulated networks; a benchmark, not a test.

Needs root and a quiet machine. Build first:
    cmake --preset release && cmake --build --preset release
Then: tests/bench/fabric_validation.py [--output results/fabric] [--quick]

For each network of tests/fabric/clusters: `calibrate` on it, `predict` with its files and
with the cluster file itself, `measure`, `compare`. Writes all result files, a picture of each
comparison and summary.json, and prints a table with the goals:

- error of predicted against measured times from 1 MiB on: mean 5 %, worst 12 %;
- which ring order is better: always right, and by how much: within 10 %.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FABRIC = ROOT / "tests/fabric"
TRANSPORT = FABRIC / "clusters/transport.yaml"
JUDGED_FROM = 1 << 20
GOALS = {"mean": 0.05, "worst": 0.12, "gain": 0.10}
# Ring orders of each network, the better one first; None: the default rule.
NETWORKS = {
    "one-switch": {"by host": [0, 1, 2, 3], "every other": [0, 2, 1, 3]},
    "two-leaves": {"by leaf": [0, 1, 2, 3, 4, 5, 6, 7], "alternating": [0, 4, 1, 5, 2, 6, 3, 7]},
    "slow-host": {"by host": [0, 1, 2, 3], "every other": [0, 2, 1, 3]},
    "scrambled-leaves": {"searched": None, "by-rank": None},
}
# Orders that differ by less have no right ranking.
SAME = 0.05


def scenario(name, cluster, transport, sizes):
    orders = ", ".join(f"{{name: {order}, order: {ranks}}}" if ranks else order
                       for order, ranks in NETWORKS[name].items())
    return (f"name: {name}\ncluster: {cluster}\ntransport: {transport}\n"
            f"sizes: {{min: {sizes[0]}, max: {sizes[1]}, factor: {sizes[2]}}}\n"
            f"ring_order: [{orders}]\n")


class Bench:
    def __init__(self, arguments):
        self.bin = arguments.build.resolve() / "bin"
        self.output = arguments.output.resolve()
        self.output.mkdir(parents=True, exist_ok=True)
        self.sizes = ("1 MiB", "4 MiB", 4) if arguments.quick else ("256 KiB", "16 MiB", 2)
        self.timeout = arguments.timeout
        self.sources = arguments.sources

    def run(self, *words):
        done = subprocess.run([str(word) for word in words], stdout=subprocess.DEVNULL, check=False)
        if done.returncode not in (0, 6):  # 6: calibrate, if its times scatter
            done.check_returncode()

    def on_fabric(self, name, *words):
        self.run(FABRIC / "fabric.py", FABRIC / f"clusters/{name}.yaml", "--ringcast",
                 self.bin / "ringcast", "--timeout", self.timeout, "--", self.bin / "ringcast",
                 *words)

    def predict(self, name, source, cluster, transport):
        """Returns the result file of a prediction from one source of cluster and transport."""
        file = self.output / f"{name}.{source}.scenario.yaml"
        file.write_text(scenario(name, cluster, transport, self.sizes))
        result = self.output / f"{name}.{source}.json"
        self.run(self.bin / "ringcast", "predict", file, "--output", result, "--quiet")
        return file, result

    def predict_all(self, name):
        """For each source the prediction, and a scenario that it was made of."""
        made = {}
        if "calibrated" in self.sources:
            machine = self.output / f"{name}.calibrated.yaml"
            self.on_fabric(name, "calibrate", "--output", machine)
            made["calibrated"] = self.predict(name, "calibrated", machine, machine)
        if "written" in self.sources:
            made["written"] = self.predict(name, "written", FABRIC / f"clusters/{name}.yaml",
                                           TRANSPORT)
        return made

    def network(self, name):
        """Returns the rows of the comparisons of one network, by source of the parameters."""
        predictions = self.predict_all(name)
        file, predicted = next(iter(predictions.values()))
        measured = self.output / f"{name}.measured.json"
        self.on_fabric(name, "measure", file, "--output", measured, "--quiet", "--warmup", 1,
                       "--repetitions", 7, "--budget", "20 s")
        self.run(self.bin / "ringcast", "plot", predicted, measured, "--output",
                 self.output / f"{name}.png")
        return {source: self.compare(name, source, result, measured)
                for source, (_, result) in predictions.items()}

    def compare(self, name, source, predicted, measured):
        file = self.output / f"{name}.{source}.comparison.json"
        self.run(self.bin / "ringcast", "compare", predicted, measured, "--output", file, "--quiet")
        return json.loads(file.read_text())["rows"]


def gains(name, rows):
    """For each size from 1 MiB on: how many times as long the worse order takes, as predicted and
    as measured."""
    better, worse = NETWORKS[name]
    found = []
    for size in sorted({row["size_bytes"] for row in rows if row["size_bytes"] >= JUDGED_FROM}):
        times = {row["ring_order"]: (row["predicted_time_s"], row["measured_time_s"])
                 for row in rows if row["size_bytes"] == size}
        found.append(tuple(bad / good for bad, good in zip(times[worse], times[better])))
    return found


def is_ranked_right(predicted, measured):
    same = [abs(gain - 1) < SAME for gain in (predicted, measured)]
    return all(same) or (predicted > 1) == (measured > 1)


def summary_of(compared, source):
    rows = [row for name in compared for row in compared[name][source]
            if row["size_bytes"] >= JUDGED_FROM]
    errors = [abs(row["relative_error"]) for row in rows]
    pairs = [pair for name in compared for pair in gains(name, compared[name][source])]
    return {"cells": len(errors), "mean_absolute_error": statistics.mean(errors),
            "worst_error": max(errors),
            "ranked_right": sum(is_ranked_right(*pair) for pair in pairs), "ranked": len(pairs),
            "worst_gain_error": max(abs(predicted / measured - 1) for predicted, measured in pairs)}


def print_rows(compared):
    print(f"{'network':<12}{'ring order':<12}{'size MiB':>10}{'measured ms':>13}"
          f"{'predicted ms':>14}{'error':>9}  from")
    for name, sources in compared.items():
        for source, rows in sources.items():
            for row in rows:
                print(f"{name:<12}{row['ring_order']:<12}{row['size_bytes'] / 2**20:>10g}"
                      f"{1e3 * row['measured_time_s']:>13.2f}"
                      f"{1e3 * row['predicted_time_s']:>14.2f}"
                      f"{100 * row['relative_error']:>+7.1f} %  {source}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "results/fabric")
    parser.add_argument("--quick", action="store_true", help="1 and 4 MiB only")
    parser.add_argument("--networks", nargs="+", choices=NETWORKS, default=list(NETWORKS))
    parser.add_argument("--sources", nargs="+", choices=("calibrated", "written"),
                        default=("calibrated", "written"),
                        help="what to predict from: what calibrate writes, the cluster file")
    parser.add_argument("--timeout", type=float, default=600, help="seconds for each step")
    arguments = parser.parse_args()
    bench = Bench(arguments)
    compared = {name: bench.network(name) for name in arguments.networks}
    print_rows(compared)
    summaries = {source: summary_of(compared, source) for source in arguments.sources}
    for source, summary in summaries.items():
        print(f"{source}, {summary['cells']} cells from 1 MiB on: "
              f"mean {100 * summary['mean_absolute_error']:.1f} % (goal {100 * GOALS['mean']:g}), "
              f"worst {100 * summary['worst_error']:.1f} % (goal {100 * GOALS['worst']:g}), "
              f"order right {summary['ranked_right']} of {summary['ranked']}, "
              f"gain within {100 * summary['worst_gain_error']:.1f} % "
              f"(goal {100 * GOALS['gain']:g})")
    (bench.output / "summary.json").write_text(json.dumps(
        {"goals": GOALS, "summaries": summaries, "rows": compared}, indent=2) + "\n")


if __name__ == "__main__":
    sys.exit(main())
