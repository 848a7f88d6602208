#!/usr/bin/env python3
"""Runs a command on an emulated network: network namespaces are hosts and switches, pairs of veth
are cables, tc's tbf and htb are their rate. The cluster file says what there is; its nodes' insides
are not emulated. Linux, root.

    tests/fabric/fabric.py CLUSTER.yaml [--timeout S] [--cut HOST --after S --sent MB] -- COMMAND...

COMMAND runs in the first host, with an environment by which mpirun starts ranks on all of them.
Exit code: that of COMMAND; 2 for a cluster that cannot be emulated, 3 without namespaces, 124
after --timeout. Nothing is left behind, even if it is killed.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Callable

from graph import FabricError, Graph, read_graph
from network import SWITCHES, Network

ROOT = Path(__file__).resolve().parents[2]
PREFIX = "ringcast-fabric-"
GRACE_S = 5.0  # between SIGTERM and SIGKILL


def main() -> int:
    arguments = parse(sys.argv[1:])
    if arguments.clean:
        removed = remove_stale()
        print(f"{removed} folder{'s' * (removed != 1)} of ended runs removed")
        return 0
    if arguments.inside:
        return inside(arguments)
    reason = why_not()
    if reason:
        print(f"fabric: {reason}", file=sys.stderr)
        return 3
    remove_stale()
    return outside()


def parse(words: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0],
                                     usage="fabric.py CLUSTER [options] -- COMMAND...")
    parser.add_argument("cluster", type=Path, nargs="?")
    parser.add_argument("--ringcast", type=Path, default=ROOT / "build/release/bin/ringcast",
                        help="the program that reads CLUSTER")
    parser.add_argument("--timeout", type=float, default=300, help="seconds for COMMAND")
    parser.add_argument("--cut", metavar="HOST", help="unplug this host, e.g. node2")
    parser.add_argument("--after", type=float, default=1, help="so many seconds after the start")
    parser.add_argument("--sent", type=float, default=0, metavar="MB",
                        help="and when it has sent so much")
    parser.add_argument("--explain", action="store_true",
                        help="print the hosts and the environment first")
    parser.add_argument("--clean", action="store_true",
                        help="only remove what killed runs left: an empty folder each")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    split = words.index("--") if "--" in words else len(words)
    arguments = parser.parse_args(words[:split])
    arguments.command = words[split + 1:]
    if not arguments.clean and not (arguments.cluster and arguments.command):
        parser.error("expected CLUSTER -- COMMAND...")
    return arguments


def why_not() -> str | None:
    """Returns why this machine cannot emulate a network; None if it can."""
    if os.geteuid() != 0:
        return "namespaces and tc need root"
    for program, package in (("ip", "iproute2"), ("tc", "iproute2"), ("unshare", "util-linux"),
                             ("nsenter", "util-linux")):
        if not shutil.which(program):
            return f"no {program} (apt install {package})"
    attempt = ("ip link add name veth0 type veth peer name veth1 && "
               "tc qdisc add dev veth0 root tbf rate 200mbit burst 32kb latency 20ms && "
               "tc qdisc add dev veth1 root handle 1: htb && "
               "tc class add dev veth1 parent 1: classid 1:1 htb rate 200mbit quantum 16384 && "
               "tc filter add dev veth1 parent 1: protocol ip u32 match ip src 10.77.0.1 "
               "flowid 1:1 && "
               "ip link add name br0 type bridge")
    tried = subprocess.run(["unshare", "--net", "--uts", "--mount", "--ipc", "--pid", "--fork",
                            "sh", "-ec", attempt], capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        return f"this kernel or container allows no {attempt}: {tried.stderr.strip()}"
    return None


def remove_stale() -> int:
    stale = [folder for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*")
             if not Path("/proc", folder.name.removeprefix(PREFIX).split("-")[0]).exists()]
    for folder in stale:
        shutil.rmtree(folder, ignore_errors=True)
    return len(stale)


def outside() -> int:
    """Runs this script again as the first process of a process namespace: with it, all others of
    that namespace end, whatever they do to stay."""
    libc = ctypes.CDLL(None)
    with tempfile.TemporaryDirectory(prefix=f"{PREFIX}{os.getpid()}-") as folder:
        child = subprocess.Popen(
            ["unshare", "--pid", "--mount-proc", "--fork", "--kill-child=SIGKILL", sys.executable,
             __file__, "--inside", folder, *sys.argv[1:]], start_new_session=True,
            preexec_fn=lambda: libc.prctl(1, signal.SIGKILL))  # PR_SET_PDEATHSIG
        def end(number: int, _: object) -> None:
            os.killpg(child.pid, number)
            killer = threading.Timer(GRACE_S, child.kill)
            killer.daemon = True
            killer.start()

        on_signals(end)
        code = child.wait()
    return 128 - code if code < 0 else code


def on_signals(handler: Callable[[int, object], None]) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, handler)


def inside(arguments: argparse.Namespace) -> int:
    on_signals(lambda number, _: sys.exit(128 + number))
    subprocess.run(["mount", "-t", "tmpfs", "fabric", arguments.inside], check=True)
    try:
        graph = read_graph(arguments.cluster, arguments.ringcast)
        if arguments.cut and arguments.cut not in [host.name for host in graph.hosts]:
            raise FabricError(f"--cut: no {arguments.cut} in it")
        network = Network(graph, arguments.inside)
    except FabricError as error:
        print(f"fabric: {arguments.cluster}: {error}", file=sys.stderr)
        return 2
    if arguments.explain:
        explain(graph, network)
    return run_command(arguments, network)


def explain(graph: Graph, network: Network) -> None:
    for host in graph.hosts:
        print(f"{host.name}  {host.address}  {' '.join(network.enter(host.name))}")
    for cable in graph.cables:
        print(f"{' - '.join(cable.ends)}  {cable.wire_bits_per_s / 1e6:g} Mbit/s on the wire")
    for name, value in network.environment().items():
        print(f"{name}={value}")
    sys.stdout.flush()


def unplug(arguments: argparse.Namespace, network: Network) -> None:
    time.sleep(arguments.after)
    while network.sent_bytes(arguments.cut) < 1e6 * arguments.sent:
        time.sleep(0.1)
    network.cut(arguments.cut)


def run_command(arguments: argparse.Namespace, network: Network) -> int:
    first = next(name for name in network.holders if name != SWITCHES)
    command = subprocess.Popen([*network.enter(first), *arguments.command],
                               env=os.environ | network.environment(), start_new_session=True)
    on_signals(lambda number, _: os.killpg(command.pid, number))
    if arguments.cut:
        threading.Thread(target=unplug, args=[arguments, network], daemon=True).start()
    try:
        code = command.wait(arguments.timeout)
    except subprocess.TimeoutExpired:
        print(f"fabric: stopped after {arguments.timeout:g} s", file=sys.stderr)
        os.killpg(command.pid, signal.SIGTERM)
        try:
            command.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            pass  # the child ends with this process
        return 124
    return 128 - code if code < 0 else code


if __name__ == "__main__":
    sys.exit(main())
