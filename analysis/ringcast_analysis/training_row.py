"""Rows of training: iterations instead of single all-reduces."""

from __future__ import annotations

from dataclasses import dataclass

from ringcast_analysis.json_object import JsonObject

SCALINGS = ("weak", "strong")
WEIGHTS = ("after-backward", "before-forward")
LANES = ("compute", "communication")


@dataclass(frozen=True)
class Span:
    """What a rank does from `begin_s` to `end_s` of an iteration, in one of its two lanes."""

    lane: str
    name: str
    begin_s: float
    end_s: float


@dataclass(frozen=True)
class TrainingRow:
    """One iteration of data-parallel training, predicted or measured. None: MPI's own algorithm
    has no ring."""

    ranks: int
    model: str
    algorithm: str | None
    data_type: str
    transport: str | None
    ring_order: str | None
    channels: int | None
    segment_bytes: int | None
    scaling: str
    batch_per_gpu: int
    accumulation: int
    global_batch: int
    overlap: bool
    launch_ahead: int
    launch_ahead_source: str | None
    weights: str
    bucketing: str
    bucket_size_bytes: int | None
    compression: float
    jitter: float
    fitted_on: str | None
    iteration_s: float
    iteration_low_s: float
    iteration_high_s: float
    compute_s: float
    allreduce_s: float
    exposed_communication_s: float
    samples_per_s: float
    speedup: float
    efficiency: float
    timeline: tuple[Span, ...]


def training_row(entry: JsonObject) -> TrainingRow:
    return TrainingRow(
        ranks=entry.count("ranks", least=1),
        model=entry.text("model"),
        algorithm=entry.text_or_none("algorithm"),
        data_type=entry.text("data_type"),
        transport=entry.text_or_none("transport"),
        ring_order=entry.text_or_none("ring_order"),
        channels=entry.count_or_none("channels", least=1),
        segment_bytes=entry.count_or_none("segment_bytes", least=1),
        scaling=entry.one_of("scaling", SCALINGS),
        batch_per_gpu=entry.count("batch_per_gpu", least=1),
        accumulation=entry.count("accumulation", least=1),
        global_batch=entry.count("global_batch", least=1),
        overlap=entry.flag("overlap"),
        launch_ahead=entry.count("launch_ahead") if entry.has("launch_ahead") else 0,
        launch_ahead_source=(entry.text_or_none("launch_ahead_source")
                             if entry.has("launch_ahead_source") else None),
        weights=(entry.one_of("weights", WEIGHTS) if entry.has("weights") else WEIGHTS[0]),
        bucketing=entry.text("bucketing"),
        bucket_size_bytes=entry.count_or_none("bucket_size_bytes", least=1),
        compression=entry.above_zero("compression"),
        jitter=entry.quantity("jitter"),
        fitted_on=entry.text_or_none("fitted_on"),
        iteration_s=entry.above_zero("iteration_s"),
        iteration_low_s=entry.above_zero("iteration_low_s"),
        iteration_high_s=entry.above_zero("iteration_high_s"),
        compute_s=entry.quantity("compute_s"),
        allreduce_s=entry.quantity("allreduce_s"),
        exposed_communication_s=entry.quantity("exposed_communication_s"),
        samples_per_s=entry.above_zero("samples_per_s"),
        speedup=entry.above_zero("speedup"),
        efficiency=entry.above_zero("efficiency"),
        timeline=_timeline(entry),
    )


def _timeline(entry: JsonObject) -> tuple[Span, ...]:
    if not entry.has("timeline"):
        return ()
    return tuple(
        Span(lane=span.one_of("lane", LANES), name=span.text("name"),
             begin_s=span.quantity("begin_s"), end_s=span.quantity("end_s"))
        for span in entry.objects("timeline"))
