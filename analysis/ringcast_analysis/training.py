"""Training against the number of GPUs: efficiency, and the parts of an iteration's time."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.patches import Patch

from ringcast_analysis import bands, sizes, style
from ringcast_analysis.scaling import set_rank_ticks
from ringcast_analysis.series import LEGEND_WIDTH, filled
from ringcast_analysis.training_row import TrainingRow
from ringcast_analysis.training_series import TrainingSeries
from ringcast_analysis.units import TIMES, prefix_for

MOST_PANELS = 6
MOST_DIGITS = 64  # of the labels below bars, across the figure
MOST_TURNED = 32  # labels below bars that are turned, across the figure
ROOM_ABOVE = 1.06  # of the axis, relative to the longest bar
TITLE_WIDTH = 40  # characters: two panels lie side by side
# Light and plain, dark and hatched: they differ without colour.
PARTS = {
    "compute": {"facecolor": "#56B4E9", "hatch": "", "edgecolor": "black", "linewidth": 0.6},
    "exposed communication": {"facecolor": "#D55E00", "hatch": "////", "edgecolor": "black",
                              "linewidth": 0.6},
}


def draw_efficiencies(axes: Axes, series: list[TrainingSeries], targets: list[float]) -> None:
    for line, mark in zip(series, _marks(series)):
        axes.errorbar([row.ranks for row in line.rows],
                      [100 * row.efficiency for row in line.rows], yerr=_spread(line), capsize=3,
                      label=filled(line.label, LEGEND_WIDTH), **mark.options)
        bands.draw(axes, line.rows, "ranks",
                   lambda row, time_s: 100 * row.efficiency * row.iteration_s / time_s,
                   mark.options["color"])
    for target in targets:
        axes.axhline(100 * target, label=f"target: {100 * target:g} %", **style.LIMIT)
    set_rank_ticks(axes, sorted({row.ranks for line in series for row in line.rows}))
    axes.set_ylim(0, max(105, axes.get_ylim()[1]))
    axes.set_xlabel("GPUs")
    axes.set_ylabel("efficiency: speed-up / GPUs (%)")
    style.legend_beside(axes, bands.legend(series))


def legend_height(series: list[TrainingSeries], targets: list[float]) -> float:
    return style.legend_height([filled(line.label, LEGEND_WIDTH) for line in series],
                               len(targets) + len(bands.legend(series)))


def align(efficiencies: Axes, parts: Axes, line: TrainingSeries) -> None:
    """Aligns the points of a single line with its bars if the distances of both are equal."""
    ranks = [row.ranks for row in line.rows]
    steps = {after - before for before, after in zip(ranks, ranks[1:])}
    if len(steps) == 1:
        step = steps.pop()
        efficiencies.set_xlim(*(ranks[0] + place * step for place in parts.get_xlim()))


def _marks(series: list[TrainingSeries]) -> list[style.Mark]:
    """Lines that differ in overlap only share a colour, unless all lines do."""
    pairs = list(dict.fromkeys(line.pair for line in series))
    both = len({line.overlap for line in series}) > 1
    return [style.Mark(pairs.index(line.pair) if len(pairs) > 1 else index, line.simulated,
                       second=both and not line.overlap) for index, line in enumerate(series)]


def draw_parts(panels: list[Axes], series: list[TrainingSeries]) -> None:
    """A panel for each series: an iteration's compute and, on top, exposed communication."""
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
        shown = sizes.ticks(list(places), MOST_TURNED // min(len(series), 2))
        axes.set_xticks(shown, [labels[place] for place in shown], rotation=90 if crowded else 0)
        margin = max(0.6, 2 - len(labels) / 2)  # one bar would fill the panel
        axes.set_xlim(-margin, len(labels) - 1 + margin)
        axes.grid(axis="x", visible=False)
        if len(series) > 1:
            axes.set_title(filled(line.label, TITLE_WIDTH), loc="left", fontsize=9)
        axes.set_xlabel("GPUs")
        axes.set_ylabel(f"iteration ({prefix.unit})")
        axes.set_ylim(0, ROOM_ABOVE * _longest(series, line.rows[0]) / prefix.factor)
    handles = [Patch(label=name, **look) for name, look in PARTS.items()]
    panels[min(len(series), 2) - 1].legend(handles=handles, **style.BESIDE, handlelength=2.0)


def _longest(series: list[TrainingSeries], like: TrainingRow) -> float:
    """The longest bar of a model and a scaling: panels of both have the same axis."""
    return max(row.iteration_s for line in series for row in line.rows
               if (row.model, row.scaling) == (like.model, like.scaling))


def _spread(line: TrainingSeries) -> list[list[float]] | None:
    """The distances from each efficiency to those of the slowest and fastest iterations."""
    if all(row.iteration_low_s == row.iteration_high_s for row in line.rows):
        return None
    down = [100 * row.efficiency * max(0.0, 1 - row.iteration_s / row.iteration_high_s)
            for row in line.rows]
    up = [100 * row.efficiency * max(0.0, row.iteration_s / row.iteration_low_s - 1)
          for row in line.rows]
    return [down, up]
