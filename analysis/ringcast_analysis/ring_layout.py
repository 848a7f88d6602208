"""The layout of a machine's ranks, cards and hosts: hosts in a grid, their ranks on a circle; a
single rank is at the centre."""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass, field

from ringcast_analysis.ring_file import Machine, Vertex

Point = tuple[float, float]

SPACING, SPACING_OF_RANKS = 3.9, 2.4  # of hosts with circles, of hosts with one rank each
SPACING_OF_ROWS = 4.5  # of hosts with circles: their names are below the lowest cards
MARGIN, MARGIN_WITH_CARDS, MARGIN_OF_RANKS = 1.5, 2.0, 1.1  # around the outer hosts' centres
CARD_RADIUS, CARD_RADIUS_OF_RANK = 1.52, 0.8  # around a circle, around a single rank
CARD_STEP = 33.0  # degrees between cards side by side, on a circle of radius 1
ANGLE_OF_ONE = 45.0  # of a single rank's card: arrows along rows and columns miss the ranks
LABEL_INDENT = 18  # degrees from an arc's end to the middle of its name
RANK_KINDS = ("gpu", "process")


@dataclass(frozen=True)
class Group:
    """Neighbouring ranks of one socket or PCIe switch: an arc around the circle."""

    name: str
    begin: float  # degrees, clockwise from the top
    end: float
    depth: int  # 0: a switch, 1: a socket
    label: float  # degrees of the name

    @property
    def radius(self) -> float:
        return 1.2 + 0.1 * self.depth

    @property
    def lowest(self) -> float:
        """The lowest degrees of the arc: those nearest to 180."""
        return min(max(180.0, self.begin), self.end)


@dataclass
class Host:
    name: str
    centre: Point
    radius: int  # of the circle of its ranks; 0: one rank
    bottom: float = 0.0  # of its ranks, cards and arcs
    groups: list[Group] = field(default_factory=list)
    switched: bool = False  # its GPUs are connected by NVSwitches


@dataclass(frozen=True)
class Layout:
    hosts: list[Host]
    places: dict[str, Point]  # of ranks and cards
    columns: int
    rows: int
    spacing: float
    spacing_of_rows: float
    margin: float

    @property
    def width(self) -> float:
        return (self.columns - 1) * self.spacing + 2 * self.margin

    @property
    def height(self) -> float:
        return (self.rows - 1) * self.spacing_of_rows + 2 * self.margin


def point(centre: Point, degrees: float, radius: float) -> Point:
    """A point on a circle; degrees count clockwise from the top."""
    angle = math.radians(degrees)
    return centre[0] + radius * math.sin(angle), centre[1] + radius * math.cos(angle)


def hosts_of(machine: Machine, ranks: int) -> list[list[Vertex]]:
    """The vertices of each host's ranks, with the hosts in the order of their first ranks."""
    members: dict[int | None, list[Vertex]] = {}
    for name in machine.ranks[:ranks]:
        members.setdefault(machine.vertices[name].node, []).append(machine.vertices[name])
    return list(members.values())


def host_name(vertex: Vertex) -> str:
    return vertex.name.rsplit(".", 1)[0] if "." in vertex.name else f"node{vertex.node}"


def layout(machine: Machine, ranks: int, cards: set[str]) -> Layout:
    """The places of the ranks, and of the cards that rings use."""
    members = hosts_of(machine, ranks)
    columns = math.ceil(math.sqrt(len(members)))
    spacing, spacing_of_rows, margin = _measures(members)
    parents = _parents(machine)
    hosts, places = [], {}
    for number, vertices in enumerate(members):
        row, column = divmod(number, columns)
        host = Host(host_name(vertices[0]), (column * spacing, -row * spacing_of_rows),
                    radius=0 if len(vertices) == 1 else 1)
        angles = _rank_angles(vertices)
        own_cards = [name for name in sorted(cards)
                     if machine.vertices[name].node == vertices[0].node]
        card_radius = CARD_RADIUS if host.radius else CARD_RADIUS_OF_RANK
        card_angles = _card_angles(own_cards, angles, parents, card_radius)
        own = {name: point(host.centre, angle, host.radius) for name, angle in angles.items()}
        own |= {name: point(host.centre, angle, card_radius)
                for name, angle in card_angles.items()}
        host.groups = _groups(angles, list(card_angles.values()), parents, machine)
        host.bottom = min(y for _, y in [
            *own.values(),
            *(point(host.centre, group.lowest, group.radius) for group in host.groups)])
        host.switched = any(_kinds(machine, cable.a, cable.b) == {"gpu", "NVSwitch"}
                            and machine.vertices[cable.a].node == vertices[0].node
                            for cable in machine.cables)
        hosts.append(host)
        places |= own
    return Layout(hosts, places, columns, math.ceil(len(members) / columns), spacing,
                  spacing_of_rows, margin)


def _rank_angles(vertices: list[Vertex]) -> dict[str, float]:
    if len(vertices) == 1:
        return {vertices[0].name: ANGLE_OF_ONE}
    return {vertex.name: 360 * i / len(vertices) for i, vertex in enumerate(vertices)}


def _measures(members: list[list[Vertex]]) -> tuple[float, float, float]:
    """The spacing of hosts, of their rows, and the margin around them."""
    if len(members) == 1:
        return SPACING, SPACING, MARGIN
    if all(len(vertices) == 1 for vertices in members):
        return SPACING_OF_RANKS, SPACING_OF_RANKS, MARGIN_OF_RANKS
    return SPACING, SPACING_OF_ROWS, MARGIN_WITH_CARDS


def _kinds(machine: Machine, a: str, b: str) -> set[str]:
    return {machine.vertices[a].kind, machine.vertices[b].kind}


def _parents(machine: Machine) -> dict[str, list[str]]:
    """The vertices of the PCIe tree above each rank and card, the nearest first."""
    order = ("cpu", "root complex", "PCIe switch")
    neighbours = defaultdict(list)
    for cable in machine.cables:
        if machine.vertices[cable.a].node == machine.vertices[cable.b].node:
            neighbours[cable.a].append(cable.b)
            neighbours[cable.b].append(cable.a)
    parents: dict[str, list[str]] = {}
    for socket in [v.name for v in machine.vertices.values() if v.kind == "cpu"]:
        stack = [(socket, [socket])]
        while stack:
            at, above = stack.pop()
            for below in neighbours[at]:
                kind = machine.vertices[below].kind
                if below in above or kind == "cpu":
                    continue
                if kind in RANK_KINDS or kind == "NIC":
                    parents.setdefault(below, above)
                elif kind in order:
                    stack.append((below, [below, *above]))
    return parents


def _card_angles(cards: list[str], angles: dict[str, float], parents: dict[str, list[str]],
                 radius: float) -> dict[str, float]:
    """The angles of cards: next to the ranks that share the nearest part of the PCIe tree; cards
    without one are spread evenly."""
    wanted = {}
    for i, card in enumerate(cards):
        near = next((ranks for ranks in (
            [name for name in angles if above in parents.get(name, [])]
            for above in parents.get(card, [])) if ranks), [])
        wanted[card] = (sum(angles[name] for name in near) / len(near) if near
                        else 360 * i / len(cards))
    # Cards at equal angles are drawn side by side.
    spread: dict[str, float] = {}
    for angle in set(wanted.values()):
        equal = [card for card in cards if wanted[card] == angle]
        step = min(CARD_STEP / radius, 360 / len(equal))
        for i, card in enumerate(equal):
            spread[card] = angle + step * (i - (len(equal) - 1) / 2)
    return spread


def _groups(angles: dict[str, float], card_angles: list[float], parents: dict[str, list[str]],
            machine: Machine) -> list[Group]:
    """The arcs of a host: runs of two or more ranks below a switch, and of ranks of one of several
    sockets."""
    groups = []
    half = 150 / max(len(angles), 5)
    for depth, kind in ((0, "PCIe switch"), (1, "cpu")):
        above = {name: next((vertex for vertex in parents.get(name, [])
                             if machine.vertices[vertex].kind == kind), None) for name in angles}
        if depth == 1 and len(set(above.values())) < 2:
            continue
        names = list(angles)
        runs: list[list[str]] = []
        for name in names:
            if runs and above[runs[-1][-1]] == above[name]:
                runs[-1].append(name)
            else:
                runs.append([name])
        for run in runs:
            if above[run[0]] and (len(run) > 1 or depth == 1):
                begin, end = angles[run[0]] - half, angles[run[-1]] + half
                groups.append(Group(machine.vertices[above[run[0]]].local_name, begin, end, depth,
                                    _free_angle(begin, end, card_angles)))
    return groups


def _free_angle(begin: float, end: float, card_angles: list[float]) -> float:
    """The angle of an arc's name: the middle, or near an end if cards are nearer to the middle."""
    def room(angle: float) -> float:
        return min((abs((angle - card + 180) % 360 - 180) for card in card_angles), default=0.0)

    return max(((begin + end) / 2, begin + LABEL_INDENT, end - LABEL_INDENT), key=room)
