#!/usr/bin/env python3
"""Tests of `ringcast measure` over the emulated fabric: real messages between hosts."""

from __future__ import annotations

import json
import shutil
import tempfile
import unittest
from pathlib import Path

from runs import HERE, RINGCAST, FabricCase

SCENARIO = """\
cluster: {cluster}
transport: {transport}
sizes: [{sizes}]
ring_order: [{orders}]
"""
BY_LEAF = "{name: by leaf, order: [0, 1, 2, 3, 4, 5, 6, 7]}"
ALTERNATING = "{name: alternating, order: [0, 4, 1, 5, 2, 6, 3, 7]}"


@unittest.skipUnless(shutil.which("mpirun"), "no emulated fabric: no mpirun")
class MeasureOverTheFabric(FabricCase):
    def setUp(self) -> None:
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)

    def scenario(self, cluster: str, sizes: str, orders: str = "by-rank") -> Path:
        file = self.folder / "scenario.yaml"
        clusters = HERE / "clusters"
        file.write_text(SCENARIO.format(cluster=clusters / f"{cluster}.yaml", sizes=sizes,
                                        orders=orders, transport=clusters / "transport.yaml"))
        return file

    def rows(self, cluster: str, sizes: str, orders: str) -> list[dict]:
        file = self.scenario(cluster, sizes, orders)
        result = self.folder / "result.json"
        run = self.started(
            cluster=cluster, holds=9 if cluster.endswith("leaves") else 5,
            command=f"{RINGCAST} measure {file} --output {result} --repetitions 3 --quiet")
        _, errors = run.communicate(timeout=120)
        self.assertEqual(run.returncode, 0, errors)
        self.expect_gone(run)
        return json.loads(result.read_text())["rows"]

    def test_sums_exactly(self) -> None:
        # fewer elements than ranks, a prime number of them, several frames
        rows = self.rows("one-switch", "0, 4 B, 12 B, 404 B, 256 KiB", "by-rank, [2, 0, 3, 1]")

        self.assertEqual(len(rows), 10)
        for row in rows:
            self.assertTrue(row["verified"], row)

    def test_finds_the_worse_ring_order_slower(self) -> None:
        rows = self.rows("two-leaves", "1 MiB", f"{BY_LEAF}, {ALTERNATING}")

        fastest = {row["ring_order"]: row["time_min_s"] for row in rows}
        # Four streams share each direction of the cable between the leaves, which takes four times
        # as long as one stream. The order changes only if a busy machine adds three times its
        # duration to each repetition of the shorter run.
        self.assertGreater(fastest["alternating"], fastest["by leaf"])

    def test_searched_rings_are_faster_than_hosts_in_the_wrong_order(self) -> None:
        rows = self.rows("scrambled-leaves", "1 MiB", "by-rank, searched")

        fastest = {row["ring_order"]: row["time_min_s"] for row in rows}
        # In the order by rank, four hops cross the link between the leaves in each direction, in
        # the searched order one.
        self.assertGreater(fastest["by-rank"], fastest["searched"])
        self.assertTrue(all(row["verified"] for row in rows), rows)

    def test_ends_where_a_host_stops_answering(self) -> None:
        file = self.scenario("one-switch", "16 MiB")
        # A rank sends 25 MB in each repetition.
        run = self.started("--cut", "node2", "--sent", "50", "--timeout", "80", command=(
            f"{RINGCAST} measure {file} --repetitions 1000 --budget 500s --timeout 5s --quiet"))

        _, errors = run.communicate(timeout=110)

        self.assertEqual(run.returncode, 4, errors)
        told = [line for line in errors.splitlines() if line.startswith("ringcast: ")]
        self.assertEqual(len(told), 1, errors)
        self.assertRegex(told[0], r"rank [0-3]: .* rank [0-3] .*message \d+ of the stream")
        self.expect_gone(run)


if __name__ == "__main__":
    unittest.main()
