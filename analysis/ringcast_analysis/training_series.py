"""Rows of training grouped into lines over the number of GPUs."""

from __future__ import annotations

from dataclasses import dataclass

from ringcast_analysis import series
from ringcast_analysis.results import Result
from ringcast_analysis.series import by_key, evenly, refuse_repeated, source_names, states
from ringcast_analysis.training_row import TrainingRow
from ringcast_analysis.units import size_text

PARAMETERS = ("model", "scaling", "batch", "accumulation", "algorithm", "transport", "ring_order",
              "data_type", "channels", "segment_bytes", "bucketing", "bucket_size_bytes",
              "compression", "jitter", "stragglers", "overlap", "launch_ahead", "weights")
MAYBE_OPEN = ("algorithm", "transport", "ring_order", "channels", "segment_bytes")


@dataclass(frozen=True)
class TrainingSeries:
    """Rows of one file that differ in the number of GPUs only, in ascending order."""

    label: str
    simulated: bool
    rows: tuple[TrainingRow, ...]
    pair: tuple = ()  # equal for lines that differ in overlap only

    @property
    def overlap(self) -> bool:
        return self.rows[0].overlap


def training_series(results: list[Result]) -> list[TrainingSeries]:
    rows = [row for result in results for row in result.training]
    differing = [parameter for parameter in PARAMETERS
                 if len({value_of(row, parameter) for row in rows}) > 1]
    lines = []
    for result, name in zip(results, source_names(results)):
        shared = _shared_by_pairs(result.training)
        for members in by_key(result.training, PARAMETERS, value_of).values():
            refuse_repeated(result, members, "ranks")
            words = [name] if len(results) > 1 else []
            words += words_of(members[0], differing)
            ordered = tuple(sorted(members, key=lambda row: row.ranks))
            pair = (name, *(value_of(members[0], parameter) for parameter in shared))
            lines.append(TrainingSeries(", ".join(words) or ordered[0].model,
                                        result.provenance.simulated, ordered, pair))
    return lines


def _shared_by_pairs(rows: tuple[TrainingRow, ...]) -> list[str]:
    """All parameters but the overlap; launch_ahead, a part of it, only if rows differ in it."""
    several = len({row.launch_ahead for row in rows if row.overlap}) > 1
    return [p for p in PARAMETERS if p != "overlap" and (several or p != "launch_ahead")]


def evenly_paired(lines: list[TrainingSeries], most: int) -> list[TrainingSeries]:
    """At most `most` of the lines, spread over all of them, those of a pair side by side."""
    pairs: dict[tuple, list[TrainingSeries]] = {}
    for line in lines:
        pairs.setdefault(line.pair, []).append(line)
    groups = list(pairs.values())
    if len(lines) > most:
        groups = evenly(groups, most // max(map(len, groups)))
    return [line for group in groups for line in group]


def value_of(row: TrainingRow, parameter: str) -> object:
    """The value of a parameter. The batch is the one that is constant over the GPUs: per GPU, or
    global."""
    if parameter == "batch":
        return row.batch_per_gpu if row.scaling == "weak" else row.global_batch
    return series.value_of(row, parameter)


def words_of(row: TrainingRow, parameters: list[str]) -> list[str]:
    """The words of a label for the row, without parameters that the row leaves open."""
    stated = [p for p in parameters if p not in MAYBE_OPEN or states(row, p)]
    return [text for p in stated if (text := _word(p, value_of(row, p)))]


def _word(parameter: str, value: object) -> str:
    if parameter == "ranks":
        return f"{value} GPU{'' if value == 1 else 's'}"
    if parameter == "scaling":
        return f"{value} scaling"
    if parameter == "overlap":
        return "overlap" if value else "no overlap"
    if parameter == "launch_ahead":
        return f"launched {value} layers ahead" if value else ""
    if parameter == "weights":
        return f"weights {str(value).replace('-', ' ')}"
    if parameter == "bucket_size_bytes":
        return "" if value is None else f"buckets of {size_text(int(str(value)))}"
    if parameter in ("batch", "accumulation"):
        return f"{parameter} {value}"
    if parameter == "compression":
        return f"{value:g}x compression"
    if parameter == "jitter":
        return f"jitter {100 * float(str(value)):g} %"
    if parameter == "stragglers":
        return str(value) if value else "no stragglers"
    return series.word(parameter, value)
