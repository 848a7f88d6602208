"""Result files as dataclasses. A file that cannot be trusted is refused with one line naming it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ringcast_analysis.json_object import JsonObject, ResultError
from ringcast_analysis.training_row import TrainingRow, training_row

SCHEMA_VERSION = 1
LARGEST_FILE = 64 << 20


@dataclass(frozen=True)
class LinkLoad:
    name: str
    link_class: str
    bandwidth_bytes_per_s: float
    carried_bytes: int
    utilisation: float


@dataclass(frozen=True)
class Row:
    """One all-reduce, predicted or measured. None: an imported log does not say."""

    ranks: int
    size_bytes: int
    algorithm: str | None
    data_type: str
    reduction: str
    transport: str | None
    ring_order: str | None
    channels: int | None
    segment_bytes: int | None
    time_s: float
    time_min_s: float
    time_max_s: float
    busbw_bytes_per_s: float
    lower_bound_s: float | None
    links: tuple[LinkLoad, ...]

    @property
    def busbw_limit_bytes_per_s(self) -> float | None:
        """The bus bandwidth of an all-reduce that takes no longer than the lower bound."""
        if not self.lower_bound_s or not self.busbw_bytes_per_s:
            return None
        return self.busbw_bytes_per_s * self.time_s / self.lower_bound_s


@dataclass(frozen=True)
class ValidationRow:
    """A published measurement beside its prediction."""

    set: str
    ranks: int
    size_bytes: int
    algorithm: str
    transport: str
    measured_s: float
    predicted_s: float
    relative_error: float
    fitted: bool
    judged: bool


@dataclass(frozen=True)
class Provenance:
    program_version: str
    scenario: str
    scenario_sha256: str
    cluster: str
    backend: str
    host: str
    started_at: str
    simulated: bool


@dataclass(frozen=True)
class Result:
    file: Path
    provenance: Provenance
    rows: tuple[Row, ...]
    validation: tuple[ValidationRow, ...]
    training: tuple[TrainingRow, ...]
    failures: int


def opened(file: Path) -> JsonObject:
    """What one file contains, of the version that is read here."""
    top = JsonObject(parse(file), str(file))
    version = top.count("schema_version")
    if version != SCHEMA_VERSION:
        raise ResultError(f"{file}: schema_version: {version} (expected {SCHEMA_VERSION})")
    return top


def load(file: Path) -> Result:
    """Reads and checks one result file."""
    top = opened(file)
    by_kind: dict[str, list[JsonObject]] = {"allreduce": [], "validation": [], "training": []}
    for row in top.objects("rows"):
        by_kind[row.one_of("kind", tuple(by_kind))].append(row)
    return Result(
        file=file,
        provenance=provenance(top.object("provenance")),
        rows=tuple(_row(row) for row in by_kind["allreduce"]),
        validation=tuple(_validation_row(row) for row in by_kind["validation"]),
        training=tuple(training_row(row) for row in by_kind["training"]),
        failures=len(top.objects("failures")) if top.has("failures") else 0,
    )


def parse(file: Path) -> Any:
    """The JSON of a file of reasonable size, without what is no JSON."""
    def refuse(constant: str) -> None:
        raise ResultError(f"{file}: {constant} is not JSON (expected finite numbers)")

    try:
        with file.open("rb") as stream:
            text = stream.read(LARGEST_FILE + 1)
        if len(text) > LARGEST_FILE:
            raise ResultError(f"{file}: larger than 64 MiB (expected a result file)")
        return json.loads(text.decode("utf-8"), parse_constant=refuse)
    except OSError as error:
        raise ResultError(
            f"{file}: cannot be read: {error.strerror} (expected a result file)"
        ) from error
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError) as error:
        where = f"{file}:{error.lineno}:{error.colno}" if hasattr(error, "lineno") else str(file)
        raise ResultError(
            f"{where}: not JSON (expected a file that ringcast wrote with --output)"
        ) from error


def provenance(entry: JsonObject) -> Provenance:
    """Where a file's numbers come from."""
    return Provenance(
        program_version=entry.text("program_version"),
        scenario=entry.text("scenario"),
        scenario_sha256=entry.text("scenario_sha256"),
        cluster=entry.text("cluster"),
        backend=entry.text("backend"),
        host=entry.text("host"),
        started_at=entry.text("started_at"),
        simulated=entry.flag("simulated"),
    )


def _row(entry: JsonObject) -> Row:
    return Row(
        ranks=entry.count("ranks", least=1),
        size_bytes=entry.count("size_bytes"),
        algorithm=entry.text_or_none("algorithm"),
        data_type=entry.text("data_type"),
        reduction=entry.text("reduction"),
        transport=entry.text_or_none("transport"),
        ring_order=entry.text_or_none("ring_order"),
        channels=entry.count_or_none("channels", least=1),
        segment_bytes=entry.count("segment_bytes", least=1) if entry.has("segment_bytes") else None,
        time_s=entry.quantity("time_s"),
        time_min_s=entry.quantity("time_min_s"),
        time_max_s=entry.quantity("time_max_s"),
        busbw_bytes_per_s=entry.quantity("busbw_bytes_per_s"),
        lower_bound_s=entry.quantity("lower_bound_s") if entry.has("lower_bound_s") else None,
        links=tuple(_link(link) for link in entry.objects("links")) if entry.has("links") else (),
    )


def _validation_row(entry: JsonObject) -> ValidationRow:
    return ValidationRow(
        set=entry.text("set"),
        ranks=entry.count("ranks", least=1),
        size_bytes=entry.count("size_bytes"),
        algorithm=entry.text("algorithm"),
        transport=entry.text("transport"),
        measured_s=entry.above_zero("measured_s"),
        predicted_s=entry.above_zero("predicted_s"),
        relative_error=entry.number("relative_error"),
        fitted=entry.flag("fitted"),
        judged=entry.flag("judged"),
    )


def _link(entry: JsonObject) -> LinkLoad:
    return LinkLoad(
        name=entry.text("name"),
        link_class=entry.text("link_class"),
        bandwidth_bytes_per_s=entry.quantity("bandwidth_bytes_per_s"),
        carried_bytes=entry.count("carried_bytes"),
        utilisation=entry.quantity("utilisation"),
    )
