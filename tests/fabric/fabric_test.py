#!/usr/bin/env python3
"""Tests of the emulated fabric: its rates, and that nothing is left however a run ends."""

from __future__ import annotations

import re
import shlex
import signal
import subprocess
import sys
import unittest

import graph
from runs import HERE, FabricCase, folders_of, start

# Sends for two seconds from the first host to the second, and prints the rate of reception.
RATE = """
import socket, sys, time
if sys.argv[1] == "receive":
    server = socket.create_server(("0.0.0.0", 5001))
    print("listening", flush=True)
    connection = server.accept()[0]
    connection.recv(1 << 20)
    begin, received = time.monotonic(), 0
    while data := connection.recv(1 << 20):
        received += len(data)
    print(received / (time.monotonic() - begin))
else:
    connection = socket.create_connection(("10.77.0.2", 5001))
    end = time.monotonic() + 2
    while time.monotonic() < end:
        connection.sendall(bytes(1 << 16))
"""


class AFabric(FabricCase):
    def test_joins_hosts_and_passes_the_exit_code_on(self) -> None:
        run = self.started(
            command="sleep 1; hostname; $RINGCAST_FABRIC_ENTER node3 hostname; exit 7")

        output, errors = run.communicate(timeout=60)

        self.assertEqual((output, run.returncode), ("node0\nnode3\n", 7), errors)
        self.expect_gone(run)

    def test_shapes_both_ways_of_a_cable_to_its_rate(self) -> None:
        # 191.28 and 95.64 Mb/s of payload, as frames: x 1514/1448, which tc shows rounded down.
        shows = [f"$RINGCAST_FABRIC_ENTER node{host} tc qdisc show dev eth0 | grep tbf"
                 for host in range(4)]
        # On a busy machine, tc may print nothing of a qdisc that is there, and end with 0.
        hosts = "; ".join(f"{show} || {show} || {show}" for show in shows)
        ports = " ".join(f"'tc class show dev cable{number}.1;'" for number in range(4))
        run = self.started(cluster="slow-host",
                           command=f"{hosts}; $RINGCAST_FABRIC_ENTER switches {ports}")

        output, errors = run.communicate(timeout=60)

        out = re.findall("qdisc tbf .* rate ([0-9]+)Kbit", output)
        into = re.findall("class htb 1:1 root .* ceil ([0-9]+)Kbit", output)
        self.assertEqual(out, ["199998"] * 3 + ["99999"], output + errors)
        self.assertEqual(into, out, output + errors)
        self.expect_gone(run)

    def test_carries_no_more_than_the_cables(self) -> None:
        # Less is up to the machine: one that has no time for a while lets a bucket run over. How
        # near it comes is what tests/bench/fabric_validation.py measures.
        program = f"{shlex.quote(sys.executable)} -c {shlex.quote(RATE)}"
        for cluster, sender, rate in (("one-switch", "node0", 191.28e6 / 8),
                                      ("slow-host", "node3", 95.64e6 / 8)):
            send = f"$RINGCAST_FABRIC_ENTER {sender} {shlex.quote(program + ' send')}"
            receive = f"$RINGCAST_FABRIC_ENTER node1 {shlex.quote(program + ' receive')}"
            run = self.started(cluster=cluster, command=f"{receive} & sleep 1; {send}; wait")

            output, errors = run.communicate(timeout=60)

            self.assertTrue(output, errors)
            carried = float(output.split()[-1])
            self.assertGreater(carried, 0)
            # Up to 0.5 MB of 48 wait in buffers when the clock starts.
            self.assertLess(carried, 1.1 * rate, cluster)
            self.expect_gone(run)

    def test_is_gone_after_its_command_was_killed(self) -> None:
        run = self.started(command="sleep 1; kill -KILL $$")

        self.assertEqual(run.wait(60), 128 + signal.SIGKILL)
        self.expect_gone(run)
        run.communicate()

    def test_ends_what_the_command_leaves_running(self) -> None:
        run = self.started(command="setsid sleep 1000 > /dev/null 2>&1 & sleep 1")

        self.assertEqual(run.wait(60), 0)
        self.expect_gone(run)
        run.communicate()

    def test_is_gone_after_an_interruption(self) -> None:
        for number in (signal.SIGINT, signal.SIGTERM):
            run = self.started(command="exec sleep 1000")
            run.send_signal(number)

            self.assertEqual(run.wait(60), 128 + number)
            self.expect_gone(run)
            run.communicate()

    def test_ends_a_command_that_does_not_want_to(self) -> None:
        run = self.started("--timeout", "1", command="trap '' INT TERM; sleep 1000; sleep 1000")

        self.assertEqual(run.wait(60), 124)
        self.assertIn("stopped after 1 s", run.communicate()[1])
        self.expect_gone(run)

    def test_is_gone_after_it_was_killed_itself(self) -> None:
        run = self.started(command="exec sleep 1000")
        run.kill()
        run.wait(60)

        self.expect_no_namespaces()
        left = folders_of(run)
        self.assertEqual(len(left), 1)
        self.assertEqual(list(left[0].iterdir()), [])
        cleaned = subprocess.run([sys.executable, HERE / "fabric.py", "--clean"],
                                 capture_output=True, text=True, check=True)
        self.assertRegex(cleaned.stdout, "^[1-9][0-9]* folders? of ended runs removed\n$")
        self.expect_gone(run)
        run.communicate()

    def test_unplugs_a_host(self) -> None:
        ping = "import socket; socket.create_connection(('10.77.0.3', 9), timeout=1)"
        answer = f"{shlex.quote(sys.executable)} -c {shlex.quote(ping)} 2>&1 | tail -n 1"
        run = self.started("--cut", "node2", "--after", "3", command=f"{answer}; sleep 3; {answer}")

        output, errors = run.communicate(timeout=60)

        self.assertRegex(output, "(?s)refused.*(timed out|No route)", errors)
        self.expect_gone(run)

    def test_refuses_a_host_that_is_not_there(self) -> None:
        run = start("--cut", "node9", command="true")

        self.assertIn("--cut: no node9", run.communicate(timeout=60)[1])
        self.assertEqual(run.returncode, 2)

    def test_names_a_program_that_is_not_there(self) -> None:
        run = start("--ringcast", "/nowhere", command="true")

        self.assertIn("/nowhere is missing (expected --ringcast", run.communicate(timeout=60)[1])
        self.assertEqual(run.returncode, 2)


def shown(cables: list[tuple[str, str]], nodes: int = 2) -> dict:
    """The output of `ringcast show` for hosts with a card and switches `a`, `b`."""
    vertices = [{"name": name, "kind": "network switch", "node": None} for name in "ab"]
    for node in range(nodes):
        vertices += [{"name": f"node{node}.{part}", "kind": part, "node": node}
                     for part in ("process0", "nic0")]
    return {"name": "invented", "vertices": vertices,
            "ranks": [f"node{node}.process0" for node in range(nodes)],
            "cables": [{"a": a, "b": b, "bandwidth_bytes_per_s": 1448e4} for a, b in cables]}


class AGraph(unittest.TestCase):
    TREE = [("node0.nic0", "a"), ("node1.nic0", "b"), ("a", "b"), ("node0.process0", "node0.nic0")]

    def test_has_hosts_switches_and_what_joins_them(self) -> None:
        read = graph.graph_of(shown(self.TREE))

        self.assertEqual(read.hosts, [graph.Host("node0", "10.77.0.1", 1),
                                      graph.Host("node1", "10.77.0.2", 1)])
        self.assertEqual([cable.ends for cable in read.cables],
                         [("node0", "a"), ("node1", "b"), ("a", "b")])
        # 14.48 MB/s of payload: 10,000 frames of 1,514 bytes a second
        self.assertEqual(read.cables[0].wire_bits_per_s, 8 * 15_140_000)

    def test_refuses_what_bridges_cannot_do(self) -> None:
        for cables, problem in (([*self.TREE, ("b", "a")], "b - a closes a loop"),
                                ([*self.TREE, ("node0.nic0", "b")], "node0 has several")):
            with self.assertRaisesRegex(graph.FabricError, problem):
                graph.graph_of(shown(cables))

    def test_refuses_what_two_cores_cannot_do(self) -> None:
        with self.assertRaisesRegex(graph.FabricError, re.escape("33 nodes (expected 2 to 32)")):
            graph.graph_of(shown([], nodes=33))


if __name__ == "__main__":
    unittest.main()
