#!/usr/bin/env python3
"""Kills commands at a random moment by a random signal: nothing may be lost or left behind.

`chaos_test.py --runs 200 --seed 7` repeats a series; without options, a few runs as a test.
RINGCAST_BIN is the folder of the programs. After each run:

- none of its processes, temporary files or shared memory is left;
- each file is complete; an older result is still there, or replaced by a complete one;
- the same command, run again, reuses every finished cell and ends with all rows.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import unittest
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("RINGCAST_BIN", ROOT / "build" / "dev" / "bin")).resolve() / "ringcast"
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGKILL)
NOTED = SIGNALS[:3]  # the output then has the finished rows
DEADLINE_S = 240
runs, seed = 10, 1
chosen: list[str] = []  # commands; empty: all


@dataclass(frozen=True)
class Command:
    """`words` without the output; `outputs` are the names of the files that it writes."""

    name: str
    words: tuple[str, ...]
    outputs: tuple[str, ...] = ("out.json",)
    deterministic: bool = False  # every run gives the same rows
    codes: tuple[int, ...] = (0,)  # exit codes of a complete run

    def line(self, folder: Path) -> list[str]:
        return [str(PROGRAM), *self.words, "--output", str(folder / self.outputs[0])]


COMMANDS = (
    Command("predict", ("predict", "scenarios/baidu-40gpu.yaml", "--ranks", "8,16,24", "--min",
                        "1KiB", "--max", "64MiB", "--factor", "2", "--quiet"), deterministic=True),
    Command("predict training", ("predict", "scenarios/one-host-training.yaml", "--quiet"),
            deterministic=True),
    Command("validate", ("validate", "scenarios/published/2x2080ti.yaml",
                         "scenarios/published/8x5090.yaml", "--quiet"), deterministic=True),
    Command("plot", ("plot", "RESULT"), ("out.png",)),
    Command("measure", ("measure", "scenarios/one-host.yaml", "--ranks", "1,2", "--sizes",
                        "4KiB,64KiB,1MiB,4MiB", "--budget", "300 ms", "--oversubscribe",
                        "--quiet")),
    Command("calibrate", ("calibrate", "--ranks", "2", "--quick", "--oversubscribe", "--quiet"),
            ("out.yaml",), codes=(0, 6)),  # 6: this machine is busy
)


def rows_of(file: Path) -> list[dict]:
    return json.loads(file.read_text())["rows"]


def kept_rows(folder: Path) -> int:
    """The finished cells beside the output, read from a copy."""
    partial = folder / "out.json.partial"
    if not partial.exists():
        return 0
    with tempfile.TemporaryDirectory() as name:
        for file in folder.glob("out.json.partial*"):
            shutil.copy(file, name)
        database = sqlite3.connect(Path(name) / partial.name)
        try:
            query = "SELECT count(*) FROM texts WHERE kind LIKE 'cells of %'"
            return database.execute(query).fetchone()[0]
        except sqlite3.DatabaseError:  # killed before its table was created
            return 0
        finally:
            database.close()


class ChaosTest(unittest.TestCase):
    def setUp(self):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # no core dumps by SIGQUIT
        folder = tempfile.TemporaryDirectory(prefix="ringcast-chaos-")
        self.addCleanup(folder.cleanup)
        self.base = Path(folder.name)
        self.shared_memory = Path(tempfile.mkdtemp(prefix="ringcast-chaos-", dir="/dev/shm"))
        self.addCleanup(shutil.rmtree, self.shared_memory)
        self.environment = {**os.environ, "RINGCAST_CHAOS": str(self.base),
                            "XDG_CACHE_HOME": str(self.base / "cache"),
                            "OMPI_MCA_btl_vader_backing_directory": str(self.shared_memory)}
        self.references = {}
        self.finished_rows = 0

    def run_whole(self, command: Command, folder: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(self.line(command, folder), cwd=ROOT, env=self.environment, text=True,
                              capture_output=True, timeout=DEADLINE_S, check=False)

    def line(self, command: Command, folder: Path) -> list[str]:
        result = str(self.base / "predict" / "out.json")
        return [result if word == "RESULT" else word for word in command.line(folder)]

    def reference(self, command: Command) -> tuple[Path, float] | None:
        """Returns an undisturbed run and its duration; None without MPI or matplotlib."""
        folder = self.base / command.name
        folder.mkdir()
        begin = time.monotonic()
        done = self.run_whole(command, folder)
        if done.returncode == 3:
            return None
        self.assertIn(done.returncode, command.codes, done.stderr)
        return folder, time.monotonic() - begin

    def processes(self) -> list[int]:
        """The descendants of this test, identified by a variable in their environment."""
        mark = f"RINGCAST_CHAOS={self.base}\0".encode()
        found = []
        for entry in Path("/proc").iterdir():
            try:
                if entry.name.isdigit() and mark in (entry / "environ").read_bytes():
                    found.append(int(entry.name))
            except OSError:
                continue
        return found

    def disturb(self, command: Command, folder: Path, delay: float, number: int) -> int:
        process = subprocess.Popen(self.line(command, folder), cwd=ROOT, env=self.environment,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
        time.sleep(delay)
        process.send_signal(number)
        return process.wait(timeout=DEADLINE_S)

    def assert_nothing_left(self, command: Command, folder: Path):
        end = time.monotonic() + DEADLINE_S
        while (self.processes() or any(self.shared_memory.iterdir())) and time.monotonic() < end:
            time.sleep(0.05)
        self.assertEqual(self.processes(), [])
        self.assertEqual(list(self.shared_memory.iterdir()), [])
        kept = {f"out.json.partial{suffix}" for suffix in ("", "-wal", "-journal")}
        allowed = {*command.outputs, *kept}
        self.assertLessEqual(set(os.listdir(folder)), allowed)

    def assert_complete(self, command: Command, folder: Path, before: dict[str, bytes]):
        """Each file is complete, and all are old or all are new."""
        after = {name: (folder / name).read_bytes() for name in command.outputs
                 if (folder / name).exists()}
        self.assertLessEqual(set(before), set(after))
        self.assertIn(len(after), (0, len(command.outputs)))
        if after != before:
            same = [name for name in before if after[name] == before[name]]
            self.assertEqual(same, [], "one file of a pair is new")
        for name, content in after.items():
            if name.endswith(".json"):
                rows = json.loads(content)["rows"]
                if before:
                    self.assertGreaterEqual(len(rows), len(json.loads(before[name])["rows"]))
            elif name.endswith(".png"):
                self.assertTrue(content.endswith(b"IEND\xaeB`\x82"))
            else:
                self.assertTrue(content.endswith(b"\n"))

    def assert_resumes(self, command: Command, folder: Path, reference: Path):
        kept = kept_rows(folder)
        self.finished_rows += kept
        done = self.run_whole(command, folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        if kept:
            self.assertIn(f": {kept} result", done.stderr)
        self.assertEqual(sorted(os.listdir(folder)), sorted(command.outputs))
        expected, found = rows_of(reference / "out.json"), rows_of(folder / "out.json")
        self.assertEqual(len(found), len(expected))
        if command.deterministic:
            self.assertEqual(found, expected)

    def one_run(self, number: int, generator: random.Random):
        commands = [command for command in COMMANDS if not chosen or command.name in chosen]
        command = commands[number % len(commands)]
        fraction, kind = generator.uniform(0, 1.1), generator.choice(SIGNALS)
        has_old = generator.random() < 0.5
        if command.name not in self.references:
            self.references[command.name] = self.reference(command)
        if self.references[command.name] is None:
            return
        reference, duration = self.references[command.name]
        folder = self.base / f"run{number}"
        folder.mkdir()
        label = (f"run {number}: {command.name}, {kind.name} at {fraction:.2f} of {duration:.1f} s"
                 f"{', over an old result' if has_old else ''}")
        print(label, flush=True)
        with self.subTest(label):
            if has_old:
                for name in command.outputs:
                    shutil.copy(reference / name, folder / name)
            before = {name: (folder / name).read_bytes() for name in os.listdir(folder)}
            self.disturb(command, folder, fraction * duration, kind)
            self.assert_nothing_left(command, folder)
            self.assert_complete(command, folder, before)
            if kind in NOTED and kept_rows(folder):
                self.assertIn("out.json", os.listdir(folder))
            if command.outputs == ("out.json",):
                self.assert_resumes(command, folder, reference)
                self.assert_nothing_left(command, folder)

    def test_nothing_is_lost_or_left(self):
        generator = random.Random(seed)
        self.references[COMMANDS[0].name] = self.reference(COMMANDS[0])  # the input of plot
        for number in range(runs):
            self.one_run(number, generator)
        print(f"{runs} runs of seed {seed}: {self.finished_rows} finished cells taken up")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=runs)
    parser.add_argument("--seed", type=int, default=seed)
    parser.add_argument("--commands", type=lambda names: names.split(","), default=chosen,
                        help="some of " + ",".join(command.name for command in COMMANDS))
    options, rest = parser.parse_known_args()
    runs, seed, chosen = options.runs, options.seed, options.commands
    unittest.main(argv=[sys.argv[0], *rest])
