#!/usr/bin/env python3
"""A rank that is killed or stopped in mid-run: the others end, and say who waited for whom."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = ""
MPIRUN: list[str] = []
FAULTY_RANK = 1
# The timeout, or the wait of a neighbour of the rank that was stopped by another's timeout.
LONG = r"nothing moved for [\d.]+ m?s"


def run(fault: str, how: str) -> subprocess.CompletedProcess[str]:
    """A run of 4 ranks. mpirun is to let the others go on when one has died; of a stopped one it
    would then never see the end."""
    recovery = ["--enable-recovery"] if fault != "stop" else []
    command = [*MPIRUN, *recovery, "-n", "4", PROGRAM, fault, str(FAULTY_RANK), how]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


class Faults(unittest.TestCase):
    def setUp(self) -> None:
        # Open MPI's shared memory in a place where no other job puts its own.
        self.shared_memory = tempfile.mkdtemp(prefix="ringcast-faults-", dir="/dev/shm")
        self.addCleanup(shutil.rmtree, self.shared_memory)
        os.environ["OMPI_MCA_btl_vader_backing_directory"] = self.shared_memory

    def check(self, fault: str, how: str, reason: str) -> None:
        lines = run(fault, how).stdout.splitlines()

        self.assertTrue(lines)
        for line in lines:
            self.assertRegex(line, rf"^rank [023]: (send|recv|recv_accumulate) of 10000 bytes "
                                   rf"(from|to) rank \d under tag 0, message \d+ of the stream: "
                                   rf"{reason}$")
        self.assertTrue(any(f"rank {FAULTY_RANK}" in line for line in lines), lines)
        self.assertEqual(os.listdir(self.shared_memory), [])

    def test_a_rank_that_dies_is_noticed_at_once_where_memory_is_shared(self) -> None:
        self.check("kill", "shared", "rank 1 has died")

    def test_a_rank_that_dies_while_it_moves_bytes_keeps_no_sender_waiting(self) -> None:
        self.check("move", "shared", "rank 1 has died")

    def test_a_rank_that_dies_elsewhere_is_missed_after_the_timeout(self) -> None:
        self.check("kill", "mpi", LONG)

    def test_a_rank_that_stops_is_missed_after_the_timeout(self) -> None:
        self.check("stop", "shared", LONG)
        self.check("stop", "mpi", LONG)


if __name__ == "__main__":
    PROGRAM = str(Path(sys.argv[1]))
    MPIRUN = sys.argv[2:]
    unittest.main(argv=sys.argv[:1], verbosity=2)
