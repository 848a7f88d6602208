"""Pictures as files: whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from ringcast_analysis.results import ResultError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Without a date in it, the same picture is the same file.
METADATA = {".png": {}, ".svg": {"Date": None}}


def check_output(file: Path) -> None:
    """Refuses, before any work, a file that save() could not write."""
    if file.suffix.lower() not in METADATA:
        raise ResultError(f"{file}: unknown suffix {file.suffix!r} (expected .png or .svg)")
    if file.is_dir():
        raise ResultError(f"{file}: cannot be written: it is a folder (expected a file)")
    folder = file.parent
    if not folder.is_dir() or not os.access(folder, os.W_OK | os.X_OK):
        problem = "cannot be written" if folder.is_dir() else "no such folder"
        raise ResultError(
            f"{file}: {problem}: {folder} (expected a folder that exists and can be written)"
        )


def save(figure: Figure, file: Path) -> None:
    """Writes beside `file`, then renames."""
    check_output(file)
    suffix = file.suffix.lower()
    beside = file.with_name(f".{file.name}.{os.getpid()}")
    try:
        with open(beside, "xb") as stream:
            figure.savefig(stream, format=suffix[1:], dpi=150, metadata=METADATA[suffix])
        os.replace(beside, file)
    except OSError as error:
        raise ResultError(
            f"{file}: cannot be written: {error.strerror}"
            " (expected a folder that exists and can be written)"
        ) from error
    finally:
        beside.unlink(missing_ok=True)
