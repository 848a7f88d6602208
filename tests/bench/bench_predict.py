#!/usr/bin/env python3
"""Measures speed, memory and accuracy of predictions; a benchmark, not a test.

Build the release preset and its programs first:
    cmake --preset release && cmake --build --preset release --target ringcast simulation_speed
Then: tests/bench/bench_predict.py [--pairs 5] [--build build/release]

- speed: simulated all-reduce of 1.2 GB over 1,024 ranks against a bare SimGrid loop over the same
  platform, run in turn, the ratio pair by pair and its median;
- memory: the largest resident set of those runs;
- the whole command for 40 GPUs; and for training on them, 100 layers in 25 buckets: seconds, and
  the largest resident set of any process;
- accuracy: a ring on a star without contention against the closed form, for 2 to 64 ranks, 1 KiB to
  1.2 GB, with and without segments.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
STAR = """\
name: star
source: invented
node_types:
  star:
    sockets:
      - root_complexes:
          - devices:
              - {{kind: gpu, count: {ranks}, link: {{bandwidth: 10 GB/s, latency: 1 us, source: invented}}}}
nodes: [{{type: star, count: 1}}]
"""
SCENARIO = """\
name: star of {ranks}
cluster: star-{ranks}.yaml
transport: {{name: none, source: invented, message_overhead: 0}}
ranks: {ranks}
sizes: [{sizes}]
"""
# 100 layers of 12 MB, in total the 1.2 GB of Baidu's article; four fill a bucket.
TRAINING = """\
name: 100 layers
cluster: {scenarios}/clusters/baidu-2017.yaml
transport: {scenarios}/transports/cuda-aware-mpi.yaml
ranks: 40
training:
  model:
    name: 100 layers
    source: invented
    parameters: 300000000
    batch: 1
    layers: [{{name: layer, count: 100, parameters: 3000000, forward: 5 ms, backward: 10 ms}}]
  batch_per_gpu: 1
  bucket_size: 48 MB
  overlap: both
"""


def run_json(command):
    """Runs a command and returns its JSON output."""
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def bench_speed(build, scenario, ranks, pairs):
    program = str(build / "tests/bin/simulation_speed")
    ratios = {"engine": [], "reducing": []}
    peaks = []
    for pair in range(pairs):
        bare = run_json([program, "bare", scenario, str(ranks)])
        line = f"  pair {pair + 1}: bare {bare['wall_s']:.2f} s"
        for mode, values in ratios.items():
            ours = run_json([program, mode, scenario, str(ranks)])
            values.append(ours["wall_s"] / bare["wall_s"])
            peaks.append(ours["peak_bytes"])
            line += f", {mode} {ours['wall_s']:.2f} s ({values[-1]:.2f} x)"
        print(line, flush=True)
    for mode, values in ratios.items():
        print(f"  {mode}: median {statistics.median(values):.2f} x the bare loop "
              f"({min(values):.2f} .. {max(values):.2f}), goal 1.3 x")
    print(f"  peak memory {max(peaks) / 1e6:.0f} MB, goal 250 MB")


def bench_command(build, pairs):
    times = []
    for _ in range(pairs):
        begin = time.monotonic()
        subprocess.run([build / "bin/ringcast", "predict", ROOT / "scenarios/baidu-40gpu.yaml",
                        "--no-cache"], check=True, stdout=subprocess.DEVNULL)
        times.append(time.monotonic() - begin)
    print(f"  median {statistics.median(times):.3f} s of {pairs}, goal 1 s")


def bench_training(build, pairs):
    times, peaks = [], []
    with tempfile.TemporaryDirectory() as folder:
        scenario = pathlib.Path(folder) / "training.yaml"
        scenario.write_text(TRAINING.format(scenarios=ROOT / "scenarios"))
        for _ in range(pairs):
            begin = time.monotonic()
            child = subprocess.Popen([build / "bin/ringcast", "predict", scenario, "--no-cache"],
                                     stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(child.pid, 0)  # including the peak of its children
            child.returncode = os.waitstatus_to_exitcode(status)
            if child.returncode != 0:
                sys.exit(f"ringcast predict ended with {child.returncode}")
            times.append(time.monotonic() - begin)
            peaks.append(1024 * usage.ru_maxrss)
    print(f"  median {statistics.median(times):.2f} s of {pairs}, goal 10 s; "
          f"peak memory {max(peaks) / 1e6:.0f} MB, goal 250 MB")


def closed_form(ranks, size, segments):
    """tests/ring_cost.hpp without a reduction, for elements of four bytes; two cables of 1 us."""
    largest = -(-size // 4 // ranks) * 4
    latency, transfer = 2e-6, largest / segments / 10e9
    period = max(segments * transfer, transfer + latency)
    return latency + segments * transfer + (2 * ranks - 3) * period


def bench_accuracy(build):
    worst = {"whole chunks": (0, ""), "8 segments": (0, "")}
    sizes = [1024, 65536, 1 << 20, 100_000_000, 1_200_000_000]
    with tempfile.TemporaryDirectory() as folder:
        for ranks in range(2, 65):
            path = pathlib.Path(folder)
            (path / f"star-{ranks}.yaml").write_text(STAR.format(ranks=ranks))
            scenario = path / f"scenario-{ranks}.yaml"
            scenario.write_text(SCENARIO.format(
                ranks=ranks, sizes=", ".join(f"{size} B" for size in sizes)))
            command = [build / "bin/ringcast", "predict", scenario, "--format", "json"]
            cells = [(row, "whole chunks", 1) for row in run_json(command)["rows"]]
            # Equal segments: 8 per chunk of 32,768 elements each.
            size = ranks * 8 * 131072
            cells += [(row, "8 segments", 8) for row in run_json(
                command + ["--sizes", f"{size} B", "--segment-size", "131072 B"])["rows"]]
            for row, kind, segments in cells:
                expected = closed_form(row["ranks"], row["size_bytes"], segments)
                difference = abs(row["time_s"] / expected - 1)
                worst[kind] = max(worst[kind],
                                  (difference, f"{ranks} ranks, {row['size_bytes']} B"))
    for kind, (difference, where) in worst.items():
        print(f"  {kind}: largest relative difference {difference:.1e} ({where}), goal 1e-6")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/release")
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--ranks", type=int, default=1024)
    arguments = parser.parse_args()
    print("40 GPUs, the whole command:")
    bench_command(arguments.build, arguments.pairs)
    print("training on 40 GPUs, 100 layers, 25 buckets, the whole command:")
    bench_training(arguments.build, arguments.pairs)
    print("closed form on a star, 2 .. 64 ranks:")
    bench_accuracy(arguments.build)
    print(f"1.2 GB over {arguments.ranks} ranks, simulation alone:")
    bench_speed(arguments.build, str(ROOT / "scenarios/scale-1024.yaml"), arguments.ranks,
                arguments.pairs)


if __name__ == "__main__":
    sys.exit(main())
