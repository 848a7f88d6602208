"""Hosts, bridges and shaped cables in network namespaces, for as long as this process lives.

Everything is made in namespaces of this process and its children: when the last of them ends, in
whatever way, the kernel takes down namespaces, cables and mounts.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

from graph import Cable, Graph, Host

# TCP sends segments of at most this size. Segments larger than the bucket would be cut into single
# frames, for which two cores are too slow: 8 hosts then lost a third of 200 Mbit/s.
GSO_BYTES = 16384
BURST_BYTES = 2 * GSO_BYTES
# The data in flight of a connection are bounded by its buffers (half of which is payload), and
# queues are longer: nothing is ever dropped, as on InfiniBand.
TCP_BUFFER_BYTES = 524288
QUEUE_BYTES = 64 << 20
TCP_SETTINGS = {"tcp_rmem": f"4096 {TCP_BUFFER_BYTES} {TCP_BUFFER_BYTES}",
                "tcp_wmem": f"4096 {TCP_BUFFER_BYTES} {TCP_BUFFER_BYTES}",
                "tcp_congestion_control": "reno", "tcp_slow_start_after_idle": "0",
                # Acknowledgements, and MPI's handshakes, wait behind what a host has queued. With
                # all of a connection's buffer there, a ring of 1 MiB took 25 % longer, and a host on
                # a slow cable received 9 % less than the cable carries.
                "tcp_limit_output_bytes": str(BURST_BYTES)}
SWITCHES = "switches"  # the namespace of all bridges


def run(*command: object, text: str | None = None) -> None:
    """Runs a command with `text` as its input."""
    words = [str(word) for word in command]
    done = subprocess.run(words, input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise OSError(f"{' '.join(words)}: {done.stderr.strip() or done.returncode}")


class Network:
    """`folder`: an empty folder for scripts, used by this process only."""

    def __init__(self, graph: Graph, folder: Path):
        self.graph = graph
        self.folder = folder
        self.holders: dict[str, subprocess.Popen] = {}
        for name in [SWITCHES, *(host.name for host in graph.hosts)]:
            self._hold(name)
        for switch in range(len(graph.switches)):
            run(*self._in_switches(), "ip", "link", "add", f"br{switch}", "type", "bridge")
            run(*self._in_switches(), "ip", "link", "set", f"br{switch}", "up")
        for number, cable in enumerate(graph.cables):
            self._lay(number, cable)
        for host in graph.hosts:
            self._set_up(host)
        self.rsh_agent = self._write_agent()
        self.hostfile = folder / "hostfile"
        self.hostfile.write_text("".join(f"{host.name} slots={host.ranks}\n"
                                         for host in graph.hosts))

    def enter(self, name: str) -> list[str]:
        """The prefix of a command that runs in a host."""
        return ["nsenter", "--target", str(self.holders[name].pid), "--net", "--uts", "--mount",
                "--ipc", "env", f"--chdir={os.getcwd()}"]

    def cut(self, name: str) -> None:
        """Sets the link of a host down, at the switch."""
        for number, cable in enumerate(self.graph.cables):
            if name in cable.ends:
                far = 1 - cable.ends.index(name)
                place = self.enter(self._namespace(cable.ends[far]))
                run(*place, "ip", "link", "set", self._port(number, cable, far), "down")

    def sent_bytes(self, name: str) -> int:
        shown = subprocess.run([*self.enter(name), "ip", "-json", "-stats", "link", "show", "eth0"],
                               stdout=subprocess.PIPE, check=True)
        return json.loads(shown.stdout)[0]["stats64"]["tx"]["bytes"]

    def environment(self) -> dict[str, str]:
        """The environment in which mpirun in the first host starts ranks on all hosts."""
        network = "10.77.0.0/24"
        parameters = {
            "plm_rsh_agent": str(self.rsh_agent), "plm_rsh_no_tree_spawn": "1",
            "orte_default_hostfile": str(self.hostfile), "btl": "tcp,self", "pml": "ob1",
            "btl_tcp_if_include": network, "oob_tcp_if_include": network,
            # All hosts share this machine's cores: a rank that waits lets others run, and none is
            # tied to the first core of "its" machine.
            "mpi_yield_when_idle": "1", "hwloc_base_binding_policy": "none",
            # Sends only, no "put": two ranks whose long messages cross take turns with that,
            # because each handshake waits behind the other's bulk on their one connection.
            "btl_tcp_flags": "1"}
        settings = {f"OMPI_MCA_{name}": value for name, value in parameters.items()}
        return settings | {
            "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "TMPDIR": "/dev/shm", "RINGCAST_FABRIC_ENTER": str(self.rsh_agent),
            "RINGCAST_FABRIC_HOSTS": " ".join(host.name for host in self.graph.hosts)}

    def _hold(self, name: str) -> None:
        """Temporary files of a host lie in its own /dev/shm: ranks find others' there otherwise."""
        settings = "".join(f"echo {value} > /proc/sys/net/ipv4/{name}; "
                           for name, value in TCP_SETTINGS.items())
        script = (f"hostname {name}; mount -t tmpfs {name} /dev/shm; {settings}"
                  "echo ready; exec sleep infinity")
        holder = subprocess.Popen(
            ["unshare", "--net", "--uts", "--mount", "--ipc", "sh", "-ec", script],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        self.holders[name] = holder
        if not holder.stdout or holder.stdout.readline() != "ready\n":
            raise OSError(f"unshare: no namespaces for {name}")

    def _in_switches(self) -> list[str]:
        return self.enter(SWITCHES)

    def _namespace(self, end: str) -> str:
        return end if end in self.holders else SWITCHES

    def _port(self, number: int, cable: Cable, end: int) -> str:
        return "eth0" if cable.ends[end] in self.holders else f"cable{number}.{end}"

    def _lay(self, number: int, cable: Cable) -> None:
        ports = [self._port(number, cable, end) for end in (0, 1)]
        places = [self._namespace(end) for end in cable.ends]
        run("ip", "link", "add", ports[0], "netns", self.holders[places[0]].pid, "type", "veth",
            "peer", "name", ports[1], "netns", self.holders[places[1]].pid)
        for port, place, end in zip(ports, places, cable.ends):
            run(*self.enter(place), "ip", "link", "set", port, "gso_max_size", GSO_BYTES)
            if place == SWITCHES:
                run(*self._in_switches(), "tc", "-batch", "-", text=self._fair_queues(port, cable))
                run(*self._in_switches(), "ip", "link", "set", port, "master",
                    f"br{self.graph.switches.index(end)}", "up")
            else:
                run(*self.enter(place), "tc", "qdisc", "add", "dev", port, "root", "tbf", "rate",
                    f"{cable.wire_bits_per_s}bit", "burst", BURST_BYTES, "limit", QUEUE_BYTES)

    def _fair_queues(self, port: str, cable: Cable) -> str:
        """A queue for each sender, as switches with credits have: in a common one a host's
        acknowledgements and handshakes wait behind what others have queued for the same cable."""
        rate = cable.wire_bits_per_s
        share = rate // len(self.graph.hosts)
        size = f"burst {BURST_BYTES} cburst {BURST_BYTES} quantum {GSO_BYTES}"
        lines = [f"qdisc add dev {port} root handle 1: htb default 10",
                 f"class add dev {port} parent 1: classid 1:1 htb rate {rate}bit {size}"]
        for number, host in enumerate(self.graph.hosts):
            leaf = f"{0x10 + number:x}"
            lines += [f"class add dev {port} parent 1:1 classid 1:{leaf} htb rate {share}bit "
                      f"ceil {rate}bit {size}",
                      f"qdisc add dev {port} parent 1:{leaf} bfifo limit {QUEUE_BYTES}",
                      f"filter add dev {port} parent 1: protocol ip u32 "
                      f"match ip src {host.address} flowid 1:{leaf}"]
        return "\n".join(lines) + "\n"

    def _set_up(self, host: Host) -> None:
        place = self.enter(host.name)
        run(*place, "ip", "link", "set", "lo", "up")
        run(*place, "ip", "address", "add", f"{host.address}/24", "dev", "eth0")
        run(*place, "ip", "link", "set", "eth0", "up")

    def _write_agent(self) -> Path:
        """Writes `enter HOST COMMAND...`, which replaces ssh."""
        agent = self.folder / "enter"
        cases = "".join(f"  {name}) exec {' '.join(self.enter(name))} sh -c \"$*\" ;;\n"
                        for name in self.holders)
        agent.write_text(f'#!/bin/sh\nhost="$1"; shift\ncase "$host" in\n{cases}'
                         '  *) echo "no host $host" >&2; exit 1 ;;\nesac\n')
        os.chmod(agent, 0o755)
        return agent
