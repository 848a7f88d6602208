"""The graph of an emulated fabric, from `ringcast show CLUSTER --format json`."""

from __future__ import annotations

import dataclasses
import json
import subprocess
from pathlib import Path

MOST_HOSTS = 32  # with two cores; more would wait for each other, not for the network

# What tbf counts of a full frame, the Ethernet header (14) and the packet (1500), against what it
# carries: the packet less the headers of IP (20) and of TCP with a timestamp (32).
FRAME_BYTES = 1514
PAYLOAD_BYTES = 1448


class FabricError(Exception):
    """The cluster cannot be emulated, or not on this machine; the text says why."""


@dataclasses.dataclass(frozen=True)
class Host:
    name: str
    address: str
    ranks: int


@dataclasses.dataclass(frozen=True)
class Cable:
    """Between two switches, or a host and a switch; what each way carries of a message's bytes."""

    ends: tuple[str, str]
    payload_bytes_per_s: float

    @property
    def wire_bits_per_s(self) -> int:
        return round(8 * self.payload_bytes_per_s * FRAME_BYTES / PAYLOAD_BYTES)


@dataclasses.dataclass(frozen=True)
class Graph:
    name: str
    hosts: list[Host]
    switches: list[str]
    cables: list[Cable]


def read_graph(cluster: Path, ringcast: Path) -> Graph:
    if not ringcast.is_file():
        raise FabricError(f"{ringcast} is missing (expected --ringcast PROGRAM)")
    shown = subprocess.run([ringcast, "show", cluster, "--format", "json"], capture_output=True,
                           text=True, check=False)
    if shown.returncode != 0:
        raise FabricError(shown.stderr.strip())
    return graph_of(json.loads(shown.stdout))


def graph_of(shown: dict) -> Graph:
    """Raises FabricError unless the network is a tree of hosts and switches."""
    vertices = {vertex["name"]: vertex for vertex in shown["vertices"]}
    host_of = {name: f"node{vertex['node']}" for name, vertex in vertices.items()
               if vertex["node"] is not None}
    switches = [name for name in vertices if name not in host_of]
    names = list(dict.fromkeys(host_of.values()))
    ranks = [host_of[rank] for rank in shown["ranks"]]
    hosts = [Host(name, f"10.77.0.{number}", ranks.count(name))
             for number, name in enumerate(names, start=1)]
    cables = []
    for cable in shown["cables"]:
        ends = tuple(host_of.get(cable[end], cable[end]) for end in ("a", "b"))
        if ends[0] != ends[1]:
            cables.append(Cable(ends, cable["bandwidth_bytes_per_s"]))
    check(names, switches, cables)
    return Graph(shown["name"], hosts, switches, cables)


def check(hosts: list[str], switches: list[str], cables: list[Cable]) -> None:
    if not 2 <= len(hosts) <= MOST_HOSTS:
        raise FabricError(f"{len(hosts)} nodes (expected 2 to {MOST_HOSTS})")
    joined = {name: name for name in [*hosts, *switches]}

    def part_of(name: str) -> str:
        return name if joined[name] == name else part_of(joined[name])

    used: set[str] = set()
    for cable in cables:
        for end in cable.ends:
            if end in hosts and end in used:
                raise FabricError(f"{end} has several network cables (expected one per node)")
            used.add(end)
        a, b = (part_of(end) for end in cable.ends)
        if a == b:
            raise FabricError(f"the cable {' - '.join(cable.ends)} closes a loop, which a bridge "
                              "would send frames round for ever (expected a tree)")
        joined[a] = b
