"""The bands of `ringcast predict --band`: where published machines of the same kind would lie."""

from __future__ import annotations

from typing import Any, Callable, Sequence

from matplotlib.axes import Axes
from matplotlib.patches import Patch

LABEL = "band of published machines"
COLOUR = "#444444"
LOOK = {"alpha": 0.15, "linewidth": 0.8}
WIDE = {"alpha": 0.15, "linewidth": 5.0}  # the edges are all of a band of a single point


def draw(axes: Axes, rows: Sequence[Any], x: str, value: Callable[[Any, float], float],
         colour: str) -> None:
    """Shades between the values of each row at the shortest and the longest time of its band. In
    older files, that of one rank is 0 to 0 s."""
    shown = [row for row in rows if row.band and 0 < row.band[0].low_s <= row.band[0].high_s]
    if shown:
        axes.fill_between([getattr(row, x) for row in shown],
                          [value(row, row.band[0].low_s) for row in shown],
                          [value(row, row.band[0].high_s) for row in shown], color=colour,
                          **(LOOK if len(shown) > 1 else WIDE))


def draw_on_bars(axes: Axes, bars: list[tuple[float, Any]], factor: float, height: float) -> None:
    """Shades the bands of rows, each at a place, over horizontal bars of time."""
    shown = [(place, row.band[0]) for place, row in bars if row.band]
    axes.barh([place for place, _ in shown],
              [(band.high_s - band.low_s) / factor for _, band in shown],
              left=[band.low_s / factor for _, band in shown], height=height, color=COLOUR,
              zorder=3, **LOOK)


def legend(series: Sequence[Any]) -> list[Patch]:
    """The entry of a legend, if any row of the series has a band."""
    shown = any(row.band for line in series for row in line.rows)
    return [Patch(color=COLOUR, label=LABEL, **LOOK)] if shown else []
