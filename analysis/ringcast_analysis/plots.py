"""From results to a figure: chooses what to draw and puts the panels together."""

from __future__ import annotations

from matplotlib.figure import Figure

from ringcast_analysis import (
    bands,
    bars,
    comparison,
    links,
    ring_picture,
    scaling,
    sizes,
    style,
    timeline,
    training,
    training_comparison,
    validation,
)
from ringcast_analysis.results import Result, ResultError, Row
from ringcast_analysis.ring_file import RingFile
from ringcast_analysis.series import (
    Series,
    evenly,
    fastest,
    group,
    machine_names,
    varying,
    with_choices,
    word,
)
from ringcast_analysis.training_series import evenly_paired, training_series

# Rows of these kinds of plot, and what has them; all other kinds draw all-reduces.
TRAINING = ("training", "predict or measure wrote for a scenario with a training part")
ROWS = {"validation": ("validation", "validate wrote"), "training": TRAINING,
        "training-comparison": TRAINING, "timeline": TRAINING}

MOST_NAMED = 4  # series that are left out, in the caption


def draw(results: list[Result], kind: str = "auto") -> Figure:
    """One figure of all results; several results share the axes."""
    for result in results:
        if not result.rows and not result.validation and not result.training:
            raise ResultError(f"{result.file}: no rows (expected one or more to draw)")
    _refuse_same_file(results)
    with style.settings():
        if kind == "auto":
            kind = chosen_kind(results)
        _refuse_other_rows(results, kind)
        draw_kind = {"scaling": _scaling, "size": _sizes, "bars": _bars, "links": _links,
                     "comparison": _comparison, "validation": _validation,
                     "training": _training, "training-comparison": _training_comparison,
                     "timeline": _timeline}[kind]
        return draw_kind(results)


def rings(comparison: RingFile) -> Figure:
    """Draws the best rings on the machine, in a panel each."""
    with style.settings():
        return ring_picture.draw(comparison)


def chosen_kind(results: list[Result]) -> str:
    """The kind of plot: the axis is the parameter with the most values, in a tie the ranks. Cells
    that differ in neither axis are bars. For a single cell with links, these are drawn."""
    if any(result.validation for result in results):
        return "validation"
    if any(result.training for result in results):
        return "training-comparison" if _are_two_sides(results) else "training"
    if sum(len(result.rows) for result in results) == 1 and links.largest_cell(results):
        return "links"
    values = varying(results, "ranks"), varying(results, "size_bytes")
    if values == (1, 1):
        return "bars"
    if values[0] >= values[1]:
        return "scaling"
    return "comparison" if _are_two_sides(results) else "size"


def _are_two_sides(results: list[Result]) -> bool:
    """Whether the results are one prediction and one measurement."""
    return len(results) == 2 and {r.provenance.simulated for r in results} == {True, False}


def _refuse_same_file(results: list[Result]) -> None:
    files = [result.file.resolve() for result in results]
    for result, file in zip(results, files):
        if files.count(file) > 1:
            raise ResultError(f"{result.file}: given twice (expected each result once)")


def _refuse_other_rows(results: list[Result], kind: str) -> None:
    """Refuses results of different kinds: all-reduces, trainings and validations share no axes."""
    rows, origin = ROWS.get(kind, ("rows", "predict or measure wrote"))
    for result in results:
        if not getattr(result, rows):
            kinds = ", ".join(of for of, (other, _) in ROWS.items() if getattr(result, other))
            raise ResultError(f"{result.file}: no rows for a plot of kind {kind} (expected "
                              + (f"a kind for what it has: {kinds})" if kinds and rows == "rows"
                                 else f"what ringcast {origin})"))


def _scaling(results: list[Result]) -> Figure:
    every = group(results, "ranks")
    shown = fastest(every, style.MOST_SERIES, lambda line: line.rows)
    cell = links.largest_cell(results)
    extra = links.height(cell) if cell else 0.0
    height = max(2.2, _legend_height(shown, "ranks"))
    figure = style.figure(results, "all-reduce against the number of ranks", height + 3.6 + extra,
                          _notes(results, every, shown))
    # Separate subfigures: long names of links would narrow the panels above.
    parts = figure.subfigures(2, 1, height_ratios=[height + 2.8, extra]) if cell else [figure]
    upper, lower = parts[0].subplots(2, 1, height_ratios=[height, 2.2])
    scaling.draw(upper, lower, shown)
    if cell:
        links.draw(parts[1].subplots(), cell, _machine_of(cell, results))
    return figure


def _sizes(results: list[Result]) -> Figure:
    every = group(results, "size_bytes")
    shown = fastest(every, style.MOST_SERIES, lambda line: line.rows)
    height = max(3.0, _legend_height(shown, "size_bytes"))
    figure = style.figure(results, "bus bandwidth against size", height + 1.6,
                          _notes(results, every, shown))
    sizes.draw(figure.subplots(), shown)
    return figure


def _bars(results: list[Result]) -> Figure:
    cells = {(row.ranks, row.size_bytes) for result in results for row in result.rows}
    if len(cells) > 1:
        raise ResultError(f"{results[0].file}: rows of several ranks or sizes (expected one of each"
                          " for a plot of kind bars)")
    ranks, size_bytes = cells.pop()
    every = group(results, "ranks")
    shown = fastest(every, bars.MOST, lambda line: line.rows)
    title = f"{word('size_bytes', size_bytes)} on {word('ranks', ranks)}"
    figure = style.figure(results, title, bars.height(shown) + 0.6, _notes(results, every, shown))
    bars.draw(figure.subplots(), shown)
    return figure


def _comparison(results: list[Result]) -> Figure:
    predicted, measured = comparison.sides(results)
    every = comparison.pairs(predicted, measured)
    shown = fastest(every, style.MOST_SERIES, lambda pair: pair.measured)
    height = max(3.0, 0.8 + comparison.legend_height(shown))
    figure = style.figure([predicted, measured], "prediction against measurement", height + 3.2,
                          _notes(results, every, shown))
    upper, lower = figure.subplots(2, 1, height_ratios=[height, 2.0])
    comparison.draw(upper, lower, shown)
    return figure


def _legend_height(series: list[Series], x: str) -> float:
    """Inches of the legend of the series, their limit and bands and, over the ranks, the ideal."""
    return style.legend_height([with_choices(line.label, line.rows, x) for line in series],
                               4 + len(bands.legend(series)))


def _links(results: list[Result]) -> Figure:
    cells = [links.largest_cell([result]) for result in results]
    shown = [cell for cell in cells if cell]
    if not shown:
        raise ResultError(
            f"{results[0].file}: no row has links (expected a prediction; measurements have none)"
        )
    heights = [links.height(cell) for cell in shown]
    figure = style.figure(results, "link utilisation", 0.9 + sum(heights), _notes(results, [], []))
    parts = figure.subfigures(len(shown), 1, height_ratios=heights) if shown[1:] else [figure]
    for part, cell in zip(parts, shown):
        links.draw(part.subplots(), cell, _machine_of(cell, results))
    return figure


def _machine_of(row: Row, results: list[Result]) -> str:
    """The machine's name for the title of its links; empty for a single result: see its caption."""
    if len(results) == 1:
        return ""
    return next(name for name, result in zip(machine_names(results), results)
                if any(row is own for own in result.rows))  # equal rows may be in several


def _validation(results: list[Result]) -> Figure:
    points = validation.points_of(results)
    hidden = validation.beyond(points)
    notes = _notes(results, [], [])
    if hidden:
        notes.append(f"{hidden} {'row' if hidden == 1 else 'rows'} not judged"
                     f" {'is' if hidden == 1 else 'are'} beyond the errors shown")
    figure = style.figure(results, "predicted against measured", 8.6, notes)
    upper, lower = figure.subplots(2, 1, sharex=True, height_ratios=[2.2, 1.0])
    validation.draw(upper, lower, points)
    return figure


def _training(results: list[Result]) -> Figure:
    every = training_series(results)
    shown = evenly_paired(every, style.MOST_SERIES)
    split = evenly_paired(every, training.MOST_PANELS)
    panel_rows = (len(split) + 1) // 2
    row = timeline.row_with_timeline(results)
    targets = list(dict.fromkeys(result.target for result in results if result.target))
    # With the label and the ticks below the axes.
    first = max(3.4, 0.7 + training.legend_height(shown, targets))
    heights = [first, 2.4 * panel_rows, *([2.2] if row else [])]
    notes = _notes(results, every, shown) + timeline.notes(results)
    if len(split) < len(shown):
        notes.append(f"the iterations of {len(split)} of {len(every)} series are split:"
                     f" {_without(shown, split)}")
    figure = style.figure(results, "training against the number of GPUs", 0.8 + sum(heights),
                          notes + _fitted(results))
    parts = figure.subfigures(len(heights), 1, height_ratios=heights)
    upper = parts[0].subplots()
    training.draw_efficiencies(upper, shown, targets)
    panels = list(parts[1].subplots(panel_rows, min(len(split), 2), squeeze=False).flat)
    for unused in panels[len(split):]:
        unused.set_visible(False)
    training.draw_parts(panels, split)
    if len(shown) == len(split) == 1:
        training.align(upper, panels[0], shown[0])
    if row:
        timeline.draw(parts[2].subplots(), row)
    return figure


def _training_comparison(results: list[Result]) -> Figure:
    predicted, measured = comparison.sides(results)
    every = training_comparison.pairs(predicted, measured)
    shown = evenly(every, training_comparison.MOST_PAIRS)
    figure = style.figure([predicted, measured], "iterations, prediction against measurement",
                          training_comparison.height(shown) + 0.4,
                          _notes(results, every, shown) + _fitted(results)
                          + training_comparison.alone(predicted, measured))
    training_comparison.draw(figure.subplots(), shown)
    return figure


def _timeline(results: list[Result]) -> Figure:
    row = timeline.row_with_timeline(results)
    if row is None:
        raise ResultError(f"{results[0].file}: no row has a timeline (expected what ringcast"
                          " predict --timeline RANK wrote)")
    figure = style.figure(results, "one iteration", 3.2,
                          _notes(results, [], []) + timeline.notes(results) + _fitted(results))
    timeline.draw(figure.subplots(), row)
    return figure


def _fitted(results: list[Result]) -> list[str]:
    """Notes about fitted values in the rows."""
    rows = [row for result in results for row in result.training]
    compute = dict.fromkeys(row.fitted_on for row in rows if row.fitted_on)
    ahead = dict.fromkeys((row.launch_ahead, row.launch_ahead_source) for row in rows
                          if row.launch_ahead)
    return ([f"compute time fitted on: {text}" for text in compute] +
            [f"all-reduces launched {layers} layers ahead" + (f": {text}" if text else "")
             for layers, text in ahead] +
            (["weights come before the forward pass of their layers"]
             if rows and all(row.weights == "before-forward" for row in rows) else []))


def _without(every: list, shown: list) -> str:
    """The names of what is not shown."""
    labels = [getattr(one, "label", "") for one in every if one not in shown]
    more = len(labels) - MOST_NAMED
    return (f"without {', '.join(filter(None, labels[:MOST_NAMED]))}"
            + (f" and {more} more; fewer in a file draw them all" if more > 0 else ""))


def _notes(results: list[Result], every: list, shown: list) -> list[str]:
    notes = []
    if len(shown) < len(every):
        notes.append(f"{len(shown)} of {len(every)} series are drawn: {_without(every, shown)}")
    failures = sum(result.failures for result in results)
    if failures:
        notes.append(f"{failures} {'cell' if failures == 1 else 'cells'} did not end and"
                     f" {'is' if failures == 1 else 'are'} not drawn")
    return notes
