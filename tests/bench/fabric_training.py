#!/usr/bin/env python3
"""Compares predicted with measured training iterations on an emulated network; a benchmark.

Needs root and a quiet machine. Build first:
    cmake --preset release && cmake --build --preset release
Then: tests/bench/fabric_training.py [--output results/fabric-training] [--rounds 7]

Trains twelve layers on the network `one-switch` of tests/fabric/clusters, and predicts that from its
cluster file, with and without overlap, for three bucket sizes. Goal: with overlap, measured iterations
within 10 % of the prediction.
"""
import argparse
import json
import pathlib
import subprocess
import sys

from fabric_validation import FABRIC, ROOT, TRANSPORT

GOAL = 0.10
NETWORK = "one-switch"
# Twelve layers of 256 KiB and 45 ms: of the 540 ms, backward has 360. A ring of four at 191.28
# Mbit/s takes 3 MiB in 1.5 x 3 MiB / 23.9 MB/s = 197 ms, of which overlap can hide nearly all with
# small buckets, and nothing with one.
SCENARIO = """\
name: training, {network}
cluster: {cluster}
transport: {transport}
training:
  model:
    name: twelve layers
    source: invented
    parameters: 786432
    batch: 1
    layers:
      - {{name: layer, count: 12, parameters: 65536, forward: 15 ms, backward: 30 ms}}
  batch_per_gpu: 1
  bucket_size: [512 KiB, 1 MiB, 3 MiB]
  overlap: both
"""


def run(*words):
    subprocess.run([str(word) for word in words], check=True, stdout=subprocess.DEVNULL)


def compared(arguments):
    """Returns the rows of the comparison."""
    ringcast = arguments.build.resolve() / "bin/ringcast"
    output = arguments.output.resolve()
    output.mkdir(parents=True, exist_ok=True)
    cluster = FABRIC / f"clusters/{NETWORK}.yaml"
    scenario = output / "scenario.yaml"
    scenario.write_text(SCENARIO.format(network=NETWORK, cluster=cluster, transport=TRANSPORT))
    predicted, measured, comparison = (output / f"{name}.json"
                                       for name in ("predicted", "measured", "comparison"))
    run(ringcast, "predict", scenario, "--output", predicted, "--quiet")
    run(FABRIC / "fabric.py", cluster, "--ringcast", ringcast, "--timeout", arguments.timeout,
        "--", ringcast, "measure", scenario, "--output", measured, "--quiet", "--warmup", 1,
        "--repetitions", arguments.rounds, "--budget", "20 s")
    run(ringcast, "compare", predicted, measured, "--output", comparison, "--quiet")
    run(ringcast, "plot", predicted, measured, "--output", output / "compared.png")
    return json.loads(comparison.read_text())["rows"]


def print_rows(rows):
    print(f"{'overlap':<9}{'bucket KiB':>11}{'predicted ms':>14}{'measured ms':>13}"
          f"{'predicted/measured':>20}")
    for row in rows:
        print(f"{'on' if row['overlap'] else 'off':<9}{row['bucket_size_bytes'] / 1024:>11g}"
              f"{1e3 * row['predicted_time_s']:>14.1f}{1e3 * row['measured_time_s']:>13.1f}"
              f"{1 + row['relative_error']:>20.3f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "results/fabric-training")
    parser.add_argument("--rounds", type=int, default=7, help="iterations of each cell")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for the measurement")
    arguments = parser.parse_args()
    rows = compared(arguments)
    print_rows(rows)
    worst = max(abs(row["relative_error"]) for row in rows if row["overlap"])
    print(f"with overlap: worst error {100 * worst:.1f} %, goal {100 * GOAL:g} %")


if __name__ == "__main__":
    sys.exit(main())
