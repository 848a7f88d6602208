#!/usr/bin/env python3
"""What a user sees of `ringcast measure` when something breaks: real ranks under a real mpirun.

RINGCAST_BIN is the folder of the programs. Skipped where mpirun is missing or the programs were
built without MPI.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PROGRAMS = Path(os.environ.get("RINGCAST_BIN", ROOT / "build" / "dev" / "bin")).resolve()
DEADLINE_S = 60  # until something that will happen has happened
# Long enough that whatever is to be disturbed still runs.
LONG = {"--ranks": "2", "--sizes": "64KiB,16MiB", "--repetitions": "1000000", "--budget": "100 s"}
# A first cell of no time, and a second one that takes long.
TWO_CELLS = {"--sizes": "4KiB,64MiB", "--repetitions": "1000"}


def mpi_is_missing() -> bool:
    if not shutil.which("mpirun"):
        return True
    return run("scenarios/sizes.yaml", "--ranks", "1", "--sizes", "4B").returncode == 3


def run(*arguments: str, **options) -> subprocess.CompletedProcess[str]:
    return subprocess.run([PROGRAMS / "ringcast", "measure", *arguments], cwd=ROOT, check=False,
                          capture_output=True, text=True, timeout=2 * DEADLINE_S, **options)


def processes() -> dict[int, tuple[int, str]]:
    """Parent and command line of each process that is no zombie."""
    found = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                state, parent = (entry / "stat").read_text().rpartition(")")[2].split()[:2]
                words = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except (FileNotFoundError, ProcessLookupError):
                continue
            if state != "Z":
                found[int(entry.name)] = (int(parent), words)
    return found


def below(ancestor: int) -> dict[int, str]:
    """The processes that descend from one, with their command lines."""
    everyone = processes()
    family = {ancestor}
    while True:
        more = {pid for pid, (parent, _) in everyone.items() if parent in family} - family
        if not more:
            return {pid: everyone[pid][1] for pid in family - {ancestor} if pid in everyone}
        family |= more


def environment_of(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""


def rank_of(pid: int) -> int | None:
    found = re.search(rb"(?:^|\0)OMPI_COMM_WORLD_RANK=(\d+)\0", environment_of(pid))
    return int(found[1]) if found else None


def has_transport(pid: int) -> bool:
    """Whether a rank is past MPI_Init: it has the memory of its messages (real/mpi/segment.cpp)."""
    try:
        return any(os.readlink(file).startswith("/memfd:ringcast")
                   for file in Path(f"/proc/{pid}/fd").iterdir())
    except OSError:  # it ends, or a descriptor was closed meanwhile
        return False


def until(holds):
    end = time.monotonic() + DEADLINE_S
    while time.monotonic() < end:
        if value := holds():
            return value
        time.sleep(0.02)
    raise AssertionError("waited in vain")


class Measurement:
    """A measurement that runs until it is disturbed."""

    def __init__(self, folder: Path, options: dict[str, str]):
        self.output = folder / "measured.json"
        words = [word for pair in {**LONG, **options}.items() for word in pair]
        self.process = subprocess.Popen(
            [PROGRAMS / "ringcast", "measure", "scenarios/sizes.yaml", "--oversubscribe",
             "--output", self.output, *words],
            cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def ranks(self, count: int = 2) -> dict[int, int]:
        """The processes of the ranks, once all of them measure."""
        def look():
            ranks = {rank_of(pid): pid for pid, words in below(self.process.pid).items()
                     if "ringcast-mpi measure" in words and "mpirun" not in words.split(" ")[0]}
            ranks.pop(None, None)
            ready = len(ranks) == count and all(map(has_transport, ranks.values()))
            return ranks if ready else None
        ranks = until(look)
        time.sleep(0.3)  # now they are in the first cell
        return ranks

    def end(self) -> tuple[int, str, str]:
        output, errors = self.process.communicate(timeout=2 * DEADLINE_S)
        return self.process.returncode, output, errors


@unittest.skipIf(mpi_is_missing(), "no MPI here")
class MeasureFaultsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ringcast-faults-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        # Open MPI's shared memory in a place where no other job puts its own.
        self.shared_memory = Path(tempfile.mkdtemp(prefix="ringcast-faults-", dir="/dev/shm"))
        self.addCleanup(shutil.rmtree, self.shared_memory)
        os.environ["OMPI_MCA_btl_vader_backing_directory"] = str(self.shared_memory)

    def assert_nothing_left(self):
        mark = self.shared_memory.name.encode()
        # A launcher outlives its ranks: it is what removes their shared memory.
        until(lambda: not any(mark in environment_of(pid) for pid in processes()))
        self.assertEqual([file.name for file in self.shared_memory.iterdir()], [])

    def assert_one_line(self, errors: str, pattern: str):
        lines = [line for line in errors.splitlines()
                 if not re.match(r"ringcast: (mpirun|sh) |.*(not complete|taken up)", line)]
        self.assertEqual(len(lines), 1, errors)
        self.assertRegex(lines[0], pattern)

    def measurement(self, options: dict[str, str]) -> Measurement:
        measurement = Measurement(self.folder, options)
        self.addCleanup(measurement.process.kill)
        return measurement

    def assert_gone(self, *pids: int):
        until(lambda: not set(pids) & set(processes()))

    def assert_fails(self, measurement: Measurement, ranks: dict[int, int], pattern: str):
        code, _, errors = measurement.end()
        self.assertEqual(code, 4, errors)
        self.assert_one_line(errors, pattern)
        self.assert_gone(*ranks.values())
        self.assert_nothing_left()

    def test_a_rank_that_is_killed_is_named(self):
        measurement = self.measurement({})
        ranks = measurement.ranks()
        os.kill(ranks[1], signal.SIGKILL)
        self.assert_fails(
            measurement, ranks, r"^ringcast: measure: 2 ranks, (64 KiB|16 MiB), ring, by-rank: rank "
            r"1 on \S+ was killed by signal 9 \(Killed\); rank 0\b.*")

    def test_what_was_measured_before_is_kept(self):
        measurement = self.measurement(TWO_CELLS)
        ranks = measurement.ranks()
        until(Path(f"{measurement.output}.partial").exists)  # with the first cell
        os.kill(ranks[0], signal.SIGKILL)
        code, output, errors = measurement.end()
        self.assertEqual(code, 4, errors)
        result = json.loads(measurement.output.read_text())
        self.assertEqual([row["size_bytes"] for row in result["rows"]][:1], [4096])
        self.assertEqual(len(result["rows"]) + len(result["failures"]), 2)
        self.assertIn("4 KiB", output)

    def test_a_rank_that_stops_answering_is_named(self):
        measurement = self.measurement({"--timeout": "5 s"})
        ranks = measurement.ranks()
        os.kill(ranks[1], signal.SIGSTOP)
        self.assert_fails(measurement, ranks, r"^ringcast: measure: 2 ranks, .*rank 0.*rank 1")

    def test_a_rank_that_stops_in_a_call_of_mpi_ends_the_job(self):
        # Nearly all of its time is in the calls; between two of them our own messages agree.
        measurement = self.measurement({"--timeout": "5 s", "--algorithm": "mpi",
                                        "--sizes": "64MiB"})
        ranks = measurement.ranks()
        os.kill(ranks[1], signal.SIGSTOP)
        self.assert_fails(
            measurement, ranks, r"^ringcast: measure: (rank 0 hung in a call while it measured 2 "
            r"ranks, 64 MiB, mpi: it did not return for 5 s|2 ranks, 64 MiB, mpi: rank 0: recv of "
            r"\d+ bytes from rank 1 .*: nothing moved for 5 s)")

    def test_a_job_whose_ranks_all_stop_is_ended(self):
        measurement = self.measurement({"--timeout": "5 s"})
        ranks = measurement.ranks()
        for pid in ranks.values():
            os.kill(pid, signal.SIGSTOP)
        self.assert_fails(measurement, ranks, r"nothing was heard of rank 0 on \S+ for 15 s$")

    def run_by(self, launcher: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A measurement started by a shell script, whose words are -n 2 ringcast-mpi ..."""
        script = self.folder / "launcher.sh"
        script.write_text(launcher)
        return run("scenarios/sizes.yaml", "--ranks", "2", "--sizes", "4KiB", "--launcher",
                   f"sh {script}", *arguments)

    def test_a_rank_that_never_starts_ends_the_job(self):
        done = self.run_by("shift 2\nexec mpirun --allow-run-as-root --oversubscribe -n 1 \"$@\" "
                           ": -n 1 sleep 100\n", "--timeout", "2 s")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assert_one_line(done.stderr, r"^ringcast: measure: .*the job did not begin within 2 s")
        self.assert_nothing_left()

    def test_what_the_launcher_said_is_shown_when_nothing_begins(self):
        done = self.run_by("echo 'srun: job 17 queued and waiting for resources' >&2\nsleep 100\n",
                           "--timeout", "2 s")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assertRegex(done.stderr, r"(?m)^srun: job 17 queued and waiting for resources\n"
                                      r"ringcast: measure: the job did not begin within 2 s")

    def test_a_launcher_that_loses_rows_is_no_measurement(self):
        done = self.run_by("mpirun --allow-run-as-root --oversubscribe \"$@\" | grep -v row\n")
        self.assertEqual(done.returncode, 4, done.stderr)
        self.assert_one_line(done.stderr, r"the launcher exited with 0, but its output has only 0 of 1 "
                                          r"cell \(expected a launcher that forwards the output of all ranks\)$")

    def test_signals_end_the_job_and_keep_what_was_measured(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            measurement = self.measurement(TWO_CELLS)
            ranks = measurement.ranks()
            until(Path(f"{measurement.output}.partial").exists)  # with the first cell
            measurement.process.send_signal(number)
            code, output, errors = measurement.end()
            self.assertEqual(code, 130, errors)
            self.assert_one_line(errors, r"^ringcast: interrupted$")
            self.assertIn("4 KiB", output)
            result = json.loads(measurement.output.read_text())
            self.assertEqual(len(result["rows"]) + len(result["failures"]), 2)
            self.assertEqual(result["failures"][-1]["error"], "not measured: interrupted")
            self.assert_gone(*ranks.values())
        self.assert_nothing_left()

    def test_a_killed_launcher_takes_the_ranks_along(self):
        measurement = self.measurement({})
        ranks = measurement.ranks()
        measurement.process.kill()
        measurement.end()
        self.assert_gone(*ranks.values())
        self.assert_nothing_left()

    def test_shared_memory_of_a_killed_mpirun_is_removed(self):
        measurement = self.measurement({})
        ranks = measurement.ranks()
        family = below(measurement.process.pid).items()
        os.kill(next(pid for pid, words in family if words.startswith("mpirun")), signal.SIGKILL)
        code, _, errors = measurement.end()
        self.assertEqual(code, 4, errors)
        self.assert_gone(*ranks.values())
        self.assert_nothing_left()

    def test_more_ranks_than_slots_are_refused(self):
        done = run("scenarios/sizes.yaml", "--ranks", "1000", "--sizes", "4KiB")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assert_one_line(done.stderr, r"^--ranks: more ranks than mpirun has slots for .*"
                             r"--oversubscribe")

    def test_more_ranks_than_were_started_are_refused(self):
        done = self.run_by("shift 2\nexec mpirun --allow-run-as-root -n 1 \"$@\"\n")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("--ranks: 2 ranks, but this process is a job of its own (expected a launcher "
                      "that fits the MPI of ringcast-mpi, such as its mpirun -n 2, or srun "
                      "--mpi=pmix)\n", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
