"""Rings on their machine: a panel for each ring, so that their arrows do not cross one another's.

Ranks are on a circle for each host, in the order of their numbers, around them arcs for PCIe
switches and sockets; NVLinks are grey lines, NICs squares with their numbers. Of more hosts
than fit, each is one point, and so is each rank where too many are on one host."""

from __future__ import annotations

import math
import textwrap
from typing import Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Arc, FancyArrowPatch

from ringcast_analysis import style
from ringcast_analysis.ring_file import Machine, Order, RingFile
from ringcast_analysis.ring_layout import (
    MARGIN,
    Host,
    Layout,
    Point,
    host_name,
    hosts_of,
    layout,
    point,
)
from ringcast_analysis.series import word
from ringcast_analysis.units import rate_text

MOST_PANELS = 12
MOST_HOSTS, MOST_RANKS_OF_HOST = 9, 16  # limits for drawing in detail
MOST_LABELS = 40
BENDS = (0.07, 0.05, 0.14)  # of arrows between cards, between a card and a rank, between ranks
GREY, FAINT = "#8c8c8c", "#d4d4d4"


def draw(comparison: RingFile) -> Figure:
    order, machine = comparison.best, comparison.machine
    ranks = len(order.rings[0])
    hosts = hosts_of(machine, ranks)
    detailed = (order.paths and len(hosts) <= MOST_HOSTS
                and max(len(host) for host in hosts) <= MOST_RANKS_OF_HOST)
    points = _points(machine, ranks)
    distinct = _distinct(order.rings if detailed
                         else [_visits(points, ring) for ring in order.rings])
    shown = distinct[:MOST_PANELS]
    columns = min(len(shown), 3 if len(hosts) == 1 else 2)
    rows = math.ceil(len(shown) / columns)
    places = layout(machine, ranks, _cards(machine, order)) if detailed else None
    panel = min(8.4 / columns, 4.8) * (places.height / places.width if places else 1.0) + 0.5
    figure = style.figure([comparison], _title(order), panel * rows + 0.9,
                          _notes(comparison, distinct))
    panels = list(figure.subplots(rows, columns, squeeze=False).flat)
    for unused in panels[len(shown):]:
        unused.set_visible(False)
    for i, (panel, (number, shares)) in enumerate(zip(panels, shown)):
        colour = style.COLOURS[i % len(style.COLOURS)]
        if places:
            _draw_ranks(panel, machine, places, order, number, colour)
        else:
            _draw_points(panel, machine, points, order.rings[number], colour)
        alike = "" if detailed or len(hosts) == 1 else ", with this order of nodes"
        name = (f"ring {number + 1} of {len(order.rings)}" if shares == 1
                else f"{shares} of {len(order.rings)} rings{alike}")
        panel.set_title(f"{name}\n{_sequence(order, number)}", fontsize=8.5, fontweight="bold")
        panel.set_aspect("equal")
        panel.axis("off")
    return figure


def _distinct(rings: Sequence[tuple]) -> list[tuple[int, int]]:
    """The index of each ring that is distinct up to rotation, and the number of its equals."""
    known: dict[tuple, list[int]] = {}
    for number, ring in enumerate(rings):
        begin = ring.index(min(ring))
        known.setdefault(ring[begin:] + ring[:begin], []).append(number)
    return [(numbers[0], len(numbers)) for numbers in known.values()]


def _title(order: Order) -> str:
    count = "1 ring" if len(order.rings) == 1 else f"{len(order.rings)} rings"
    how = "predicted" if order.predicted else "as the links allow"
    ranks = len(order.rings[0])
    rate = f", busbw {rate_text(order.busbw_bytes_per_s)} {how}" if ranks > 1 else ""
    return f"{word('ranks', ranks)}, {count}{rate}"


def _notes(comparison: RingFile, distinct: list) -> list[str]:
    order = comparison.best
    notes = [f"{order.name}: " + ("proved optimal" if order.proved_optimal
                                  else "the best of a search"),
             *_bound(comparison)]
    notes += [f"degraded: {change}" for change in comparison.changes]
    if len(distinct) > MOST_PANELS:
        notes.append(f"{MOST_PANELS} of {len(distinct)} rings are drawn")
    return notes


def _bound(comparison: RingFile) -> list[str]:
    if len(comparison.best.rings[0]) == 1:
        return []
    return [f"bound of all rings: {rate_text(comparison.ring_bound_bytes_per_s)}, "
            f"{comparison.ring_bound_reason}"]


def _sequence(order: Order, number: int) -> str:
    ring = order.rings[number]
    begin = ring.index(0)
    turned = ring[begin:] + ring[:begin]
    if len(turned) > 24:
        return ""
    return "\n".join(textwrap.wrap(" ".join(str(rank) for rank in turned), 44))


def _cards(machine: Machine, order: Order) -> set[str]:
    """The NICs that some ring uses."""
    return {name for ring_paths in order.paths for path in ring_paths for name in path
            if machine.vertices[name].kind == "NIC"}


def _draw_ranks(axes: Axes, machine: Machine, places: Layout, order: Order, number: int,
                colour: str) -> None:
    ring, paths = order.rings[number], order.paths[number]
    cards = _cards(machine, order)
    ranks = {name: rank for rank, name in enumerate(machine.ranks[:len(ring)])}
    _draw_machine(axes, machine, places, ranks)
    for rank, path in zip(ring, paths):
        after = ring[(ring.index(rank) + 1) % len(ring)]
        stops = [machine.ranks[rank], *(name for name in path if name in cards),
                 machine.ranks[after]]
        for i, (a, b) in enumerate(zip(stops, stops[1:])):
            bend = BENDS[sum(end in ranks for end in (a, b))]
            _arrow(axes, places.places[a], places.places[b], colour, bend,
                   9 if a in ranks else 6, 9 if b in ranks else 6)
    for name in cards:
        used = any(name in path for path in paths)
        axes.plot(*places.places[name], marker="s", markersize=9, zorder=4,
                  markerfacecolor="white", markeredgecolor=colour if used else GREY,
                  markeredgewidth=1.6 if used else 0.7)
        number = machine.vertices[name].local_name.removeprefix("nic")
        axes.text(*places.places[name], number, fontsize=6, ha="center", va="center_baseline",
                  color="black" if used else GREY, zorder=5)
    axes.set_xlim(-places.margin, places.width - places.margin)
    axes.set_ylim(places.margin - places.height, places.margin)


def _draw_machine(axes: Axes, machine: Machine, places: Layout, ranks: dict[str, int]) -> None:
    least = min((cable.bandwidth_bytes_per_s for cable in machine.cables
                 if cable.a in ranks and cable.b in ranks), default=1.0)
    for cable in machine.cables:
        if cable.a in ranks and cable.b in ranks:
            width = min(4.0, 1.3 * cable.bandwidth_bytes_per_s / least)
            axes.plot(*zip(places.places[cable.a], places.places[cable.b]), color=FAINT,
                      linewidth=width, zorder=1, solid_capstyle="butt")
    for host in places.hosts:
        for group in host.groups:
            # matplotlib counts anticlockwise from the right.
            axes.add_patch(Arc(host.centre, 2 * group.radius, 2 * group.radius,
                               theta1=90 - group.end, theta2=90 - group.begin, color=GREY,
                               linewidth=1.4 + group.depth))
            if group.depth == 1:
                axes.text(*point(host.centre, group.label, group.radius + 0.12), group.name,
                          fontsize=6, color="#555555", ha="center", va="center",
                          rotation=_upright(group.label), zorder=2)
        if host.switched:
            axes.text(*host.centre, "NVSwitch", fontsize=6.5, color=GREY, ha="center",
                      va="center", zorder=1)
        if len(places.hosts) > 1:
            _write_host_name(axes, host)
    for name, rank in ranks.items():
        axes.plot(*places.places[name], marker="o", markersize=14, markerfacecolor="white",
                  markeredgecolor="black", markeredgewidth=0.9, zorder=4)
        axes.text(*places.places[name], str(rank), fontsize=7.5, ha="center", va="center_baseline",
                  zorder=5)


def _write_host_name(axes: Axes, host: Host) -> None:
    """Writes a host's name below it, or opposite the card of a single rank, on top of arrows."""
    single = host.radius == 0
    axes.annotate(host.name, (host.centre[0], host.bottom),
                  xytext=(-8, -7) if single else (0, -11), textcoords="offset points",
                  ha="right" if single else "center", va="top", fontsize=7.5, zorder=6,
                  bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.6})


def _upright(degrees: float) -> float:
    """The rotation of a text along the circle that keeps it upright."""
    turned = -(degrees % 360)
    return turned + 180 if -270 < turned < -90 else turned


def _arrow(axes: Axes, a: Point, b: Point, colour: str, bend: float, shrink_a: float,
           shrink_b: float) -> None:
    axes.add_patch(FancyArrowPatch(a, b, arrowstyle="-|>", mutation_scale=9, color=colour,
                                   linewidth=1.7, shrinkA=shrink_a, shrinkB=shrink_b,
                                   connectionstyle=f"arc3,rad={bend}", zorder=3))


def _points(machine: Machine, ranks: int) -> list[str]:
    """The point of each rank: its host, or its own vertex if all ranks are on one host."""
    vertices = [machine.vertices[name] for name in machine.ranks[:ranks]]
    hosts = [host_name(vertex) for vertex in vertices]
    return hosts if len(set(hosts)) > 1 else [vertex.local_name for vertex in vertices]


def _visits(points: list[str], ring: tuple[int, ...]) -> tuple[str, ...]:
    """The points that a ring passes."""
    names = [points[rank] for rank in ring]
    return tuple(name for i, name in enumerate(names) if name != names[i - 1])


def _draw_points(axes: Axes, machine: Machine, points: list[str], ring: tuple[int, ...],
                 colour: str) -> None:
    """Places all points on one circle, hosts next to those of the same leaf switch."""
    leaves = _leaves(machine)
    known = list(dict.fromkeys(leaves.get(name, "") for name in points))
    names = sorted(dict.fromkeys(points), key=lambda name: known.index(leaves.get(name, "")))
    angles = {name: 360 * i / len(names) for i, name in enumerate(names)}
    stops = _visits(points, ring)
    size = max(2.0, min(8.0, 240 / len(names)))
    for a, b in zip(stops, stops[1:] + stops[:1]):
        _arrow(axes, point((0, 0), angles[a], 1), point((0, 0), angles[b], 1), colour,
               0.12, size / 2, size / 2)
    step = math.ceil(len(names) / MOST_LABELS)
    for i, name in enumerate(names):
        axes.plot(*point((0, 0), angles[name], 1), marker="o", markersize=size, color="black",
                  zorder=4)
        if i % step == 0 and i + step <= len(names):
            _write_along_radius(axes, name, angles[name], 1.15, outward=True)
    _draw_leaves(axes, names, angles, leaves)
    axes.set_xlim(-MARGIN, MARGIN)
    axes.set_ylim(-MARGIN, MARGIN)


def _leaves(machine: Machine) -> dict[str, str]:
    """The first switch that each host has a cable to."""
    leaves: dict[str, str] = {}
    for cable in machine.cables:
        a, b = machine.vertices[cable.a], machine.vertices[cable.b]
        if a.kind == "network switch":
            a, b = b, a
        if a.node is not None and b.kind == "network switch":
            leaves.setdefault(host_name(a), b.name)
    return leaves


def _draw_leaves(axes: Axes, names: list[str], angles: dict[str, float],
                 leaves: dict[str, str]) -> None:
    half = 160 / len(names)
    every = list(dict.fromkeys(leaves.get(name, "") for name in names))
    for leaf in every if 1 < len(every) <= MOST_LABELS else []:
        own = [angles[name] for name in names if leaves.get(name, "") == leaf]
        axes.add_patch(Arc((0, 0), 2.2, 2.2, theta1=90 - max(own) - half,
                           theta2=90 - min(own) + half, color=GREY, linewidth=2.0))
        _write_along_radius(axes, leaf, (min(own) + max(own)) / 2, 0.88, outward=False)


def _write_along_radius(axes: Axes, text: str, degrees: float, radius: float,
                        outward: bool) -> None:
    left = degrees > 180
    axes.text(*point((0, 0), degrees, radius), text, fontsize=7, va="center",
              ha="left" if outward != left else "right", color="black" if outward else "#555555",
              rotation=(270 if left else 90) - degrees, rotation_mode="anchor")
