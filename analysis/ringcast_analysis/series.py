"""Rows grouped into the lines of a plot, with labels of the parameters that distinguish them."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from dataclasses import dataclass
from itertools import chain, groupby
from statistics import geometric_mean
from typing import Any, Callable, Sequence

from ringcast_analysis.results import Result, ResultError, Row
from ringcast_analysis.ring_file import RingFile
from ringcast_analysis.training_row import TrainingRow
from ringcast_analysis.units import size_text

PARAMETERS = (
    "ranks",
    "size_bytes",
    "algorithm",
    "data_type",
    "reduction",
    "transport",
    "ring_order",
    "channels",
    "segment_bytes",
)


LEGEND_WIDTH = 38  # characters
NO_BREAK = "\u00a0"
AUTO = "auto"  # the program chose the algorithm for each row


@dataclass(frozen=True)
class Series:
    """One line: rows of one file that differ in `x` only, by ascending `x`."""

    label: str
    simulated: bool
    rows: tuple[Row, ...]

    def with_bus(self) -> list[Row]:
        """The rows with traffic: more than one rank, and data to reduce."""
        return [row for row in self.rows if row.busbw_bytes_per_s > 0]

    def busbw_limits(self, x: str, factor: float) -> list[tuple[int, float]]:
        """Points of the limit by the lower bound, with the rates divided by `factor`."""
        limits = [(getattr(row, x), row.busbw_limit_bytes_per_s) for row in self.rows]
        return [(place, limit / factor) for place, limit in limits if limit]


def varying(results: list[Result], parameter: str) -> int:
    """The number of values of `parameter` in the rows that state it."""
    values = {value_of(row, parameter) for result in results for row in result.rows
              if states(row, parameter)}
    return len(values)


def value_of(row: Row | TrainingRow, parameter: str) -> Any:
    """The value that the user gave. None: a log does not state it, or the program chose it."""
    if parameter == "algorithm" and row.algorithm_chosen:
        return AUTO
    if parameter == "channels" and row.channels_chosen:
        return None
    return getattr(row, parameter)


def states(row: Row | TrainingRow, parameter: str) -> bool:
    """Whether the row states the parameter. A missing segment size means whole chunks, unless the
    row does not state the channels either."""
    if parameter == "segment_bytes":
        return row.channels is not None
    return value_of(row, parameter) is not None


def group(results: list[Result], x: str) -> list[Series]:
    """All rows as series over the parameter `x` ("ranks" or "size_bytes")."""
    others = [parameter for parameter in PARAMETERS if parameter != x]
    differing = [parameter for parameter in others if varying(results, parameter) > 1]
    names = source_names(results)
    series = []
    for result, name in zip(results, names):
        for key, rows in by_key(result.rows, others, value_of).items():
            refuse_repeated(result, rows, x)
            words = [name] if len(results) > 1 else []
            words += [word(parameter, value) for parameter, value in zip(others, key)
                      if parameter in differing and states(rows[0], parameter)]
            label = ", ".join(words) or f"{name}, {value_of(rows[0], 'algorithm') or 'all-reduce'}"
            ordered = tuple(sorted(rows, key=lambda row: getattr(row, x)))
            series.append(Series(label, result.provenance.simulated, ordered))
    return series


def with_choices(label: str, rows: Sequence[Row], x: str) -> str:
    """`8 ranks: tree/LL, ring/Simple from 4 MiB`: the algorithms that the program chose over `x`."""
    chosen = [row for row in rows if row.algorithm_chosen and row.busbw_bytes_per_s > 0]
    if not chosen:
        return wrapped(label)
    choices = [f"{text} from {word(x, getattr(next(run), x)).replace(' ', NO_BREAK)}"
               for text, run in groupby(chosen, key=lambda row: row.algorithm_text)]
    choices[0] = chosen[0].algorithm_text
    return wrapped(f"{label}: {', '.join(choices)}")


def wrapped(label: str) -> str:
    """An entry of a legend, in lines that fit."""
    return textwrap.fill(label, LEGEND_WIDTH, break_on_hyphens=False)


def filled(text: str, width: int) -> str:
    """Lines of at most `width` characters that end after a comma or an arrow."""
    breakable = re.sub(rf"(,|->){NO_BREAK}", r"\1 ", text.replace(" ", NO_BREAK))
    return textwrap.fill(breakable, width, break_on_hyphens=False).replace(NO_BREAK, " ")


def source_names(results: Sequence[Result | RingFile]) -> list[str]:
    """A short name per file: predicted or measured, with the backend or the file if ambiguous."""
    doings = ["predicted" if result.provenance.simulated else "measured" for result in results]
    backends = [f"{doing} ({result.provenance.backend})"
                for doing, result in zip(doings, results)]
    stems = [f"{doing} ({result.file.stem})" for doing, result in zip(doings, results)]
    paths = [f"{doing} ({result.file})" for doing, result in zip(doings, results)]
    for names in (doings, backends, stems):
        if len(set(names)) == len(results):
            return names
    return paths


def machine_names(results: list[Result]) -> list[str]:
    """The cluster of each file; the source of the file if several have the same cluster."""
    clusters = [result.provenance.cluster for result in results]
    return clusters if all(clusters) and len(set(clusters)) == len(results) \
        else source_names(results)


def evenly(series: list, most: int) -> list:
    """At most `most` of the series, spread over all of them, first and last among them."""
    if len(series) <= most:
        return series
    return [series[round(i * (len(series) - 1) / max(1, most - 1))] for i in range(most)]


def fastest(series: list, most: int, rows_of: Callable[[Any], Sequence[Row]]) -> list:
    """At most `most` of the series: first those that are the fastest of a cell, then those that are
    fastest on average; of equally fast ones (series without common cells), some at equal steps."""
    if len(series) <= most:
        return series
    times = [[((row.ranks, row.size_bytes), row.time_s) for row in rows_of(line) if row.time_s > 0]
             for line in series]
    shortest: dict[tuple, float] = {}
    for cell, time_s in chain.from_iterable(times):
        shortest[cell] = min(time_s, shortest.get(cell, time_s))
    ratios = [[time_s / shortest[cell] for cell, time_s in cells] or [1.0] for cells in times]
    keys = [(min(each) > 1, geometric_mean(each)) for each in ratios]
    last = sorted(keys)[most - 1]
    faster = [i for i, key in enumerate(keys) if key < last]
    equal = [i for i, key in enumerate(keys) if key == last]
    return [series[i] for i in sorted(faster + evenly(equal, most - len(faster)))]


def by_key(rows: tuple, parameters: Sequence[str],
           value: Callable[[Any, str], object]) -> dict[tuple, list]:
    """The rows in groups of equal parameters."""
    groups: dict[tuple, list] = {}
    for row in rows:
        groups.setdefault(tuple(value(row, p) for p in parameters), []).append(row)
    return groups


def repeated(rows: list, x: str) -> list:
    """The values of `x` that several rows have."""
    counts = Counter(getattr(row, x) for row in rows)
    return [value for value, count in counts.items() if count > 1]


def refuse_repeated(result: Result, rows: list, x: str) -> None:
    for value in repeated(rows, x):
        raise ResultError(f"{result.file}: two rows with the same parameters and {x} {value}"
                          " (expected each cell once)")


def word(parameter: str, value: object) -> str:
    """One parameter as text for a label."""
    if parameter == "ranks":
        return "1 rank" if value == 1 else f"{value} ranks"
    if parameter == "size_bytes":
        return size_text(int(str(value)))
    if parameter == "channels":
        return "1 channel" if value == 1 else f"{value} channels"
    if parameter == "segment_bytes":
        return "whole chunks" if value is None else f"segments of {size_text(int(str(value)))}"
    return str(value)
