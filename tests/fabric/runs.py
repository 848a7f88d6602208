"""Runs of the emulated fabric for tests, and checks that nothing is left of one."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import fabric

HERE = Path(__file__).resolve().parent
RINGCAST = Path(os.environ.get("RINGCAST_BIN", fabric.ROOT / "build/release/bin")) / "ringcast"
REASON = fabric.why_not()

def start(*options: str, command: str, cluster: str = "one-switch") -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, HERE / "fabric.py", HERE / "clusters" / f"{cluster}.yaml", "--ringcast",
         RINGCAST, *options, "--", "sh", "-c", command],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def network_of(process: Path) -> str | None:
    try:
        return os.readlink(process / "ns/net")
    except OSError:
        return None  # it has ended


def namespaces() -> set[str]:
    """The network namespaces of all processes."""
    found = {network_of(process) for process in Path("/proc").glob("[0-9]*")}
    return {name for name in found if name}


def namespaces_below(parent: int) -> set[str]:
    """The network namespaces of a process's descendants, except its own."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    found = {network_of(Path("/proc", child)) for child in children}
    for child in children:
        found |= namespaces_below(int(child))
    return {name for name in found if name} - {network_of(Path("/proc/self"))}


def folders_of(run: subprocess.Popen) -> list[Path]:
    return list(Path(tempfile.gettempdir()).glob(f"{fabric.PREFIX}{run.pid}-*"))


@unittest.skipIf(REASON, f"no emulated fabric: {REASON}")
class FabricCase(unittest.TestCase):
    made: set[str] = set()

    def started(self, *options: str, command: str, cluster: str = "one-switch",
                holds: int = 5) -> subprocess.Popen:
        """Starts a run; its command has begun, four hosts and the switches have namespaces."""
        run = start(*options, cluster=cluster, command=f"echo begun; {command}")
        self.assertEqual(run.stdout.readline(), "begun\n")
        self.made = namespaces_below(run.pid)
        self.assertEqual(len(self.made), holds)
        return run

    def expect_no_namespaces(self) -> None:
        """Waits briefly: the kernel removes namespaces shortly after their last process has ended."""
        deadline = time.monotonic() + 10
        while namespaces() & self.made and time.monotonic() < deadline:
            time.sleep(0.1)
        self.assertEqual(namespaces() & self.made, set())

    def expect_gone(self, run: subprocess.Popen) -> None:
        self.expect_no_namespaces()
        self.assertEqual(folders_of(run), [])
