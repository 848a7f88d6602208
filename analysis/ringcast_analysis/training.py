"""Training against the number of GPUs: efficiency, and where the time of an iteration goes."""

from __future__ import annotations

import textwrap

from matplotlib.axes import Axes
from matplotlib.patches import Patch

from ringcast_analysis import style
from ringcast_analysis.scaling import set_rank_ticks
from ringcast_analysis.training_series import TrainingSeries
from ringcast_analysis.units import TIMES, prefix_for

MOST_PANELS = 4
MOST_DIGITS = 64  # of the labels below bars, across the figure
ROOM_ABOVE = 1.06  # the longest bar
TITLE_WIDTH = 40  # characters: two panels lie side by side
# Light and plain, dark and hatched: they differ without colour.
PARTS = {
    "compute": {"facecolor": "#56B4E9", "hatch": "", "edgecolor": "black", "linewidth": 0.6},
    "exposed communication": {"facecolor": "#D55E00", "hatch": "////", "edgecolor": "black",
                              "linewidth": 0.6},
}


def draw_efficiencies(axes: Axes, series: list[TrainingSeries]) -> None:
    for index, line in enumerate(series):
        axes.errorbar([row.ranks for row in line.rows],
                      [100 * row.efficiency for row in line.rows], yerr=_band(line), capsize=3,
                      label=line.label, **style.Mark(index, line.simulated).options)
    set_rank_ticks(axes, sorted({row.ranks for line in series for row in line.rows}))
    axes.set_ylim(0, max(105, axes.get_ylim()[1]))
    axes.set_xlabel("GPUs")
    axes.set_ylabel("efficiency: speed-up / GPUs (%)")
    style.legend_beside(axes)


def draw_parts(panels: list[Axes], series: list[TrainingSeries]) -> None:
    """A panel for each series: an iteration's compute and, on top, what it waits for."""
    prefix = prefix_for([row.iteration_s for line in series for row in line.rows], TIMES)
    for axes, line in zip(panels, series):
        places = range(len(line.rows))
        compute = [row.compute_s / prefix.factor for row in line.rows]
        exposed = [row.exposed_communication_s / prefix.factor for row in line.rows]
        axes.bar(places, compute, width=0.7, zorder=2, **PARTS["compute"])
        axes.bar(places, exposed, width=0.7, bottom=compute, zorder=2,
                 **PARTS["exposed communication"])
        labels = [str(row.ranks) for row in line.rows]
        crowded = len(labels) * (1 + max(map(len, labels))) > MOST_DIGITS / min(len(series), 2)
        axes.set_xticks(places, labels, rotation=90 if crowded else 0)
        margin = max(0.6, 2 - len(labels) / 2)  # one bar would fill the panel
        axes.set_xlim(-margin, len(labels) - 1 + margin)
        axes.grid(axis="x", visible=False)
        if len(series) > 1:
            axes.set_title(textwrap.fill(line.label, TITLE_WIDTH), loc="left", fontsize=9)
        axes.set_xlabel("GPUs")
        axes.set_ylabel(f"iteration ({prefix.unit})")
        axes.set_ylim(0, ROOM_ABOVE * _longest(series, line.rows[0].scaling) / prefix.factor)
    handles = [Patch(label=name, **look) for name, look in PARTS.items()]
    panels[min(len(series), 2) - 1].legend(handles=handles, **style.BESIDE, handlelength=2.0)


def _longest(series: list[TrainingSeries], scaling: str) -> float:
    """Bars of the same scaling can be held against each other from panel to panel."""
    return max(row.iteration_s for line in series for row in line.rows if row.scaling == scaling)


def _band(line: TrainingSeries) -> list[list[float]] | None:
    """Down and up from each efficiency to those of the slowest and fastest iterations."""
    if all(row.iteration_low_s == row.iteration_high_s for row in line.rows):
        return None
    down = [100 * row.efficiency * max(0.0, 1 - row.iteration_s / row.iteration_high_s)
            for row in line.rows]
    up = [100 * row.efficiency * max(0.0, row.iteration_s / row.iteration_low_s - 1)
          for row in line.rows]
    return [down, up]
