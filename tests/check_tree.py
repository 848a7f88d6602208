#!/usr/bin/env python3
"""Checks what no compiler checks: which way rooms depend, and that documents tell the truth.

Prints `file:line: problem` for each problem, and exits 1 if there is one.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Iterator

import documents
from documents import NOT_IN_THE_TREE, Problem, numbered

# Every room, and the rooms that it includes besides itself.
_NUMBERS = {"engine/numbers"}
_SYSTEM = {"engine/system"}
_CONTRACTS = _NUMBERS | {"engine/contracts"}
_SCHEDULE = _CONTRACTS | {"engine/schedule"}
_COLLECTIVES = _SCHEDULE | {"engine/collectives"}
_ENGINE = _COLLECTIVES | {"engine/reference", "engine/training"}
_LINKS = _NUMBERS | {"topology/links"}
_CLUSTER = _LINKS | {"topology/cluster"}
_TRANSFERS = _CONTRACTS | _CLUSTER | {"topology/routes"}
_RINGS = _SCHEDULE | _TRANSFERS | {"topology/transfers"}
_TOPOLOGY = _RINGS | {"topology/rings", "topology/nccl"}
_SIMULATED = _ENGINE | _TOPOLOGY
_SIM = _SIMULATED | {"sim/model", "sim/simgrid", "sim/fluid", "sim/folding", "sim/recurrence"}
_YAML = _NUMBERS | _SYSTEM | {"app/common"}
_CLUSTERS = _YAML | _TOPOLOGY | {"topology/import", "app/config/yaml"}
_SCENARIOS = _CLUSTERS | _ENGINE | {"app/config/cluster"}
_REPORT = _SCENARIOS | {"app/config/scenario"}
_CELLS = _REPORT | {"app/report"}
MAY_INCLUDE = {
    "engine/numbers": set(),
    "engine/system": _NUMBERS,
    "engine/contracts": _NUMBERS,
    "engine/schedule": _CONTRACTS,
    "engine/collectives": _SCHEDULE,
    "engine/reference": _CONTRACTS,
    "engine/training": _COLLECTIVES,
    "topology/links": _NUMBERS,
    "topology/cluster": _LINKS,
    "topology/routes": _CONTRACTS | _CLUSTER,
    "topology/transfers": _TRANSFERS,
    "topology/rings": _RINGS,
    "topology/nccl": _RINGS | {"topology/rings"},
    "topology/import": _SYSTEM | _CLUSTER,
    "sim/model": _SIMULATED,
    "sim/simgrid": _SIMULATED | {"sim/model"},
    "sim/fluid": _SIMULATED | {"sim/model"},
    "sim/folding": _SIMULATED | {"sim/model", "sim/fluid"},
    "sim/recurrence": _SIMULATED | {"sim/model"},
    "sim/job": _SIM,
    "real/gpu": _ENGINE,
    "real/mpi": _SYSTEM | _ENGINE | {"real/gpu"},
    "app/common": _NUMBERS | _SYSTEM,
    "app/config/yaml": _YAML,
    "app/config/cluster": _CLUSTERS,
    "app/config/scenario": _SCENARIOS,
    "app/report": _REPORT,
    "app/logs": _CELLS,
    "app/calibrate": _CELLS,
    "app/measure": _CELLS | {"real/gpu", "real/mpi"},
    "app/predict": _CELLS | _SIM | {"app/calibrate", "sim/job"},
}
MAY_INCLUDE["app/cli"] = set(MAY_INCLUDE)  # the commands alone know all rooms
MAY_INCLUDE["tests"] = set(MAY_INCLUDE)
# Third-party headers by their beginning, and the rooms whose sources may see them.
THIRD_PARTY = {
    r"boost/graph/": {"topology/routes", "topology/rings"},
    r"boost/context/": {"sim/model"},
    r"coin/": {"topology/rings"},
    r"(simgrid|xbt)[/.]": {"sim/simgrid"},
    r"yaml-cpp/": {"app/config/yaml"},
    r"nlohmann/": {"app/report", "app/calibrate", "app/predict"},
    r"openssl/": {"app/report"},
    r"sqlite3": {"app/common"},
    r"CLI/": {"app/cli"},
    r"(mpi|mpi-ext)\.h|nccl": {"real/mpi"},
    r"cuda": {"real/gpu", "real/mpi"},
    r"hwloc": {"topology/import"},
    r"pugixml": {"topology/import"},
    r"(gtest|gmock)/": set(),
}
# Headers that only declare names: a header may include them.
FORWARD_DECLARATIONS = {"nlohmann/json_fwd.hpp"}
CPP_SUFFIXES = {".cpp", ".hpp", ".h", ".cu"}
SOURCE_SUFFIXES = CPP_SUFFIXES | {".py", ".sh", ".cmake"}
MOST_LINES = 300

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


def room_of(path: str) -> str | None:
    """The room that a file is in: the longest of its folders that is one."""
    folders = path.split("/")[:-1]
    names = ("/".join(folders[:depth]) for depth in range(len(folders), 0, -1))
    return next((name for name in names if name in MAY_INCLUDE), None)


def include_directions(root: Path, files: list[str]) -> Iterator[Problem]:
    tops = {room.split("/")[0] for room in MAY_INCLUDE}
    for file, number, header, quoted in includes(root, files):
        room, target = room_of(file), room_of(header)
        if not quoted:
            continue
        if room is None:
            yield file, number, f"{file} is in no room (expected one of {', '.join(MAY_INCLUDE)})"
        elif header.split("/")[0] not in tops:
            yield file, number, f'"{header}" is not written from the repository root'
        elif target is None:
            yield file, number, f"{header} is in no room (expected one of {', '.join(MAY_INCLUDE)})"
        elif target != room and target not in MAY_INCLUDE[room]:
            allowed = ", ".join([room, *sorted(MAY_INCLUDE[room])])
            yield file, number, f"{room} includes {header} (expected from {allowed} only)"


def third_party_headers(root: Path, files: list[str]) -> Iterator[Problem]:
    for file, number, header, _ in includes(root, files):
        room, suffix = room_of(file), Path(file).suffix
        for pattern, homes in THIRD_PARTY.items():
            if room == "tests" or not re.match(pattern, header):
                continue
            if room not in homes:
                where = " or ".join(sorted(homes)) or "tests"
                yield file, number, f"<{header}> in {room} (expected in {where} only)"
            elif suffix not in (".cpp", ".cu") and header not in FORWARD_DECLARATIONS:
                yield file, number, f"<{header}> in a header (expected in a source file)"


def includes(root: Path, files: list[str]) -> Iterator[tuple[str, int, str, bool]]:
    """File, line, header, and whether it is in quotes."""
    for file in files:
        if Path(file).suffix in CPP_SUFFIXES:
            for number, line in numbered(root / file):
                found = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
                if found:
                    yield file, number, found[2], found[1] == '"'


def documented_rooms(root: Path, files: list[str]) -> Iterator[Problem]:
    """ARCHITECTURE.md's table of rooms: each row's direct includes, and theirs, are the room's."""
    if "ARCHITECTURE.md" not in files:
        return
    direct: dict[str, tuple[int, set[str]]] = {}
    for number, line in numbered(root / "ARCHITECTURE.md"):
        if found := re.match(r"\| `([\w/]+)/` \| (every room|(?:`[\w/]+/`(?:, )?)*) ?\| ", line):
            named = set(MAY_INCLUDE) - {"tests"} if found[2] == "every room" else set(
                re.findall(r"`([\w/]+)/`", found[2]))
            direct[found[1]] = number, named
    for room, (number, _) in direct.items():
        reached, ahead = set(), [room]
        while ahead:
            new = direct.get(ahead.pop(), (0, set()))[1] - reached
            reached |= new
            ahead += new
        for other in sorted((reached ^ MAY_INCLUDE.get(room, set())) - {room}):
            where = "here" if other in reached else "in check_tree.py"
            yield "ARCHITECTURE.md", number, f"{room} includes {other} {where} only"
    for room in set(MAY_INCLUDE) - set(direct) if direct else ():
        yield "ARCHITECTURE.md", 1, f"{room} is not in the table of rooms"


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


RULES = (include_directions, third_party_headers, documented_rooms, types_of_one_name,
         long_files, *documents.RULES)

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
