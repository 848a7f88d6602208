"""Reference lines: the lower bound of the links, and perfect scaling."""

from __future__ import annotations

from typing import Any

from matplotlib.axes import Axes

from ringcast_analysis import style
from ringcast_analysis.series import Series, wrapped

LIMIT_LABEL = "limit of the links, sums on the ranks"
IDEAL_LABEL = "ideal: bus bandwidth kept"

Points = list[tuple[int, float]]


def limit_label(series: list[Series]) -> str:
    """In-switch rows have another limit, which may be above that of sums on the ranks."""
    switches = any(row.algorithm == "in-switch" for line in series for row in line.rows)
    text = f"{LIMIT_LABEL}; in-switch rows: sums in the switches" if switches else LIMIT_LABEL
    return wrapped(text)


def draw_limits(axes: Axes, lines: list[Points], label: str) -> int:
    """Each distinct line once, in its series' colour where there are several; their number."""
    distinct: dict[int, Points] = {}
    for index, line in enumerate(lines):
        if line and not any(_same(line, other) for other in distinct.values()):
            distinct[index] = line
    for index, line in distinct.items():
        look: dict[str, Any] = dict(style.LIMIT)
        if len(distinct) > 1:
            look["color"] = style.COLOURS[index]
        if len(line) == 1:
            look["marker"] = "_"
        axes.plot([x for x, _ in line], [y for _, y in line], **look)
    if distinct:
        axes.plot([], [], label=label, **style.LIMIT)
    return len(distinct)


def draw_ideal(axes: Axes, line: Points, label: str) -> None:
    if len(line) > 1:
        axes.plot([x for x, _ in line], [y for _, y in line], label=label, **style.IDEAL)


def ideal_label(ideal: Series, series: list[Series]) -> str:
    """The label of perfect scaling; with several series it names the one that is the reference."""
    if len(series) == 1:
        return IDEAL_LABEL
    return wrapped(f"ideal: bus bandwidth of {ideal.label} kept")


def ideal_of(series: list[Series]) -> Series | None:
    """The series whose first bus bandwidth is the ideal for all; None if the sizes differ."""
    starts = [(rows[0].busbw_bytes_per_s, line) for line in series if (rows := line.with_bus())]
    if not starts or len({line.rows[0].size_bytes for line in series}) > 1:
        return None
    return max(starts, key=lambda start: start[0])[1]


def _same(line: Points, other: Points) -> bool:
    """Whether two lines are within 1 % of each other, so that one is enough."""
    known = dict(other)
    return all(x in known and abs(known[x] - y) <= 0.01 * y for x, y in line)
