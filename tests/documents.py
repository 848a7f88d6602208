"""Rules of check_tree.py for documents: paths exist, commands are run, outputs are true."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Iterator

Problem = tuple[str, int, str]

NAMED_SUFFIXES = {".md", ".cpp", ".hpp", ".h", ".cu", ".py", ".sh", ".cmake", ".yaml", ".golden"}
NOT_IN_THE_TREE = {"build", "results", ".."}  # made by commands; relative
COMMAND = re.compile(r"(ringcast|build/release/bin/ringcast|\./\S+)(\s|$)")
RUN_BY_HAND = {"./check.sh"}  # it runs this script


def for_users(files: list[str]) -> list[str]:
    """README.md and the pages of docs/."""
    return [file for file in files if file == "README.md" or re.fullmatch(r"docs/[^/]+\.md", file)]


def named_paths(root: Path, files: list[str]) -> Iterator[Problem]:
    """Links, from the document's folder, and `code spans` that look like paths, from there or from
    the root, name something in the tree."""
    tops = {file.split("/")[0] for file in files}
    for document in [file for file in files if file.endswith(".md")]:
        folder = (root / document).parent
        for number, line in prose(root / document):
            links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", line)
            spans = [span for span in re.findall(r"`([^`\s]+)`", line)]
            for name in [link for link in links if ":" not in link]:
                if not (folder / name).exists():
                    yield document, number, f"{name} does not exist"
            for name in spans:
                if (looks_like_path(name, tops) and not exists(root, files, name)
                        and not any(folder.glob(name.rstrip("/")))):
                    yield document, number, f"{name} does not exist"


def looks_like_path(name: str, tops: set[str]) -> bool:
    if not re.fullmatch(r"[\w.*/-]+", name) or name.split("/")[0] in NOT_IN_THE_TREE:
        return False
    if "/" in name.rstrip("/"):
        return name.split("/")[0] in tops or Path(name).suffix in NAMED_SUFFIXES
    # A name alone ("name.hpp") may stand for a file of any folder; *.hpp names a kind.
    return Path(name).suffix in NAMED_SUFFIXES and "*" not in name


def exists(root: Path, files: list[str], name: str) -> bool:
    bare = name.removeprefix("./").rstrip("/")
    if "*" in bare:
        return any(root.glob(bare))
    return (root / bare).exists() or ("/" not in bare and
                                      any(Path(file).name == bare for file in files))


def commands_are_run(root: Path, files: list[str]) -> Iterator[Problem]:
    """Every command that README.md and docs/ show is run by a transcript or by check.sh."""
    run = set(RUN_BY_HAND)
    for file in files:
        if file.startswith("tests/golden/") and file.endswith(".golden"):
            run |= {command.removeprefix("$ ") for _, command in joined(numbered(root / file))
                    if command.startswith("$ ")}
    if "check.sh" in files:
        run |= {line.strip() for _, line in numbered(root / "check.sh")}
    run = {plain(command) for command in run}
    for document in for_users(files):
        for number, command in joined(fenced(root / document)):
            text = command.removeprefix("$ ")
            if COMMAND.match(text) and plain(text) not in run:
                yield document, number, f"{text}: not run by a transcript in tests/golden"


def outputs_are_true(root: Path, files: list[str]) -> Iterator[Problem]:
    """What README.md and docs/ show below a command is what a transcript has there, in order. A
    line of three dots stands for any lines."""
    shown = {}
    for file in files:
        if file.startswith("tests/golden/") and file.endswith(".golden"):
            shown |= with_outputs(numbered(root / file))
    for document in for_users(files):
        for command, output in with_outputs(fenced(root / document)).items():
            rest = iter([text for _, text in shown.get(command, [])])
            for number, text in output:
                if command in shown and text not in ("...", "") and not any(
                        text == line or line.startswith("~ ") and re.fullmatch(line[2:], text)
                        for line in rest):
                    yield document, number, f"{text}: not in the output of {command}"


def with_outputs(lines: list[tuple[int, str]]) -> dict[str, list[tuple[int, str]]]:
    """The lines below each command."""
    outputs: dict[str, list[tuple[int, str]]] = {}
    command = None
    for number, line in joined(lines):
        if line.startswith("$ "):
            command = plain(line.removeprefix("$ "))
            outputs[command] = []
        elif command is not None:
            outputs[command].append((number, line))
    return outputs


def plain(command: str) -> str:
    """Without what does not change the command: its place, spaces, a remark."""
    text = re.sub(r"\s+#\s.*$", "", command).removeprefix("build/release/bin/")
    return " ".join(text.split())


def joined(lines: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """Lines that end in a backslash with the lines that they go on in."""
    whole: list[tuple[int, str]] = []
    open_line = False
    for number, line in lines:
        text = line.removesuffix("\\")
        if open_line:
            whole[-1] = (whole[-1][0], f"{whole[-1][1].rstrip()} {text.strip()}")
        else:
            whole.append((number, text))
        open_line = line.endswith("\\")
    return whole


def fenced(document: Path) -> list[tuple[int, str]]:
    """The lines inside ```console and ```sh blocks."""
    return [(number, line) for number, line, language in with_language(document)
            if language in ("console", "sh")]


def prose(document: Path) -> list[tuple[int, str]]:
    return [(number, line) for number, line, language in with_language(document)
            if language is None]


def with_language(document: Path) -> Iterator[tuple[int, str, str | None]]:
    """Each line with the language of the fenced block that it is in; None outside."""
    language: str | None = None
    for number, line in numbered(document):
        fence = re.match(r"\s*```\s*(\w*)", line)
        if fence:
            language = None if language is not None else fence[1]
        else:
            yield number, line, language


def numbered(file: Path) -> list[tuple[int, str]]:
    return list(enumerate(file.read_text(encoding="utf-8").splitlines(), start=1))


RULES = (named_paths, commands_are_run, outputs_are_true)
