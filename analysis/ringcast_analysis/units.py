"""Prefixes and texts for bytes, seconds and rates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Iterable


@dataclass(frozen=True)
class Prefix:
    unit: str
    factor: float  # value in the base unit / factor = value in `unit`


TIMES = (Prefix("s", 1.0), Prefix("ms", 1e-3), Prefix("µs", 1e-6))
RATES = (Prefix("GB/s", 1e9), Prefix("MB/s", 1e6), Prefix("kB/s", 1e3))
TERABYTES = Prefix("TB/s", 1e12)  # not for axes, on which bus bandwidths are in GB/s


def prefix_for(values: Iterable[float], prefixes: tuple[Prefix, ...]) -> Prefix:
    """The largest prefix in which the greatest value is at least 1; else the smallest."""
    greatest = max(values, default=0.0)
    if greatest <= 0:
        return prefixes[0]
    return next((p for p in prefixes if greatest >= p.factor), prefixes[-1])


def size_text(size_bytes: int) -> str:
    """With a binary prefix if that is exact (64 MiB), else a decimal one (1.2 GB), else none."""
    for unit, factor in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if size_bytes and size_bytes % factor == 0 and size_bytes < 10_000 * factor:
            return f"{size_bytes // factor} {unit}"
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size_bytes >= factor:
            return f"{size_bytes / factor:.4g} {unit}"
    return f"{size_bytes} B"


def time_text(seconds: float) -> str:
    prefix = prefix_for([seconds], TIMES)
    return f"{seconds / prefix.factor:g} {prefix.unit}"


def rate_text(bytes_per_s: float) -> str:
    prefix = prefix_for([bytes_per_s], (TERABYTES, *RATES))
    return f"{bytes_per_s / prefix.factor:.3g} {prefix.unit}"
