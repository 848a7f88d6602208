#!/usr/bin/env python3
"""Checks what no compiler checks: which way folders depend, and that documents tell the truth.

Prints `file:line: problem` for each problem, and exits 1 if there is one.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Iterator

MAY_INCLUDE = {
    "engine": {"engine"},
    "topology": {"engine", "topology"},
    "sim": {"engine", "topology", "sim"},
    "real": {"engine", "real"},
    "scenarios": {"engine", "topology", "sim", "real", "scenarios"},
    "tests": {"engine", "topology", "sim", "real", "scenarios", "tests"},
}
# Third-party headers by their beginning, and the folders whose sources may see them.
THIRD_PARTY = {
    r"boost/": {"topology"},
    r"(simgrid|xbt)[/.]": {"sim"},
    r"(yaml-cpp|CLI|nlohmann|openssl)/": {"scenarios"},
    r"(mpi|mpi-ext)\.h|cuda|nccl|nvml": {"real"},
    r"hwloc": {"real", "scenarios"},
    r"(gtest|gmock)/": set(),
}
CPP_SUFFIXES = {".cpp", ".hpp", ".h", ".cu"}
SOURCE_SUFFIXES = CPP_SUFFIXES | {".py", ".sh", ".cmake"}
MOST_LINES = 300

DOCUMENTS = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")
NAMED_SUFFIXES = {".md", ".cpp", ".hpp", ".h", ".cu", ".py", ".sh", ".cmake", ".yaml", ".golden"}
NOT_IN_THE_TREE = {"build", "results"}  # made by the commands
COMMAND = re.compile(r"(ringcast|build/release/bin/ringcast|\./\S+)(\s|$)")
RUN_BY_HAND = {"./check.sh"}  # it runs this script

Problem = tuple[str, int, str]


def main(arguments: list[str]) -> int:
    root = Path(arguments[0]) if arguments else Path(__file__).resolve().parents[1]
    files = tracked(root)
    problems = [problem for rule in RULES for problem in rule(root, files)]
    for file, line, problem in problems:
        print(f"{file}:{line}: {problem}")
    return 1 if problems else 0


def tracked(root: Path) -> list[str]:
    """Every file of the project; what git ignores is none."""
    if (root / ".git").exists():
        listed = subprocess.run(
            ["git", "-c", "safe.directory=*", "-C", str(root), "ls-files", "-z", "--cached",
             "--others", "--exclude-standard"], capture_output=True, text=True, check=True)
        names = listed.stdout.split("\0")
        return sorted(name for name in names if name and (root / name).is_file())
    names = (path.relative_to(root).as_posix() for path in root.rglob("*") if path.is_file())
    return sorted(name for name in names if name.split("/")[0] not in NOT_IN_THE_TREE)


def include_directions(root: Path, files: list[str]) -> Iterator[Problem]:
    for file, number, header, quoted in includes(root, files):
        folder = file.split("/")[0]
        if not quoted or folder not in MAY_INCLUDE:
            continue
        target = header.split("/")[0]
        if target not in MAY_INCLUDE:
            yield file, number, f'"{header}" is not written from the repository root'
        elif target not in MAY_INCLUDE[folder]:
            allowed = ", ".join(sorted(MAY_INCLUDE[folder]))
            yield file, number, f"{folder} includes {header} (expected from {allowed} only)"


def third_party_headers(root: Path, files: list[str]) -> Iterator[Problem]:
    for file, number, header, _ in includes(root, files):
        folder, suffix = file.split("/")[0], Path(file).suffix
        for pattern, homes in THIRD_PARTY.items():
            if folder == "tests" or not re.match(pattern, header):
                continue
            if folder not in homes:
                where = " or ".join(sorted(homes)) or "tests"
                yield file, number, f"<{header}> in {folder} (expected in {where} only)"
            elif suffix not in (".cpp", ".cu"):
                yield file, number, f"<{header}> in a header (expected in a source file)"


def includes(root: Path, files: list[str]) -> Iterator[tuple[str, int, str, bool]]:
    """File, line, header, and whether it is in quotes."""
    for file in files:
        if Path(file).suffix in CPP_SUFFIXES:
            for number, line in numbered(root / file):
                found = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
                if found:
                    yield file, number, found[2], found[1] == '"'


def long_files(root: Path, files: list[str]) -> Iterator[Problem]:
    for file in files:
        if Path(file).suffix in SOURCE_SUFFIXES or Path(file).name == "CMakeLists.txt":
            count = len(numbered(root / file))
            if count > MOST_LINES:
                yield file, count, f"{count} lines (expected {MOST_LINES} or fewer)"


def types_of_one_name(root: Path, files: list[str]) -> Iterator[Problem]:
    """Two types of one name in one namespace are undefined behaviour that no tool of the build
    reports: the linker takes either. Types of anonymous namespaces are those of their file."""
    first: dict[str, str] = {}
    for file in files:
        if Path(file).suffix in CPP_SUFFIXES:
            for number, name in types(root / file):
                known = first.setdefault(name, file)
                if known != file:
                    yield file, number, f"{name} is a type of {known} too"


def types(file: Path) -> Iterator[tuple[int, str]]:
    """The types that a file defines in named namespaces, with these before their names. Reads the
    layout of clang-format: what is in a namespace is not indented."""
    inside: list[str] = []
    for number, line in numbered(file):
        if found := re.match(r"(?:inline )?namespace ?([\w:]*) ?\{", line):
            inside.append(found[1])
        elif re.match(r"\}  // namespace", line):
            inside.pop()
        elif found := re.match(r"(?:struct|class|enum class|union)\s+(?:\[\[\w+\]\]\s*)?(\w+)"
                               r"(?![\w<:])(?!.*;$)", line):
            if "" not in inside:
                yield number, "::".join([*inside, found[1]])


def named_paths(root: Path, files: list[str]) -> Iterator[Problem]:
    """Links and `code spans` that look like paths of the tree name something in it."""
    tops = {file.split("/")[0] for file in files}
    for document in DOCUMENTS:
        if document not in files:
            continue
        for number, line in prose(root / document):
            links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", line)
            spans = [span for span in re.findall(r"`([^`\s]+)`", line)]
            for name in [link for link in links if "://" not in link and ":" not in link]:
                if not exists(root, files, name):
                    yield document, number, f"{name} does not exist"
            for name in spans:
                if looks_like_path(name, tops) and not exists(root, files, name):
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
    if "README.md" not in files:
        return
    run = set(RUN_BY_HAND)
    for file in files:
        if file.startswith("tests/golden/") and file.endswith(".golden"):
            run |= {command.removeprefix("$ ") for _, command in joined(numbered(root / file))
                    if command.startswith("$ ")}
    if "check.sh" in files:
        run |= {line.strip() for _, line in numbered(root / "check.sh")}
    run = {plain(command) for command in run}
    for number, command in joined(fenced(root / "README.md")):
        text = command.removeprefix("$ ")
        if COMMAND.match(text) and plain(text) not in run:
            yield "README.md", number, f"{text}: not run by a transcript in tests/golden"


def outputs_are_true(root: Path, files: list[str]) -> Iterator[Problem]:
    """What README.md shows below a command is what a transcript has there, in order. A line of
    three dots stands for any lines."""
    if "README.md" not in files:
        return
    shown = {}
    for file in files:
        if file.startswith("tests/golden/") and file.endswith(".golden"):
            shown |= with_outputs(numbered(root / file))
    for command, output in with_outputs(fenced(root / "README.md")).items():
        rest = iter([text for _, text in shown.get(command, [])])
        for number, text in output:
            if command in shown and text not in ("...", "") and not any(
                    text == line or line.startswith("~ ") and re.fullmatch(line[2:], text)
                    for line in rest):
                yield "README.md", number, f"{text}: not in the output of {command}"


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


RULES = (include_directions, third_party_headers, types_of_one_name, long_files, named_paths,
         commands_are_run, outputs_are_true)

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
