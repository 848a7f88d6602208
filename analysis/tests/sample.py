"""Results as the program writes them, for the tests to load and to damage."""

from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path
from typing import Any

from ringcast_analysis.results import load


def row(ranks: int = 8, size_bytes: int = 64 << 20, slowness: float = 1.1, **changes: Any) -> dict:
    """An all-reduce on 10 GB/s links that takes `slowness` times the lower bound."""
    crossings = 2 * (ranks - 1) / ranks
    lower_bound_s = size_bytes * crossings / 10e9
    time_s = slowness * lower_bound_s + 10e-6 * (ranks - 1)
    algbw = size_bytes / time_s if time_s else 0.0
    entry = {
        "kind": "allreduce", "ranks": ranks, "size_bytes": size_bytes, "algorithm": "ring",
        "data_type": "float32", "reduction": "sum", "transport": "nccl-rdma", "ring_order": "by-rank",
        "channels": 1, "segment_bytes": None, "algorithm_chosen": False, "channels_chosen": False,
        "nodes": 1, "time_s": time_s, "time_min_s": time_s, "time_max_s": time_s,
        "algbw_bytes_per_s": algbw if ranks > 1 else None,
        "busbw_bytes_per_s": algbw * crossings if ranks > 1 else None,
        "verified": False, "lower_bound_s": lower_bound_s, "lower_bound_reason": "port of a rank",
        "messages": 2 * ranks * (ranks - 1), "sent_per_rank_bytes": int(size_bytes * crossings),
        "bottleneck": None, "bottleneck_utilisation": 0.9, "protocol": None,
        "range_reason": None, "found_by": "recurrence", "time_error_bound": 0.0,
        "links": links(ranks),
    }
    return {**entry, **changes}


def links(ranks: int) -> list[dict]:
    return [
        {"name": f"node{i // 8}/gpu{i % 8} -> node{i // 8}/switch", "bandwidth_bytes_per_s": 10e9,
         "link_class": "pcie-3-x16" if i % 8 else "infiniband-fdr-4x", "carried_bytes": 1000 * i,
         "utilisation": 0.95 - 0.02 * i}
        for i in range(min(ranks, 32))
    ]


def measured(entry: dict) -> dict:
    """The row as a measurement has it: a spread of times, no bound, no links."""
    absent = ("lower_bound_s", "lower_bound_reason", "bottleneck", "bottleneck_utilisation",
              "links")
    kept = {key: value for key, value in entry.items() if key not in absent}
    return {**kept, "time_min_s": 0.9 * kept["time_s"], "time_max_s": 1.2 * kept["time_s"]}


def logged(entry: dict) -> dict:
    """The row as an imported log has it: what a log does not say is null."""
    unknown = ("algorithm", "transport", "ring_order", "channels", "segment_bytes", "lower_bound_s",
               "lower_bound_reason", "messages", "sent_per_rank_bytes", "bottleneck")
    return {**entry, **{key: None for key in unknown}, "links": []}


def measured_by_mpi(entry: dict) -> dict:
    """The row of training as a measurement with MPI's own all-reduce has it: no ring, no links."""
    return {**entry, "algorithm": "mpi", "transport": "mpi", "ring_order": None, "channels": None,
            "segment_bytes": None, "bottleneck_utilisation": 0.0, "verified": True}


def validation_row(ranks: int = 8, measured_s: float = 2e-3, error: float = 0.1,
                   **changes: Any) -> dict:
    """A published measurement whose prediction is off by `error` of it."""
    entry = {
        "kind": "validation", "set": "DeepBench", "ranks": ranks, "size_bytes": 4 << 20,
        "algorithm": "ring", "transport": "NCCL 2", "measured_s": measured_s,
        "predicted_s": (1 + error) * measured_s, "relative_error": error, "fitted": False,
        "judged": True,
    }
    return {**entry, **changes}


def training(ranks: int = 8, scaling: str = "weak", overlap: bool = True, **changes: Any) -> dict:
    """A pass of 64 samples of 300 ms and 90 ms of all-reduces, of which overlap hides 60 ms."""
    share = 1.0 if scaling == "weak" else 1 / ranks
    compute_s, allreduce_s = 0.3 * share, 0.09 if ranks > 1 else 0.0
    exposed_s = max(0.03, allreduce_s - 0.2 * share) if overlap and ranks > 1 else allreduce_s
    batch = 64 if scaling == "weak" else -(-64 // ranks)
    speedup = ranks * share * 0.3 / (compute_s + exposed_s)
    entry = {
        "kind": "training", "ranks": ranks, "algorithm": "ring", "data_type": "float32",
        "reduction": "avg", "transport": "nccl", "ring_order": "by-rank", "channels": 1,
        "segment_bytes": None, "algorithm_chosen": False, "channels_chosen": False,
        "nodes": 1, "model": "VGG-16", "samples": "images",
        "gradient_bytes": 553_430_176,
        "gpu": "P100, VGG-16", "fitted_on": None, "scaling": scaling, "batch_per_gpu": batch,
        "accumulation": 1, "global_batch": ranks * 64 if scaling == "weak" else 64,
        "overlap": overlap, "launch_ahead": 0, "launch_ahead_source": None,
        "weights": "after-backward", "bucketing": "fusion", "bucket_size_bytes": 64 << 20, "buckets": 4,
        "compression": 1, "jitter": 0, "stragglers": None, "repetitions": 1,
        "iteration_s": compute_s + exposed_s,
        "iteration_low_s": compute_s + exposed_s, "iteration_high_s": compute_s + exposed_s,
        "compute_s": compute_s, "allreduce_s": allreduce_s, "exposed_communication_s": exposed_s,
        "samples_per_s": speedup * 64 / 0.3, "one_gpu_samples_per_s": 64 / 0.3,
        "speedup": speedup, "efficiency": speedup / ranks, "broadcast_s": None, "verified": False,
        "bottleneck": None, "bottleneck_utilisation": 0.9, "range_reason": None, "found_by": "fluid",
        "time_error_bound": 0.0, "links": [],
    }
    return {**entry, **changes}


def timeline() -> list[dict]:
    """Three layers of 100 ms, their gradients in two buckets beside the second and after all."""
    def span(lane: str, name: str, begin_s: float, end_s: float) -> dict:
        return {"lane": lane, "name": name, "begin_s": begin_s, "end_s": end_s}

    return [span("compute", "forward fc6", 0.0, 0.1), span("compute", "backward fc6", 0.1, 0.2),
            span("compute", "backward conv1", 0.2, 0.3), span("compute", "optimizer", 0.33, 0.34),
            span("communication", "bucket 1", 0.2, 0.26),
            span("communication", "bucket 2", 0.3, 0.33)]


def result(rows: list[dict], simulated: bool = True, **changes: Any) -> dict:
    provenance = {
        "program_version": "v0.1.0-7-g1234abc", "scenario": "baidu-40gpu",
        "scenario_file": "scenarios/baidu-40gpu.yaml", "scenario_sha256": "0123456789abcdef" * 4,
        "cluster": "svail", "backend": "simgrid" if simulated else "mpi", "host": "planner",
        "gpus": None,
        "started_at": "2024-05-06T07:08:09Z", "simulated": simulated,
    }
    return {"schema_version": 1, "provenance": {**provenance, **changes}, "rows": rows,
            "failures": []}


def write(folder: Path, name: str, content: dict) -> Path:
    file = folder / name
    file.write_text(json.dumps(content), encoding="utf-8")
    return file


class ResultsTest(unittest.TestCase):
    """A test that reads results from a folder of its own, `self.folder`."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def result(self, rows, name="result.json", **changes):
        return load(write(self.folder, name, result(rows, **changes)))
