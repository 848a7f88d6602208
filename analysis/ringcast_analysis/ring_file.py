"""Output of `ringcast rings --format json` as dataclasses: rings and the machine they run on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ringcast_analysis.json_object import JsonObject, ResultError, key, read, records
from ringcast_analysis.results import Provenance, opened


@dataclass(frozen=True)
class Vertex:
    name: str = key(JsonObject.text)
    kind: str = key(JsonObject.text)
    node: int | None = key(JsonObject.count_or_none)  # None: a network switch

    @property
    def local_name(self) -> str:
        return self.name.split(".", 1)[-1]


@dataclass(frozen=True)
class Cable:
    a: str = key(JsonObject.text)
    b: str = key(JsonObject.text)
    bandwidth_bytes_per_s: float = key(JsonObject.quantity)


@dataclass(frozen=True)
class Machine:
    name: str
    ranks: tuple[str, ...]  # the vertex of each rank
    vertices: dict[str, Vertex]
    cables: tuple[Cable, ...]


@dataclass(frozen=True)
class Order:
    """Rings of equal shares."""

    name: str
    rings: tuple[tuple[int, ...], ...]
    paths: tuple[tuple[tuple[str, ...], ...], ...]  # by ring and hop; empty for a large job
    busbw_bytes_per_s: float
    predicted: bool
    proved_optimal: bool


@dataclass(frozen=True)
class RingFile:
    file: Path
    provenance: Provenance
    changes: tuple[str, ...]
    machine: Machine
    best: Order
    ring_bound_bytes_per_s: float
    ring_bound_reason: str


def load_rings(file: Path) -> RingFile:
    """Reads and checks one file; returns the last machine and the last of its orders."""
    top = opened(file)
    top.one_of("kind", ("rings",))
    machine = _last(top.objects("machines"), file)
    bound = machine.object("bounds").object("rings")
    drawn = _machine(machine.object("cluster"))
    best = _order(_last(machine.objects("orders"), file))
    if not best.rings or not all(_is_order(ring, drawn) for ring in best.rings):
        raise ResultError(f"{file}: a ring that is no order of ranks of the cluster (expected"
                          " each of its ranks once)")
    for name in (*drawn.ranks, *(end for cable in drawn.cables for end in (cable.a, cable.b))):
        if name not in drawn.vertices:
            raise ResultError(f"{file}: {name} is not in the list of vertices (expected it there)")
    return RingFile(file, read(Provenance, top.object("provenance")), tuple(machine.texts("changes")),
                    drawn, best, bound.quantity("busbw_bytes_per_s"), bound.text("reason"))


def _last(objects: list[JsonObject], file: Path) -> JsonObject:
    if not objects:
        raise ResultError(f"{file}: nothing compared (expected what ringcast rings wrote)")
    return objects[-1]


def _is_order(ring: tuple, machine: Machine) -> bool:
    return (0 < len(ring) <= len(machine.ranks) and all(isinstance(rank, int) for rank in ring)
            and sorted(ring) == list(range(len(ring))))


def _machine(entry: JsonObject) -> Machine:
    return Machine(entry.text("name"), tuple(entry.texts("ranks")),
                   {vertex.name: vertex for vertex in records(Vertex)(entry, "vertices")},
                   records(Cable)(entry, "cables"))


def _order(entry: JsonObject) -> Order:
    predicted = entry.has("busbw_bytes_per_s")
    busbw = entry.quantity("busbw_bytes_per_s" if predicted else "links_busbw_bytes_per_s")
    paths = entry.lists("paths") if entry.has("paths") else []
    return Order(entry.text("ring_order"), tuple(tuple(ring) for ring in entry.lists("rings")),
                 tuple(tuple(tuple(hop) for hop in ring) for ring in paths), busbw, predicted,
                 entry.flag("proved_optimal"))
