"""Predicted against measured times of published sets, and the errors below."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass, replace

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ringcast_analysis import style
from ringcast_analysis.results import Result, ValidationRow
from ringcast_analysis.series import source_names

# More markers than colours, as there may be many sets. No X, which looks like the cross of a row
# that is not judged. The star is last, as it is thin.
MARKERS = ("o", "s", "^", "D", "v", "P", "<", ">", "p", "h", "d", "*")
BAND = 0.15
SMALLEST_RANGE = 0.2
LARGEST_BELOW = 1.1  # of the errors shown: no prediction is shorter than 0
LABEL_WIDTH = 30
# With more sets, only the worst have a style and a name of their own.
MOST_NAMED = len(MARKERS)
WORST_NAMED = 8


@dataclass(frozen=True)
class Points:
    """The rows of one set in a style of its own, or of several sets, without an index, in grey."""

    label: str
    index: int | None
    rows: tuple[ValidationRow, ...]

    @property
    def colour(self) -> str:
        return "#9a9a9a" if self.index is None else style.COLOURS[self.index % len(style.COLOURS)]

    @property
    def marker(self) -> str:
        return "o" if self.index is None else MARKERS[self.index % len(MARKERS)]

    @property
    def mean_error(self) -> float:
        """The mean absolute error of the judged rows."""
        errors = [abs(row.relative_error) for row in self.rows if row.judged]
        return sum(errors) / len(errors) if errors else 0.0


def points_of(results: list[Result]) -> list[Points]:
    """All sets of all files, in order; if there are many, all but the worst are merged."""
    points: list[Points] = []
    for result, name in zip(results, source_names(results)):
        for label in dict.fromkeys(row.set for row in result.validation):
            rows = tuple(row for row in result.validation if row.set == label)
            words = f"{label}, {name}" if len(results) > 1 else label
            points.append(Points(words, len(points), rows))
    return points if len(points) <= MOST_NAMED else _worst(points)


def _worst(points: list[Points]) -> list[Points]:
    worst = sorted(points, key=lambda each: -each.mean_error)[:WORST_NAMED]
    named = [each for each in points if each in worst]
    others = [each for each in points if each not in worst]
    rows = tuple(row for each in others for row in each.rows)
    return [Points(f"{len(others)} other sets, with smaller errors on average", None, rows),
            *(replace(each, index=index) for index, each in enumerate(named))]


def error_range(points: list[Points]) -> float:
    """The limit of the error axis: shows all judged and fitted rows."""
    errors = [abs(row.relative_error) for each in points for row in each.rows
              if row.judged or row.fitted]
    return 1.1 * max([SMALLEST_RANGE, *errors])


def beyond(points: list[Points]) -> int:
    """The number of rows outside of the error axis."""
    most = error_range(points)
    return sum(abs(row.relative_error) > most for each in points for row in each.rows)


def draw(upper: Axes, lower: Axes, points: list[Points]) -> None:
    """Draws times on `upper`, errors on `lower`, both over the measured times."""
    times = [time for each in points for row in each.rows
             for time in (row.measured_s, row.predicted_s)]
    ends = [min(times) / 1.4, max(times) * 1.4]
    upper.fill_between(ends, [end * (1 - BAND) for end in ends], [end * (1 + BAND) for end in ends],
                       color="#e4e4e4", zorder=1)
    upper.plot(ends, ends, color="#444444", linewidth=1.0, zorder=1.5)
    lower.axhspan(-100 * BAND, 100 * BAND, color="#e4e4e4", zorder=1)
    lower.axhline(0, color="#444444", linewidth=1.0, zorder=1.5)
    for each in points:
        for rows, look in _looks(each):
            measured = [row.measured_s for row in rows]
            upper.plot(measured, [row.predicted_s for row in rows], linestyle="", **look)
            lower.plot(measured, [100 * row.relative_error for row in rows], linestyle="", **look)
    _scale(upper, lower, ends, error_range(points))
    upper.legend(handles=_handles(points), **style.BESIDE)


def _looks(points: Points) -> list[tuple[list[ValidationRow], dict]]:
    """Draws rows of one style. A white edge separates filled marks that overlap."""
    colour, marker = points.colour, points.marker
    filled = {"color": colour, "marker": marker, "markersize": 6, "markeredgecolor": "white",
              "markeredgewidth": 0.4, "zorder": 2.5}
    hollow = {"color": colour, "marker": marker, "markersize": 5.5, "markerfacecolor": "white",
              "zorder": 2.6}
    cross = {"color": colour, "marker": "x", "markersize": 3.2, "markeredgewidth": 0.8,
             "zorder": 2.2}
    groups = [([row for row in points.rows if row.judged], filled),
              ([row for row in points.rows if row.fitted], hollow),
              ([row for row in points.rows if not row.judged and not row.fitted], cross)]
    return [(rows, look) for rows, look in groups if rows]


def _scale(upper: Axes, lower: Axes, ends: list[float], most: float) -> None:
    upper.set_xscale("log")
    upper.set_yscale("log")
    upper.set_xlim(ends)
    upper.set_ylim(ends)
    for axis in (upper.xaxis, upper.yaxis):
        style.label_times(axis)
    lower.set_ylim(-100 * min(most, LARGEST_BELOW), 100 * most)
    upper.set_ylabel("predicted time")
    lower.set_xlabel("measured time")
    lower.set_ylabel("error of the prediction (%)")


def _handles(points: list[Points]) -> list[Line2D | Patch]:
    def entry(label: str, **look) -> Line2D:
        return Line2D([], [], label=textwrap.fill(label, LABEL_WIDTH), linestyle="", **look)

    handles: list[Line2D | Patch] = [
        entry(each.label, color=each.colour, marker=each.marker, markersize=5.5)
        for each in points]
    rows = [row for each in points for row in each.rows]
    if any(row.fitted for row in rows):
        handles.append(entry("fitted", color="#444444", marker="o", markerfacecolor="white"))
    if any(not row.judged and not row.fitted for row in rows):
        handles.append(entry("not judged", color="#444444", marker="x", markersize=3.2))
    handles.append(Line2D([], [], color="#444444", linewidth=1.0, label="as measured"))
    handles.append(Patch(color="#e4e4e4", label=f"within {100 * BAND:.0f} %"))
    return handles
