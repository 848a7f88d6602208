"""A prediction as lines, the measurement as points, and the relative error below."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from matplotlib.axes import Axes
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from ringcast_analysis import bands, sizes, style
from ringcast_analysis.results import Result, ResultError, Row
from ringcast_analysis.series import Series, group, repeated, value_of, with_choices, wrapped
from ringcast_analysis.units import RATES, prefix_for, size_text

STATED_BY_BOTH = ("ranks", "size_bytes", "data_type", "reduction")
MAYBE_OPEN = ("algorithm", "ring_order", "channels")  # not stated by logs
NAMES = {"size_bytes": "sizes", "reduction": "operation"}  # in messages
MOST_VALUES = 4
LINES = ("-", (0, (6, 1.5)), (0, (1.5, 1.2)), (0, (6, 1.5, 1.5, 1.5)))


@dataclass(frozen=True)
class Pair:
    """A line of the prediction with the measured rows of its cells, by ascending size."""

    label: str
    predicted: tuple[Row, ...]
    measured: tuple[Row, ...]

    @property
    def rows(self) -> tuple[Row, ...]:
        return self.predicted + self.measured

    def errors(self) -> list[tuple[int, float]]:
        """(size, predicted/measured - 1) of the sizes that both have."""
        times = {row.size_bytes: row.time_s for row in self.predicted}
        return [(row.size_bytes, times[row.size_bytes] / row.time_s - 1) for row in self.measured
                if times.get(row.size_bytes) and row.time_s]


def sides(results: list[Result]) -> tuple[Result, Result]:
    """The prediction and the measurement, from results in any order."""
    predicted = [result for result in results if result.provenance.simulated]
    measured = [result for result in results if not result.provenance.simulated]
    if len(predicted) != 1 or len(measured) != 1:
        names = ", ".join(str(result.file) for result in results)
        raise ResultError(f"{names}: {len(predicted)} predicted and {len(measured)} measured"
                          " (expected one of each)")
    return predicted[0], measured[0]


def pairs(predicted: Result, measured: Result) -> list[Pair]:
    """The predicted lines that have measured rows, with these rows."""
    lines = group([predicted], "size_bytes")
    rows_of: list[list[Row]] = [[] for _ in lines]
    for row in measured.rows:
        fitting = [index for index, line in enumerate(lines) if _agree(line, row)]
        if len(fitting) > 1 and row.algorithm is not None:
            fitting = [index for index in fitting
                       if lines[index].rows[0].algorithm_chosen == row.algorithm_chosen] or fitting
        if len(fitting) > 1:
            _refuse_ambiguous(predicted, measured, *(lines[index] for index in fitting[:2]))
        for index in fitting:
            rows_of[index].append(row)
    found = [_pair(line, rows, measured) for line, rows in zip(lines, rows_of)]
    found = [pair for pair in found if pair.errors()]  # not one rank, which has no bandwidth
    if not found:
        raise ResultError(f"{predicted.file}, {measured.file}: no cell in common:"
                          f" {_differences(predicted, measured)} (expected equal ranks, sizes, data"
                          " types, operations, algorithms, ring orders and channels;"
                          " --kind size draws both)")
    return found


def draw(upper: Axes, lower: Axes, shown: list[Pair]) -> None:
    """Draws bus bandwidths on `upper`, errors on `lower`."""
    rows = [row for pair in shown for row in pair.rows]
    prefix = prefix_for([row.busbw_bytes_per_s for row in rows], RATES)
    for index, pair in enumerate(shown):
        line = _points(pair.predicted, prefix.factor)
        upper.plot(*line, **_line(index), marker="_" if len(line[0]) == 1 else None,
                   markersize=14)
        upper.plot(*_points(pair.measured, prefix.factor), **_mark(index))
        errors = pair.errors()
        bands.draw(upper, pair.predicted, "size_bytes",
                   lambda row, time_s: row.busbw_in(time_s) / prefix.factor, _line(index)["color"])
        bands.draw(lower, pair.predicted, "size_bytes",
                   lambda row, time_s: 100 * (row.time_s / time_s - 1), _line(index)["color"])
        lower.plot([size for size, _ in errors], [100 * error for _, error in errors],
                   **{**_mark(index), "linestyle": ":", "linewidth": 0.8})
    lower.axhline(0, color="#444444", linewidth=0.9, zorder=2)
    ticks = sizes.ticks(sorted({row.size_bytes for row in rows if row.busbw_bytes_per_s}))
    for axes in (upper, lower):
        axes.set_xscale("log", base=2)
        axes.minorticks_off()
        axes.set_xticks(ticks, [size_text(size) for size in ticks], rotation=30, ha="right",
                        rotation_mode="anchor")
    lower.sharex(upper)
    upper.tick_params(labelbottom=False)
    upper.set_ylim(bottom=0)
    upper.set_ylabel(f"bus bandwidth ({prefix.unit})")
    lower.set_ylabel("error of the time (%)")
    lower.set_xlabel("size of the buffer")
    upper.legend(handles=_legend(shown), **style.BESIDE, handlelength=3.2)


def legend_height(shown: list[Pair]) -> float:
    return style.legend_height([handle.get_label() for handle in _legend(shown)])


def _pair(line: Series, rows: list[Row], measured: Result) -> Pair:
    chosen = line.rows[0].algorithm_chosen
    alike = {row.size_bytes for row in rows if row.algorithm_chosen == chosen}
    kept = [row for row in rows if row.algorithm_chosen == chosen or row.size_bytes not in alike]
    _refuse_repeated(measured, kept)
    return Pair(_label(line), line.rows, tuple(sorted(kept, key=lambda row: row.size_bytes)))


def _agree(line: Series, measured: Row) -> bool:
    """Whether the row can belong to the line: their parameters except the size agree."""
    predicted = next((row for row in line.rows if row.size_bytes == measured.size_bytes),
                     line.rows[0])
    fixed = [key for key in STATED_BY_BOTH if key != "size_bytes"]
    return (all(getattr(predicted, key) == getattr(measured, key) for key in fixed) and
            all(_fits(predicted, measured, key) for key in MAYBE_OPEN))


def _fits(predicted: Row, measured: Row, key: str) -> bool:
    """Whether the values agree, as for `ringcast compare`: a value that is not stated agrees with
    any, and a chosen one with another chosen one."""
    values = [getattr(row, key) for row in (predicted, measured)]
    both_chosen = all(getattr(row, f"{key}_chosen", False) for row in (predicted, measured))
    return both_chosen or None in values or values[0] == values[1]


def _differences(predicted: Result, measured: Result) -> str:
    """`algorithm tree against ring`: the parameters of which the two share no value."""
    texts = []
    for key in STATED_BY_BOTH + MAYBE_OPEN:
        left, right = ({getattr(row, key) for row in side.rows} for side in (predicted, measured))
        if None not in left | right and not left & right:
            one, other = (_some_of(key, values) for values in (left, right))
            texts.append(f"{NAMES.get(key, key.replace('_', ' '))} {one} against {other}")
    return "; ".join(texts) or "each parameter has a value in common, but no cell has all"


def _some_of(key: str, values: set[Any]) -> str:
    """`8 B, 1 MiB, ...`: the first values, in order."""
    text = size_text if key == "size_bytes" else str
    first = [text(value) for value in sorted(values)[:MOST_VALUES]]
    return ", ".join(first + (["..."] if len(values) > MOST_VALUES else []))


def _refuse_ambiguous(predicted: Result, measured: Result, one: Series, other: Series) -> None:
    differing = [key for key in (*MAYBE_OPEN, "transport", "segment_bytes")
                 if value_of(one.rows[0], key) != value_of(other.rows[0], key)]
    raise ResultError(f"{predicted.file}: rows that differ in {' and '.join(differing)}, which"
                      f" {measured.file} does not state (expected one of them)")


def _refuse_repeated(measured: Result, rows: list[Row]) -> None:
    for size in repeated(rows, "size_bytes"):
        raise ResultError(f"{measured.file}: several rows of {rows[0].ranks} ranks,"
                          f" {size_text(size)} fit one prediction (expected one)")


def _label(line: Series) -> str:
    ranks = line.rows[0].ranks
    words = f"{ranks} rank{'' if ranks == 1 else 's'}"
    return words if line.label.startswith("predicted") or line.label == words \
        else f"{words}, {line.label.removeprefix(words).lstrip(', ')}"


def _points(rows: tuple[Row, ...], factor: float) -> tuple[list[int], list[float]]:
    used = [row for row in rows if row.busbw_bytes_per_s > 0]
    return ([row.size_bytes for row in used], [row.busbw_bytes_per_s / factor for row in used])


def _line(index: int) -> dict:
    return {"color": style.COLOURS[index % len(style.COLOURS)],
            "linestyle": LINES[index % len(LINES)], "linewidth": 1.6, "zorder": 2.4,
            "clip_on": False}


def _mark(index: int) -> dict:
    return {"color": style.COLOURS[index % len(style.COLOURS)],
            "marker": style.MARKERS[index % len(style.MARKERS)], "markersize": 5.5,
            "markerfacecolor": "white", "linestyle": "none", "zorder": 2.5, "clip_on": False}


def _legend(shown: list[Pair]) -> list[Line2D | Patch]:
    handles: list[Line2D | Patch] = []
    for index, pair in enumerate(shown):
        label = with_choices(f"{pair.label}, predicted", pair.predicted, "size_bytes")
        handles.append(Line2D([], [], label=label, **_line(index)))
        handles.append(Line2D([], [], label=wrapped(f"{pair.label}, measured"), **_mark(index)))
    return handles + bands.legend(shown)
