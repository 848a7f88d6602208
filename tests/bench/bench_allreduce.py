#!/usr/bin/env python3
"""Our all-reduce against Open MPI's on this host; a benchmark, not a test.

Build the release preset's program first:
    cmake --preset release && cmake --build --preset release --target allreduce_speed
Then, on a quiet machine: tests/bench/bench_allreduce.py [--ranks 2,4] [--turns 7] ...

Open MPI's default and each of its algorithms (coll_tuned_allreduce_algorithm 1 to 6) has its own
mpirun, in which our algorithms, MPI's, a copy in memory and an exchange take turns. A
ratio is Open MPI's time over ours in the same turn; the median over the turns is printed: above 1 we
are faster. "ours" is the fastest of our algorithms at that size, "best" the one of Open MPI's with
the lowest ratio.

Two limits, as fractions of our time:
- "of memory": the time in which the ring's bytes could cross the memory at the speed of all ranks
  copying at once, over ours. Counted per rank and byte of the buffer, with n ranks: (n-1)/n x 3 in
  the reduce-scatter (the neighbour's and the own part are read, the own is written), (n-1)/n x 2 in
  the all-gather (read and written); the copy of one half of a buffer to the other counts 1 (half
  read, half written). What the processor reads of lines that it is about to overwrite is counted
  nowhere: a sum overwrites what it has read anyhow, a copy does not, so more than 100 % is possible
  where the lines are not in a cache.
- "of exchange": the time in which the cores could take the ring's 2 (n-1)/n of the buffer from each
  other, over ours. In the exchange each rank takes half a buffer that its neighbour has just
  written, which is slower than reading its own data.
"""
import argparse
import collections
import os
import pathlib
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
ALGORITHMS = {"default": [], **{
    name: ["--mca", "coll_tuned_use_dynamic_rules", "1",
           "--mca", "coll_tuned_allreduce_algorithm", str(number)]
    for number, name in enumerate(["linear", "nonoverlapping", "doubling", "ring", "segmented",
                                   "rabenseifner"], start=1)}}
SIZES = "64,1024,4096,16384,65536,262144,1048576,4194304,16777216,67108864,268435456"


def times_of(arguments, ranks, mca):
    """Returns the seconds by (size, contestant), in the order of the turns."""
    command = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks), *mca]
    if ranks > len(os.sched_getaffinity(0)):
        command += ["--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]
    command += [str(arguments.build / "tests/bin/allreduce_speed"), str(arguments.turns),
                str(arguments.segment), "1", str(int(arguments.fresh)),
                f"{arguments.algorithms},mpi", *arguments.sizes]
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    times = collections.defaultdict(list)
    for line in output.splitlines():
        size, _, name, seconds = line.split()
        times[int(size), name].append(float(seconds))
    return times


def text_of(size):
    for unit, name in ((2**20, "MiB"), (2**10, "KiB")):
        if size >= unit:
            return f"{size // unit} {name}"
    return f"{size} B"


def medians(times, size, name):
    """Medians over the turns of all starts of mpirun."""
    return statistics.median(time for measured in times.values() for time in measured[size, name])


def part_of_limit(times, size, name, ours, bytes_of_ring):
    """The time of limit `name` over that of `ours`: `name` moves the buffer once, the ring
    `bytes_of_ring` times."""
    return statistics.median(bytes_of_ring * limit / time for measured in times.values()
                             for limit, time in zip(measured[size, name], measured[size, ours]))


def bench(arguments, ranks):
    chosen = {name: ALGORITHMS[name] for name in arguments.against.split(",")}
    times = {name: times_of(arguments, ranks, mca) for name, mca in chosen.items()}
    print(f"{ranks} ranks, {arguments.turns} turns: Open MPI's time over ours, medians of pairs")
    print(f"{'size':>8} {'ours':>12} {'us':>9} " + " ".join(f"{name[:9]:>9}" for name in chosen)
          + f" {'best':>14} {'copy GB/s':>9} {'of memory':>9} {'of exchange':>11}")
    for size in map(int, arguments.sizes):
        ours = min(arguments.algorithms.split(","), key=lambda name: medians(times, size, name))
        ratios = {}
        for name, measured in times.items():
            pairs = zip(measured[size, "mpi"], measured[size, ours])
            ratios[name] = statistics.median(theirs / mine for theirs, mine in pairs)
        best = min(ratios, key=ratios.get)
        share = (ranks - 1) / ranks
        print(f"{text_of(size):>8} {ours[:12]:>12} {1e6 * medians(times, size, ours):9.1f} "
              + " ".join(f"{ratio:9.2f}" for ratio in ratios.values())
              + f" {best[:9]:>9} {ratios[best]:4.2f}"
              + f" {ranks * size / medians(times, size, 'copy') / 1e9:9.1f}"
              + f" {100 * part_of_limit(times, size, 'copy', ours, 5 * share):7.0f} %"
              + f" {100 * part_of_limit(times, size, 'exchange', ours, 4 * share):9.0f} %",
              flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ranks", default="2,4")
    parser.add_argument("--sizes", default=SIZES, type=lambda text: text.split(","))
    parser.add_argument("--turns", default=7, type=int)
    parser.add_argument("--algorithms", default="ring,recursive-halving-doubling,all-to-all",
                        help="ours")
    parser.add_argument("--segment", default=0, type=int, help="bytes; 0 for whole chunks")
    parser.add_argument("--fresh", action="store_true",
                        help="every rank writes its buffer before each all-reduce")
    parser.add_argument("--against", default=",".join(ALGORITHMS))
    parser.add_argument("--build", default=ROOT / "build/release", type=pathlib.Path)
    arguments = parser.parse_args()
    if isinstance(arguments.sizes, str):
        arguments.sizes = arguments.sizes.split(",")
    for ranks in arguments.ranks.split(","):
        bench(arguments, int(ranks))
    return 0


if __name__ == "__main__":
    sys.exit(main())
