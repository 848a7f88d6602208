"""One iteration of one rank: its computations and the concurrent all-reduces."""

from __future__ import annotations

from matplotlib.axes import Axes
from matplotlib.patches import Patch

from ringcast_analysis import style
from ringcast_analysis.results import Result
from ringcast_analysis.training_row import Span, TrainingRow
from ringcast_analysis.units import TIMES, prefix_for

LANES = {"compute": 1, "communication": 0}
# By the first word of a span's name, from light and plain to dark and hatched.
LOOKS = {
    "forward": {"facecolor": "#CDE9F7", "hatch": ""},
    "backward": {"facecolor": "#56B4E9", "hatch": "\\\\\\\\"},
    "all-reduce": {"facecolor": "#D55E00", "hatch": "////"},
    "weights": {"facecolor": "#F0E442", "hatch": "xxxx"},
    "other": {"facecolor": "#999999", "hatch": "...."},
}
EDGE = {"edgecolor": "black", "linewidth": 0.4}
NARROW = 0.002  # of the axes' width: a black outline would cover the colour
LETTER = 0.011  # of the axes' width, for a letter of a span's name


def row_with_timeline(results: list[Result]) -> TrainingRow | None:
    """The first of the rows with a timeline that have the most GPUs."""
    return max(_rows_with_timelines(results), key=lambda row: row.ranks, default=None)


def notes(results: list[Result]) -> list[str]:
    count = len(_rows_with_timelines(results))
    return [f"one of {count} timelines is drawn, the first of the most GPUs"] if count > 1 else []


def _rows_with_timelines(results: list[Result]) -> list[TrainingRow]:
    return [row for result in results for row in result.training if row.timeline]


def kind_of(span: Span) -> str:
    word = span.name.split()[0] if span.name.split() else ""
    if span.lane == "communication":
        return "weights" if word == "weights" else "all-reduce"
    return word if word in ("forward", "backward") else "other"


def draw(axes: Axes, row: TrainingRow) -> None:
    end = max(span.end_s for span in row.timeline)
    prefix = prefix_for([end], TIMES)
    for span in row.timeline:
        begin, length = span.begin_s / prefix.factor, (span.end_s - span.begin_s) / prefix.factor
        axes.barh(LANES[span.lane], length, left=begin, height=0.62, zorder=2,
                  **_look(span, end))
        _write_name(axes, span, end, prefix.factor)
    axes.set_xlim(0, end / prefix.factor)
    axes.set_ylim(-0.6, 1.6)
    axes.set_yticks(list(LANES.values()), list(LANES))
    axes.grid(axis="y", visible=False)
    axes.set_xlabel(f"time since the iteration began ({prefix.unit})")
    overlap = "overlap" if row.overlap else "no overlap"
    gpus = "1 GPU" if row.ranks == 1 else f"{row.ranks} GPUs"
    axes.set_title(f"one rank's iteration, {row.model} on {gpus}, {row.algorithm}, {overlap}",
                   loc="left")
    kinds = [kind for kind in LOOKS if any(kind_of(span) == kind for span in row.timeline)]
    axes.legend(handles=[Patch(label=kind, **LOOKS[kind], **EDGE) for kind in kinds],
                **style.BESIDE, handlelength=2.0)


def _look(span: Span, end: float) -> dict:
    """The style of a span. The outline and the hatch of a narrow bar have its colour."""
    look = {**LOOKS[kind_of(span)], **EDGE}
    narrow = span.end_s - span.begin_s < NARROW * end
    return {**look, "edgecolor": look["facecolor"]} if narrow else look


def _write_name(axes: Axes, span: Span, end: float, factor: float) -> None:
    """Writes the name of a span if there is room."""
    words = span.name.split()
    passes = words[:1] in (["forward"], ["backward"]) and len(words) > 1  # their colour says it
    name = " ".join(words[1:]) if passes else span.name
    if (span.end_s - span.begin_s) / end < LETTER * len(name) + 0.01:
        return
    axes.text((span.begin_s + span.end_s) / 2 / factor, LANES[span.lane], name, ha="center",
              va="center", fontsize=7, zorder=3, clip_on=True,
              bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.8, "alpha": 0.85})
