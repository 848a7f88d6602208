#!/usr/bin/env python3
"""Real ranks under launchers that tag their output, start other jobs than asked for, or stop a rank.

RINGCAST_BIN is the folder of the programs. Skipped where mpirun is missing or the programs were
built without MPI.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from measure_faults_test import DEADLINE_S, PROGRAMS, mpi_is_missing

MPIRUN = "mpirun --allow-run-as-root --oversubscribe"
SCENARIO = """\
cluster:
  name: one host
  node_types: {box: {sockets: [{root_complexes: [{devices: [{kind: gpu, count: 2, link: pcie-3.0-x16}]}]}]}}
  nodes: [{type: box, count: 1}]
transport: shared-memory
ranks: 2
sizes: [4 KiB, 8 KiB]
"""
# Every second time four times as long: no line fits them.
DISTURB = """\
import json, sys
word = "@ringcast calibration "
for line in sys.stdin:
    if line.startswith(word):
        calibration = json.loads(line[len(word):])
        for sample in calibration["samples"][::2]:
            for flow in sample["flows"]:
                flow["time_s"] *= 100
        line = word + json.dumps(calibration) + "\\n"
    print(line, end="", flush=True)
"""


@unittest.skipIf(mpi_is_missing(), "no MPI here")
class MeasureLaunchersTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="ringcast-launchers-")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "two.yaml").write_text(SCENARIO)

    def run_by(self, launcher: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A command whose job a shell script starts. Its words are -n 2 ringcast-mpi ..."""
        (self.folder / "launcher.sh").write_text(launcher)
        return self.ringcast(*arguments, "--launcher", "sh launcher.sh", "--ranks", "2")

    def ringcast(self, *arguments: str, **options) -> subprocess.CompletedProcess[str]:
        return subprocess.run([PROGRAMS / "ringcast", *arguments], cwd=self.folder, check=False,
                              capture_output=True, text=True, timeout=2 * DEADLINE_S, **options)

    def test_a_rank_that_stops_before_the_first_cell_ends_the_job(self):
        os.mkfifo(self.folder / "never-written")
        stops = f'shift 2; exec {MPIRUN} -n 1 "$@" : -n 1 "$1" measure never-written\n'
        for command in (["measure", "two.yaml"], ["calibrate", "--output", "my.yaml"]):
            done = self.run_by(stops, *command, "--timeout", "3 s")
            self.assertEqual(done.returncode, 4, done.stderr)
            self.assertRegex(done.stderr, r"rank 0 hung in a call while it .*: it did not return "
                                          r"for 3 s")

    def test_tagged_output_is_read(self):
        done = self.ringcast("measure", "two.yaml", "--mpirun-args", "--tag-output --oversubscribe")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line.split()[0] for line in done.stdout.splitlines()
                          if not line.startswith("#")], ["2", "2"], done.stdout)

    def test_the_host_that_lacks_a_file_is_named(self):
        elsewhere = f'shift 2; exec {MPIRUN} -n 1 "$@" : -n 1 --wdir / "$@"\n'
        done = self.run_by(elsewhere, "measure", "two.yaml")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertRegex(done.stderr, r"(?m)^rank 1 on \S+: two.yaml: cannot be read: No such file")

    def test_a_launcher_of_another_mpi_is_refused(self):
        alone = 'shift 2; "$@" & "$@"; wait\n'
        for command in (["measure", "two.yaml"], ["calibrate", "--output", "my.yaml"]):
            done = self.run_by(alone, *command)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertRegex(done.stderr, r"(?m)^--ranks: 2 ranks, but this process is a job of its "
                                          r"own \(expected .*srun --mpi=pmix\)$")

    def test_a_scenario_that_can_be_read_only_once_is_refused(self):
        done = self.ringcast("measure", "/dev/stdin", input=SCENARIO)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr, "/dev/stdin: a pipe or a device (expected a regular file: the "
                                      "processes of the job read it, too)\n")

    def test_rows_of_other_hosts_are_not_taken_up(self):
        def measured_on(host: str, *more: str, then: str = "") -> subprocess.CompletedProcess[str]:
            launcher = f'{MPIRUN} "$@" | sed -u "s/begun .*/begun {host}/;{then}"\n'
            return self.run_by(launcher, "measure", "two.yaml", "--output", "it.json", *more)

        self.assertEqual(measured_on("node1", then="/ringcast row/q").returncode, 4)
        done = measured_on("node2")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("\nnode2: not the hosts of the finished cells, node1 (expected the same hosts, "
                      "or --fresh to measure all cells again)\n", done.stderr)
        for more in ("--fresh",), ():
            done = measured_on("node2", *more)
            self.assertEqual(done.returncode, 0, done.stderr)
            result = json.loads((self.folder / "it.json").read_text())
            self.assertEqual((len(result["rows"]), result["provenance"]["host"]), (2, "node2"))

    def test_a_useless_calibration_does_not_replace_a_file(self):
        (self.folder / "disturb.py").write_text(DISTURB)
        disturbed = f'{MPIRUN} "$@" | "{sys.executable}" disturb.py\n'
        calibrate = ["calibrate", "--quick", "--output", "my.yaml"]
        done = self.run_by(disturbed, *calibrate)
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertIn("my.yaml: of no use for predictions (expected", done.stderr)
        self.assertTrue((self.folder / "my.yaml").exists())

        (self.folder / "my.yaml").write_text("good")
        done = self.run_by(disturbed, *calibrate)
        self.assertEqual(done.returncode, 6, done.stderr)
        self.assertIn("my.yaml: left as it was: this calibration is of no use for predictions",
                      done.stderr)
        self.assertEqual((self.folder / "my.yaml").read_text(), "good")


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
