"""The rows of predictions by the built programs. RINGCAST_BIN is their folder."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RINGCAST = Path(os.environ.get("RINGCAST_BIN", ROOT / "build" / "release" / "bin")) / "ringcast"


def predicted_rows(scenario: str, *options: str) -> list[dict]:
    """`scenario`: without folder and suffix of the catalogue, `training/tf-dgx1-vgg16`."""
    run = subprocess.run(
        [RINGCAST, "predict", f"scenarios/{scenario}.yaml", "--format", "json", "--quiet", *options],
        cwd=ROOT, check=False, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout)["rows"]
