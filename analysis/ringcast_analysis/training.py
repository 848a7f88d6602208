"""Training against the number of GPUs: speed-up, and where the time of an iteration goes."""

from __future__ import annotations

import textwrap

from matplotlib.axes import Axes
from matplotlib.patches import Patch

from ringcast_analysis import style
from ringcast_analysis.scaling import set_rank_ticks
from ringcast_analysis.training_series import TrainingSeries
from ringcast_analysis.units import TIMES, prefix_for

IDEAL_LABEL = "ideal: as many times as GPUs"
MOST_PANELS = 4
ROOM_ABOVE = 1.06  # the longest bar
TITLE_WIDTH = 40  # characters: two panels lie side by side
# Light and plain, dark and hatched: they differ without colour.
PARTS = {
    "compute": {"facecolor": "#56B4E9", "hatch": "", "edgecolor": "black", "linewidth": 0.6},
    "exposed communication": {"facecolor": "#D55E00", "hatch": "////", "edgecolor": "black",
                              "linewidth": 0.6},
}


def draw_speedups(axes: Axes, series: list[TrainingSeries]) -> None:
    for index, line in enumerate(series):
        axes.errorbar([row.ranks for row in line.rows], [row.speedup for row in line.rows],
                      yerr=_band(line), capsize=3, label=line.label,
                      **style.Mark(index, line.simulated).options)
    ranks = sorted({row.ranks for line in series for row in line.rows})
    if len(ranks) > 1:  # else there is nothing to draw it between
        axes.plot([ranks[0], ranks[-1]], [ranks[0], ranks[-1]], label=IDEAL_LABEL, **style.IDEAL)
    set_rank_ticks(axes, ranks)
    # A straight line stays the ideal, also where the axis of the GPUs is logarithmic.
    if axes.get_xscale() == "log":
        axes.set_yscale("log", base=2)
        axes.minorticks_off()
        axes.set_yticks(axes.get_xticks(), [f"{tick:g}" for tick in axes.get_xticks()])
    else:
        axes.set_ylim(bottom=0)
    axes.set_xlabel("GPUs")
    axes.set_ylabel("speed-up over one GPU")
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
        axes.set_xticks(places, [str(row.ranks) for row in line.rows])
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
    """Down and up from each speed-up to those of the slowest and fastest iterations."""
    if all(row.iteration_low_s == row.iteration_high_s for row in line.rows):
        return None
    down = [row.speedup * max(0.0, 1 - row.iteration_s / row.iteration_high_s)
            for row in line.rows]
    up = [row.speedup * max(0.0, row.iteration_s / row.iteration_low_s - 1) for row in line.rows]
    return [down, up]
