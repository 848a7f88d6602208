"""Every scenario of the catalogue takes the same time in the cheapest way and on SimGrid.

RINGCAST_BIN is the folder of the programs. RINGCAST_ALL_ROWS=1 compares all rows that SimGrid can
simulate; without it, those that take a second or two.
"""

from __future__ import annotations

import math
import os
import unittest

from predictions import ROOT, predicted_rows

ALL_ROWS = os.environ.get("RINGCAST_ALL_ROWS") == "1"
EXACT = 1e-9  # relative, of rows that print no other bound
# Rows with segments: SimGrid takes events within a picosecond for one, and where they share links
# that adds up (4.4e-9 in rivals, parameter-server, 40 ranks).
SEGMENTS = 1e-8
ROUNDED = 0.01  # likewise, of rows whose chunks were rounded up by that at most, with unknown error

# The options that keep a scenario short, and those that keep it to what SimGrid can simulate:
# 16,384 ranks would take it half an hour or more.
SCENARIOS: dict[str, tuple[list[str], list[str]]] = {
    "baidu-40gpu": ([], []),
    "deep-speech-2-openmpi": (["--ranks", "4,8,16,32"], []),
    "deep-speech-2-ring": (["--ranks", "4,8,16,32"], []),
    "deep-speech-2-scaling": (["--ranks", "1,8"], []),
    "llama-7b-h200": (["--ranks", "1,8", "--overlap", "on"], []),
    "lm-300m-baidu": (["--ranks", "1,8,16"], []),
    "naive-against-ring": (["--ranks", "2,16"], []),
    "one-host": ([], []),
    "one-host-training": ([], []),
    "resnet50-dgx-a100": ([], []),
    "ring-orders": ([], []),
    "rivals": (["--ranks", "2,8"], []),
    "scale": (["--ranks", "8,64"], ["--ranks", "8,64,1024"]),
    "scale-1024": (["--ranks", "64"], []),
    "scale-8-cards": (["--ranks", "8"], ["--ranks", "8,64"]),
    "sizes": ([], []),
    "training-rivals": (["--ranks", "2,8"], []),
}


def rows(name: str, fidelity: str) -> list[dict]:
    options = SCENARIOS[name][1 if ALL_ROWS else 0]
    return predicted_rows(name, "--fidelity", fidelity, *options)


def times(row: dict) -> dict[str, float]:
    return {key: row[key] for key in ("time_s", "iteration_s", "allreduce_s") if key in row}


def label(row: dict) -> str:
    keys = ("ranks", "size_bytes", "algorithm", "ring_order", "channels", "overlap",
            "bucket_size_bytes")
    return ", ".join(f"{key} {row[key]}" for key in keys if key in row)


class FidelityTest(unittest.TestCase):
    def test_every_scenario_is_compared(self):
        files = {file.stem for file in (ROOT / "scenarios").glob("*.yaml")}

        self.assertEqual(files, set(SCENARIOS))

    def test_both_ways_find_the_same(self):
        for name in SCENARIOS:
            cheapest, simulated = rows(name, "auto"), rows(name, "simulated")
            self.assertEqual(len(cheapest), len(simulated), name)
            self.assertTrue(cheapest, name)
            for ours, theirs in zip(cheapest, simulated):
                with self.subTest(f"{name}: {label(ours)}, {ours['found_by']}"):
                    self.assertEqual(label(ours), label(theirs))
                    self.assertEqual(theirs["found_by"], "simulated")
                    self.expect_same_times(ours, theirs)
                    self.expect_same_traffic(ours, theirs)

    def expect_same_times(self, ours: dict, theirs: dict) -> None:
        if ours.get("range_reason"):
            # Nanoseconds change the first digits of the time: each one in the range is right.
            self.assertTrue(theirs.get("range_reason"))
            self.assertLessEqual(theirs["time_min_s"], ours["time_max_s"] * (1 + EXACT))
            self.assertGreaterEqual(theirs["time_max_s"], ours["time_min_s"] * (1 - EXACT))
            return
        # The bound says by how much the cheapest way may be too long.
        bound = ours["time_error_bound"]
        rounding = SEGMENTS if ours.get("segment_bytes") else EXACT
        for key, time in times(ours).items():
            if bound is None:
                self.assertAlmostEqual(time / theirs[key], 1, delta=ROUNDED, msg=key)
                continue
            most = ours.get("time_max_s", 0) if key == "time_s" else 0
            self.assertGreaterEqual(max(time, most), theirs[key] * (1 - rounding), key)
            self.assertLessEqual(time * (1 - bound), theirs[key] * (1 + rounding), key)

    def expect_same_traffic(self, ours: dict, theirs: dict) -> None:
        self.assertEqual(ours.get("messages"), theirs.get("messages"))
        carried = {link["name"]: link["carried_bytes"] for link in theirs["links"]}
        self.assertEqual({link["name"] for link in ours["links"]}, set(carried))
        for link in ours["links"]:
            bound = ours["time_error_bound"]
            slack = (ROUNDED if bound is None else bound) * carried[link["name"]]
            self.assertTrue(math.isclose(link["carried_bytes"], carried[link["name"]], rel_tol=0,
                                         abs_tol=slack), link["name"])


if __name__ == "__main__":
    unittest.main()
