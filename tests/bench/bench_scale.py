#!/usr/bin/env python3
"""Wall time and memory of whole `ringcast predict` commands by the number of ranks.

    tests/bench/bench_scale.py [--bin build/release/bin] [--limit SECONDS] [RANKS...]

Each line: scenario, ranks, how the time was found, the predicted time and its error, wall and user
seconds of the command and its children, peak memory of the largest process. Needs a quiet machine.
"""
import argparse
import json
import math
import os
import pathlib
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENARIOS = ["scenarios/scale.yaml", "scenarios/scale-8-cards.yaml"]


def run(program, scenario, ranks, limit):
    """Prints one line and returns user seconds; None if the command failed or took too long."""
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "rows.json"
        command = [program, "predict", scenario, "--ranks", str(ranks), "--jobs", "1", "--quiet",
                   "--no-cache", "--output", str(output)]
        process = subprocess.Popen(command, cwd=ROOT)
        while True:
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)  # unlike RUSAGE_CHILDREN, one child
            if ended:
                break
            if time.monotonic() - begin > limit:
                process.terminate()
                os.wait4(process.pid, 0)
                print(f"{scenario:28} {ranks:7} not within {limit:.0f} s", flush=True)
                return None
            time.sleep(0.01)
        wall = time.monotonic() - begin
        if status != 0:
            return None  # it has printed the reason
        row = json.loads(output.read_text())["rows"][0]
    bound = row["time_error_bound"]
    error = "error not known" if bound is None else f"less by {1e2 * bound:.2g} % at most"
    print(f"{scenario:28} {ranks:7} {row['found_by']:22} {1e3 * row['time_s']:10.3f} ms "
          f"({error}) {wall:7.2f} s wall "
          f"{usage.ru_utime:7.2f} s user {usage.ru_maxrss / 1024:6.0f} MB", flush=True)
    return usage.ru_utime


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default="build/release/bin")
    parser.add_argument("--limit", type=float, default=300)
    parser.add_argument("ranks", type=int, nargs="*",
                        default=[1024, 4096, 16384, 65536, 131072])
    arguments = parser.parse_args()
    program = str((pathlib.Path(arguments.bin) / "ringcast").resolve())
    for scenario in SCENARIOS:
        times = {}
        for ranks in arguments.ranks:
            user = run(program, scenario, ranks, arguments.limit)
            if user is None:
                break
            times[ranks] = user
        if len(times) > 1:
            first, last = min(times), max(times)
            exponent = math.log(times[last] / times[first]) / math.log(last / first)
            print(f"{scenario:28} user time grows as ranks^{exponent:.2f} (goal: 1.3)", flush=True)


if __name__ == "__main__":
    main()
