#!/usr/bin/env python3
"""Runs a transcript and compares it with what happens now.

    // A remark; it ends the output above it.
    $ ringcast predict scenarios/nothing.yaml
    ! exit 2
    lines of standard output
    ~ a regular expression that must match its whole line
    stderr> a line of standard error

    < NAME
    | a line of the file NAME, which is written before the next command runs

A command ends with its line unless that ends in a backslash. An output line that would read as
one of these is written with a backslash before it. All commands of a file run in one fresh folder
with the repository's files and an empty results/ in it; build/release/bin/ringcast is the program
under test there, and so is ringcast. The folder's own name appears as $TMP, and no line says how long a
run takes.
"""

from __future__ import annotations

import argparse
import difflib
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOT_LINKED = {"build", "results", ".git"}
SPECIAL = ("$ ", "! ", "// ", "~ ", "stderr> ", "< ", "| ", "\\")
BARE = ("//", "~", "|")
TIMEOUT_S = 600
# Printed where this machine is slow or loaded.
ESTIMATE = r"ringcast: [\w-]+( takes about .*|: \d+ of \d+ cells done|: \d+ % of the ranks recorded)"


@dataclass
class Block:
    """One command with the remarks and files above it and what it should print."""

    above: list[str] = field(default_factory=list)
    command: list[str] = field(default_factory=list)
    body: list[str] = field(default_factory=list)


def parse(text: str) -> tuple[list[Block], list[str]]:
    """The blocks, and the lines after the last one."""
    blocks: list[Block] = []
    pending: list[str] = []
    continued = False
    for line in text.splitlines():
        if continued:
            blocks[-1].command.append(line)
            continued = line.endswith("\\")
        elif line.startswith("$ "):
            blocks.append(Block(above=pending, command=[line]))
            pending = []
            continued = line.endswith("\\")
        elif is_between(line) or line == "" or not blocks:
            pending.append(line)
        elif any(is_between(other) for other in pending):
            raise ValueError(f"output without a command after a remark: {line!r}")
        else:
            blocks[-1].body += pending + [line]
            pending = []
    if any(line and not is_between(line) for line in (blocks[0].above if blocks else pending)):
        raise ValueError("the transcript does not begin with a remark or a command")
    return blocks, pending


def is_between(line: str) -> bool:
    """Whether a line is a remark or of a file: it ends the output above it."""
    return line.startswith(("//", "< ", "| ")) or line == "|"


def files_of(block: Block) -> dict[str, str]:
    """The files above a command, by name."""
    files: dict[str, str] = {}
    name = None
    for line in block.above:
        if line.startswith("< "):
            name = line[2:]
            files[name] = ""
        elif not line.startswith("|"):
            name = None
        elif name is None:
            raise ValueError(f"a line of no file: {line!r}")
        else:
            files[name] += line[2:] + "\n"
    return files


def shell_text(block: Block) -> str:
    return "\n".join(block.command).removeprefix("$ ")


def run(block: Block, folder: Path, environment: dict[str, str]) -> list[str]:
    """The body that the block would have if it said what happens."""
    for name, text in files_of(block).items():
        (folder / name).write_text(text, encoding="utf-8")
    done = subprocess.run(
        ["sh", "-c", shell_text(block)], cwd=folder, env=environment, stdin=subprocess.DEVNULL,
        capture_output=True, timeout=TIMEOUT_S, check=False)
    body = []
    if done.returncode > 0:
        body.append(f"! exit {done.returncode}")
    elif done.returncode < 0:
        body.append(f"! signal {-done.returncode}")
    body += [escaped(line) for line in lines_of(done.stdout, folder)]
    body += [f"stderr> {line}".rstrip() for line in lines_of(done.stderr, folder)
             if not re.fullmatch(ESTIMATE, line)]
    return keep_patterns(block.body, body)


def lines_of(stream: bytes, folder: Path) -> list[str]:
    text = stream.decode("utf-8", "backslashreplace").replace(str(folder), "$TMP")
    return [line.rstrip() for line in text.rstrip("\n").split("\n")] if text else []


def escaped(line: str) -> str:
    return f"\\{line}" if line.startswith(SPECIAL) or line in BARE else line


def keep_patterns(expected: list[str], actual: list[str]) -> list[str]:
    """The actual lines, with the expected pattern in place of each line that it matches."""
    kept = list(actual)
    for i, (pattern, line) in enumerate(zip(expected, actual)):
        if pattern.startswith("~ ") and re.fullmatch(pattern[2:], line):
            kept[i] = pattern
    return kept


def transcript(text: str, folder: Path, environment: dict[str, str]) -> str:
    """The text as it would be written today."""
    blocks, after = parse(text)
    lines = []
    for block in blocks:
        lines += block.above + block.command + run(block, folder, environment)
    return "\n".join(lines + after) + "\n"


def prepare(folder: Path, programs: Path) -> dict[str, str]:
    """Fills the folder and gives the environment of the commands."""
    for entry in ROOT.iterdir():
        if entry.name not in NOT_LINKED:
            (folder / entry.name).symlink_to(entry)
    (folder / "results").mkdir()
    (folder / "build" / "release").mkdir(parents=True)
    (folder / "build" / "release" / "bin").symlink_to(programs)
    path = f"{programs}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    return {**os.environ, "PATH": path, "TMP": str(folder), "LC_ALL": "C.UTF-8", "COLUMNS": "100",
            "XDG_CACHE_HOME": str(folder / "cache")}


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Runs a transcript.")
    parser.add_argument("file", type=Path)
    parser.add_argument("--bin", type=Path, required=True, help="the folder of the programs")
    parser.add_argument("--update", action="store_true", help="write what happens into the file")
    options = parser.parse_args(arguments)
    expected = options.file.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(prefix="ringcast-golden-") as name:
        folder = Path(name).resolve()
        try:
            actual = transcript(expected, folder, prepare(folder, options.bin.resolve()))
        except (ValueError, subprocess.TimeoutExpired) as error:
            print(f"{options.file}: {error}", file=sys.stderr)
            return 1
    if options.update:
        options.file.write_text(actual, encoding="utf-8")
        return 0
    sys.stdout.writelines(difflib.unified_diff(
        expected.splitlines(keepends=True), actual.splitlines(keepends=True),
        f"{options.file} (expected)", f"{options.file} (actual)"))
    return 0 if actual == expected else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
