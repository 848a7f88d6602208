"""Rows of training: iterations instead of single all-reduces."""

from __future__ import annotations

from dataclasses import dataclass

from ringcast_analysis.json_object import JsonObject, key, records

SCALINGS = ("weak", "strong")
WEIGHTS = ("after-backward", "before-forward")
LANES = ("compute", "communication")


@dataclass(frozen=True)
class Span:
    """An activity of a rank from `begin_s` to `end_s` of an iteration, in one of its two lanes."""

    lane: str = key(JsonObject.one_of, texts=LANES)
    name: str = key(JsonObject.text)
    begin_s: float = key(JsonObject.quantity)
    end_s: float = key(JsonObject.quantity)


@dataclass(frozen=True)
class Band:
    """The times in which published machines of the same link classes would lie."""

    low_s: float = key(JsonObject.quantity)
    high_s: float = key(JsonObject.quantity)


@dataclass(frozen=True)
class TrainingRow:
    """One iteration of data-parallel training, predicted or measured. None: not applicable, as
    ring orders to MPI_Allreduce."""

    ranks: int = key(JsonObject.count, least=1)
    model: str = key(JsonObject.text)
    algorithm: str | None = key(JsonObject.text_or_none)
    data_type: str = key(JsonObject.text)
    transport: str | None = key(JsonObject.text_or_none)
    ring_order: str | None = key(JsonObject.text_or_none)
    channels: int | None = key(JsonObject.count_or_none, least=1)
    segment_bytes: int | None = key(JsonObject.count_or_none, least=1)
    algorithm_chosen: bool = key(JsonObject.flag, absent=False)
    channels_chosen: bool = key(JsonObject.flag, absent=False)
    scaling: str = key(JsonObject.one_of, texts=SCALINGS)
    batch_per_gpu: int = key(JsonObject.count, least=1)
    accumulation: int = key(JsonObject.count, least=1)
    global_batch: int = key(JsonObject.count, least=1)
    overlap: bool = key(JsonObject.flag)
    launch_ahead: int = key(JsonObject.count, absent=0)
    launch_ahead_source: str | None = key(JsonObject.text, absent=None)
    weights: str = key(JsonObject.one_of, absent=WEIGHTS[0], texts=WEIGHTS)
    bucketing: str = key(JsonObject.text)
    bucket_size_bytes: int | None = key(JsonObject.count_or_none, least=1)
    compression: float = key(JsonObject.above_zero)
    jitter: float = key(JsonObject.quantity)
    stragglers: str | None = key(JsonObject.text, absent=None)
    fitted_on: str | None = key(JsonObject.text_or_none)
    iteration_s: float = key(JsonObject.above_zero)
    iteration_low_s: float = key(JsonObject.above_zero)
    iteration_high_s: float = key(JsonObject.above_zero)
    compute_s: float = key(JsonObject.quantity)
    allreduce_s: float = key(JsonObject.quantity)
    exposed_communication_s: float = key(JsonObject.quantity)
    samples_per_s: float = key(JsonObject.above_zero)
    efficiency: float = key(JsonObject.above_zero)
    timeline: tuple[Span, ...] = key(records(Span), absent=())
    band: tuple[Band, ...] = key(records(Band), absent=())

    @property
    def longest_s(self) -> float:
        """The end of the row's band, or the iteration without one."""
        return max([self.iteration_s, *(band.high_s for band in self.band)])
