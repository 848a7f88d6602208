"""Predicted and measured iterations of the same trainings as pairs of bars, with the errors."""

from __future__ import annotations

from dataclasses import dataclass

from matplotlib.axes import Axes
from matplotlib.patches import Patch

from ringcast_analysis import bands, style
from ringcast_analysis.results import Result, ResultError
from ringcast_analysis.training import PARTS
from ringcast_analysis.training_row import TrainingRow
from ringcast_analysis.training_series import PARAMETERS, value_of, words_of
from ringcast_analysis.units import TIMES, prefix_for

# A measurement differs in three parameters: it has no transport file, and its noise is real.
STATED_BY_BOTH = tuple(p for p in ("ranks", *PARAMETERS)
                       if p not in ("transport", "jitter", "stragglers"))
MOST_PAIRS = 12
PLACES_OF_A_PAIR = 2.6  # two bars and the space to the next pair


@dataclass(frozen=True)
class TrainingPair:
    """The predicted and the measured row of a cell."""

    label: str
    predicted: TrainingRow
    measured: TrainingRow

    @property
    def rows(self) -> tuple[TrainingRow, TrainingRow]:
        return self.predicted, self.measured

    @property
    def error(self) -> float:
        return self.predicted.iteration_s / self.measured.iteration_s - 1


def pairs(predicted: Result, measured: Result) -> list[TrainingPair]:
    """The pairs in the order of the prediction. Raises ResultError if there is none."""
    partners: dict[tuple, TrainingRow] = {}
    for row in measured.training:
        if partners.setdefault(_key(row), row) is not row:
            raise ResultError(f"{measured.file}: two rows of {row.model} on {row.ranks} ranks with"
                              " the same parameters (expected each cell once)")
    both = [row for row in predicted.training if _key(row) in partners]
    if not both:
        raise ResultError(f"{predicted.file}, {measured.file}: no training in common (expected"
                          " equal models, ranks, batches, algorithms, buckets, overlap,"
                          " launch_ahead and weights)")
    differing = [parameter for parameter in STATED_BY_BOTH
                 if len({value_of(row, parameter) for row in predicted.training}) > 1]
    return [TrainingPair(", ".join(words_of(row, differing)) or row.model, row,
                         partners[_key(row)]) for row in both]


def alone(predicted: Result, measured: Result) -> list[str]:
    """The numbers of rows of either side without a partner, for the caption."""
    sides = {"predicted": (predicted, measured), "measured": (measured, predicted)}
    texts = []
    for name, (side, other) in sides.items():
        partners = {_key(row) for row in other.training}
        count = sum(_key(row) not in partners for row in side.training)
        if count:
            texts.append(f"{count} {name} {'row has' if count == 1 else 'rows have'} no partner")
    return texts


def height(shown: list[TrainingPair]) -> float:
    return 1.3 + 0.5 * len(shown)


def draw(axes: Axes, shown: list[TrainingPair]) -> None:
    """Draws each bar as compute, followed by exposed communication."""
    rows = [row for pair in shown for row in pair.rows]
    prefix = prefix_for([row.iteration_s for row in rows], TIMES)
    places = [PLACES_OF_A_PAIR * (index // 2) + index % 2 for index in range(len(rows))]
    compute = [row.compute_s / prefix.factor for row in rows]
    exposed = [row.exposed_communication_s / prefix.factor for row in rows]
    axes.barh(places, compute, height=0.85, zorder=2, **PARTS["compute"])
    axes.barh(places, exposed, left=compute, height=0.85, zorder=2,
              **PARTS["exposed communication"])
    bands.draw_on_bars(axes, list(zip(places, rows)), prefix.factor, 0.85)
    for place, row, pair in zip(places[1::2], rows[1::2], shown):
        spread = [[max(0.0, row.iteration_s - row.iteration_low_s) / prefix.factor],
                  [max(0.0, row.iteration_high_s - row.iteration_s) / prefix.factor]]
        axes.errorbar(row.iteration_s / prefix.factor, place, xerr=spread, color="black",
                      capsize=3, linewidth=1.0, zorder=3)
        axes.annotate(f"{100 * pair.error:+.1f} %",
                      (max(row.iteration_high_s, pair.predicted.longest_s) / prefix.factor,
                       place - 0.5), xytext=(6, 0), textcoords="offset points", va="center",
                      fontsize=8.5)
    axes.set_yticks(places, [text for pair in shown
                             for text in (f"{pair.label}: predicted", "measured")])
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.margins(x=0.12)
    axes.set_xlim(left=0)
    axes.set_xlabel(f"iteration ({prefix.unit}); beside the bars: predicted/measured − 1")
    handles = [Patch(label=name, **look) for name, look in PARTS.items()] + bands.legend(shown)
    axes.legend(handles=handles, loc="lower left", bbox_to_anchor=(0.0, 1.01), ncols=3,
                borderaxespad=0.0, fontsize=8.5)


def _key(row: TrainingRow) -> tuple:
    return tuple(value_of(row, parameter) for parameter in STATED_BY_BOTH)
