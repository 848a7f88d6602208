#!/usr/bin/env python3
"""Wall time and memory of whole `ringcast predict` commands by the number of ranks.

    tests/bench/bench_scale.py [--bin build/release/bin] [--limit SECONDS] [RANKS...]

Each line: scenario, ranks, how the time was found, the predicted time, wall and user seconds of the
command and its children, peak memory of the largest process. A quiet machine, please.
"""
import argparse
import json
import pathlib
import resource
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCENARIOS = ["scenarios/scale.yaml", "scenarios/scale-8-cards.yaml"]


def run(program, scenario, ranks, limit):
    """Prints one line; false if the command did not end in time."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "rows.json"
        command = [program, "predict", scenario, "--ranks", str(ranks), "--jobs", "1", "--quiet",
                   "--no-cache", "--output", str(output)]
        try:
            subprocess.run(command, cwd=ROOT, check=True, timeout=limit)
        except subprocess.TimeoutExpired:
            print(f"{scenario:32} {ranks:7} not within {limit:.0f} s", flush=True)
            return False
        except subprocess.CalledProcessError:
            return False  # it has said why
        row = json.loads(output.read_text())["rows"][0]
    wall = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    user = after.ru_utime - before.ru_utime
    print(f"{scenario:32} {ranks:7} {row['found_by']:24} {1e3 * row['time_s']:10.3f} ms "
          f"{wall:7.2f} s wall {user:7.2f} s user {after.ru_maxrss / 1024:6.0f} MB", flush=True)
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--bin", default="build/release/bin")
    parser.add_argument("--limit", type=float, default=300)
    parser.add_argument("ranks", type=int, nargs="*",
                        default=[1024, 4096, 16384, 65536, 131072])
    arguments = parser.parse_args()
    program = str((pathlib.Path(arguments.bin) / "ringcast").resolve())
    for scenario in SCENARIOS:
        for ranks in arguments.ranks:
            if not run(program, scenario, ranks, arguments.limit):
                break


if __name__ == "__main__":
    main()
