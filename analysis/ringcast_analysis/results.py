"""Result files as dataclasses. Invalid files are refused with a message of one line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ringcast_analysis.json_object import JsonObject, ResultError, key, read, records
from ringcast_analysis.training_row import Band, TrainingRow

SCHEMA_VERSION = 1
LARGEST_FILE = 64 << 20
# What else ringcast writes, and what draws it instead.
DRAWN_OTHERWISE = {"comparison": "the two results that are compared, for ringcast plot",
                   "rings": "ringcast rings --output FILE.svg, which draws them",
                   "cluster": "ringcast show --output FILE.svg, which draws it"}


@dataclass(frozen=True)
class LinkLoad:
    name: str = key(JsonObject.text)
    link_class: str = key(JsonObject.text)
    bandwidth_bytes_per_s: float = key(JsonObject.quantity)
    carried_bytes: int = key(JsonObject.count)
    utilisation: float = key(JsonObject.quantity)


@dataclass(frozen=True)
class Row:
    """One all-reduce, predicted or measured. None: not stated by an imported log."""

    ranks: int = key(JsonObject.count, least=1)
    size_bytes: int = key(JsonObject.count)
    algorithm: str | None = key(JsonObject.text_or_none)
    data_type: str = key(JsonObject.text)
    reduction: str = key(JsonObject.text)
    transport: str | None = key(JsonObject.text_or_none)
    ring_order: str | None = key(JsonObject.text_or_none)
    channels: int | None = key(JsonObject.count_or_none, least=1)
    segment_bytes: int | None = key(JsonObject.count, absent=None, least=1)
    protocol: str | None = key(JsonObject.text, absent=None)
    algorithm_chosen: bool = key(JsonObject.flag, absent=False)
    channels_chosen: bool = key(JsonObject.flag, absent=False)
    time_s: float = key(JsonObject.quantity)
    time_min_s: float = key(JsonObject.quantity)
    time_max_s: float = key(JsonObject.quantity)
    busbw_bytes_per_s: float = key(JsonObject.quantity_or_zero)  # null: one rank
    lower_bound_s: float | None = key(JsonObject.quantity, absent=None)
    links: tuple[LinkLoad, ...] = key(records(LinkLoad), absent=())
    band: tuple[Band, ...] = key(records(Band), absent=())

    @property
    def algorithm_text(self) -> str:
        """`tree/LL`, as tables have it."""
        return "/".join(word for word in (self.algorithm, self.protocol) if word)

    @property
    def busbw_limit_bytes_per_s(self) -> float | None:
        """The bus bandwidth of an all-reduce that takes no longer than the lower bound."""
        if not self.lower_bound_s or not self.busbw_bytes_per_s:
            return None
        return self.busbw_in(self.lower_bound_s)

    def busbw_in(self, time_s: float) -> float:
        """The bus bandwidth of an all-reduce that takes another time."""
        return self.busbw_bytes_per_s * self.time_s / time_s


@dataclass(frozen=True)
class ValidationRow:
    """A published measurement and its prediction."""

    set: str = key(JsonObject.text)
    ranks: int = key(JsonObject.count, least=1)
    size_bytes: int = key(JsonObject.count)
    algorithm: str = key(JsonObject.text)
    transport: str = key(JsonObject.text)
    measured_s: float = key(JsonObject.above_zero)
    predicted_s: float = key(JsonObject.above_zero)
    relative_error: float = key(JsonObject.number)
    fitted: bool = key(JsonObject.flag)
    judged: bool = key(JsonObject.flag)


@dataclass(frozen=True)
class Provenance:
    """The origin of a file's numbers."""

    program_version: str = key(JsonObject.text)
    scenario: str = key(JsonObject.text)
    scenario_sha256: str = key(JsonObject.text)
    cluster: str = key(JsonObject.text)
    backend: str = key(JsonObject.text)
    host: str = key(JsonObject.text)
    started_at: str = key(JsonObject.text)
    simulated: bool = key(JsonObject.flag)


@dataclass(frozen=True)
class Result:
    file: Path
    provenance: Provenance
    rows: tuple[Row, ...]
    validation: tuple[ValidationRow, ...]
    training: tuple[TrainingRow, ...]
    failures: int
    target: float | None = None  # the efficiency of --until-efficiency


def opened(file: Path) -> JsonObject:
    """The contents of a file; refuses other schema versions than the current one."""
    top = JsonObject(parse(file), str(file))
    version = top.count("schema_version")
    if version != SCHEMA_VERSION:
        raise ResultError(f"{file}: schema_version: {version} (expected {SCHEMA_VERSION})")
    return top


def load(file: Path) -> Result:
    """Reads and checks one result file."""
    top = opened(file)
    by_kind: dict[str, list[JsonObject]] = {"allreduce": [], "validation": [], "training": []}
    for row in _rows(top, file):
        _refuse_drawn_otherwise(row, file)
        by_kind[row.one_of("kind", tuple(by_kind))].append(row)
    return Result(
        file=file,
        provenance=read(Provenance, top.object("provenance")),
        rows=tuple(read(Row, row) for row in by_kind["allreduce"]),
        validation=tuple(read(ValidationRow, row) for row in by_kind["validation"]),
        training=tuple(read(TrainingRow, row) for row in by_kind["training"]),
        failures=len(top.objects("failures")) if top.has("failures") else 0,
        target=_target(top),
    )


def _refuse_drawn_otherwise(entry: JsonObject, file: Path) -> None:
    kind = entry.text("kind") if entry.has("kind") else ""
    if kind in DRAWN_OTHERWISE:
        raise ResultError(f"{file}: kind: {kind!r} (expected {DRAWN_OTHERWISE[kind]})")


def _target(top: JsonObject) -> float | None:
    """The efficiency of --until-efficiency, if the file is an answer to it."""
    asked = not top.has("rows") and top.has("until_efficiency")
    return top.quantity("until_efficiency") if asked else None


def _rows(top: JsonObject, file: Path) -> list[JsonObject]:
    """The rows; for --until-efficiency, those on both sides of each limit."""
    if top.has("rows"):
        return top.objects("rows")
    if top.has("limits"):
        return [limit.object(side) for limit in top.objects("limits")
                for side in ("row", "next_row") if limit.has(side)]
    _refuse_drawn_otherwise(top, file)
    raise ResultError(f"{file}: no rows (expected what ringcast predict, measure, validate or import"
                      " wrote with --output)")


def parse(file: Path) -> Any:
    """The JSON of a file of at most 64 MiB; NaN and Infinity are refused."""
    def refuse(constant: str) -> None:
        raise ResultError(f"{file}: {constant} is not JSON (expected finite numbers)")

    def whole(digits: str) -> float:
        # Integers of more than 64 bits are read as floats, which are not counts.
        return int(digits) if abs(float(digits)) < 2**64 else float(digits)

    try:
        with file.open("rb") as stream:
            text = stream.read(LARGEST_FILE + 1)
        if len(text) > LARGEST_FILE:
            raise ResultError(f"{file}: larger than 64 MiB (expected a result file)")
        return json.loads(text.decode("utf-8"), parse_int=whole, parse_constant=refuse)
    except OSError as error:
        raise ResultError(
            f"{file}: cannot be read: {error.strerror} (expected a result file)"
        ) from error
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        where = f"{file}:{error.lineno}:{error.colno}" if hasattr(error, "lineno") else str(file)
        raise ResultError(
            f"{where}: not JSON (expected what ringcast predict or measure wrote with --output; "
            "of a log, what ringcast import nccl-tests LOG --output FILE.json wrote)"
        ) from error
