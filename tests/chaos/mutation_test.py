#!/usr/bin/env python3
"""Runs commands on files with mistakes: each must end with a result or a message, not an internal error.

`mutation_test.py --runs 20000 --seed 7 --jobs 2` makes more runs; without options, a few as a test.
RINGCAST_BIN is the folder of the programs. Each run changes one file of the catalogue or of the fuzz
seeds and gives it to a command that reads it, which must

- end with 0, or with 2 and a message that names a file;
- print no control characters and only UTF-8;
- need at most 60 s of CPU and 2 GB.

A file that violates this is kept, with its command, in the folder of `--keep`.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("RINGCAST_BIN", ROOT / "build" / "dev" / "bin")).resolve() / "ringcast"
CPU_S, MEMORY_BYTES = 60, 2e9
runs, seed, jobs, keep = 60, 1, 2, None


@dataclass(frozen=True)
class Kind:
    """Files of one kind, and the commands that read them; FILE is the changed file."""

    files: tuple[str, ...]  # patterns, relative to the project's folder
    commands: tuple[tuple[str, ...], ...]
    but: str = ""  # pattern of files that are of another kind


SHORT = ("--no-cache", "--quiet", "--output", "OUT")
FAT_TREES = "scenarios/clusters/fat-tree-*.yaml"
KINDS = (
    Kind(("scenarios/*.yaml",), (("show", "FILE"), ("predict", "FILE", *SHORT),
                                 ("rings", "FILE", "--no-predict", "--time-limit", "1 s"))),
    Kind(("scenarios/training/*.yaml",), (("show", "FILE"),)),
    Kind(("scenarios/clusters/*.yaml",),
         (("show", "FILE"), ("predict", "FILE", "--sizes", "1MiB", *SHORT),
          ("rings", "FILE", "--no-predict", "--time-limit", "1 s")), but=FAT_TREES),
    # All their 131,072 ranks take a minute.
    Kind((FAT_TREES,),
         (("show", "FILE"), ("predict", "FILE", "--ranks", "1024", "--sizes", "1MiB", *SHORT))),
    Kind(("scenarios/transports/*.yaml",),
         (("rings", "scenarios/clusters/dgx-a100.yaml", "--transport", "FILE", "--time-limit", "1 s"),)),
    Kind(("scenarios/published/*.yaml",), (("validate", "FILE", "--no-cache"),)),
    Kind(("tests/fuzz/seeds/result/*",), (("compare", "FILE", "FILE"), ("show", "FILE"))),
    Kind(("tests/fuzz/seeds/nccl_tests/*",), (("import", "nccl-tests", "FILE"),)),
    Kind(("tests/fuzz/seeds/osu/*",), (("import", "osu", "FILE"),)),
    Kind(("tests/fuzz/seeds/hwloc/*",), (("import", "hwloc", "FILE"),)),
    Kind(("tests/fuzz/seeds/nvidia_smi/*",), (("import", "nvidia-smi", "FILE"),)),
    Kind(("tests/fuzz/seeds/nccl_xml/*",), (("import", "nccl-xml", "FILE"),)),
    Kind(("tests/fuzz/seeds/ibnetdiscover/*",), (("import", "ibnetdiscover", "FILE"),)),
    Kind(("tests/fuzz/seeds/slurm/*",), (("import", "slurm", "FILE"),)),
)
# Typing errors, and values that programs may not expect.
VALUES = ("", "0", "-1", "1e308", "1e-320", "nan", "inf", "99999999999999999999", "2147483648", "0x10",
          "1,5", "1 000", "~", "null", "true", "no", "[]", "{}", "[[[[]]]]", "- -", "a: b: c", "*x",
          "&x y", "<<: *x", "!!binary AA==", "|", "\"", "'", "%s%n", "$(id)", "../../etc/passwd",
          "/dev/zero", "\x1b[31m", "\x00", "\u202e", "\u2028", "\ud7ff", "\ufeff", "x" * 5000,
          "GB/s", "1 TB/s", "12 parsecs", "64mb", "1..8", "8..1", "PIX", "NV18", "gpu0", "NODE")
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
WORD = re.compile(r"[A-Za-z_][\w-]*")
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def replaced(draw: random.Random, text: str, pattern: re.Pattern, by) -> str:
    found = list(pattern.finditer(text))
    if not found:
        return text
    match = draw.choice(found)
    return text[:match.start()] + by(match.group()) + text[match.end():]


def scaled(draw: random.Random, number: str) -> str:
    factor = draw.choice((-1, 0, 0.5, 3, 1e3, 1e6, 1e9, 1e-9, 1e30))
    value = float(number) * factor
    return str(int(value)) if abs(value) < 1e18 and draw.random() < 0.7 else repr(value)


def changed_lines(draw: random.Random, text: str) -> str:
    lines = text.splitlines(keepends=True) or [""]
    at, other = draw.randrange(len(lines)), draw.randrange(len(lines))
    change = draw.randrange(7)
    if change == 0:
        del lines[at]
    elif change == 1:
        lines.insert(other, lines[at])
    elif change == 2:
        lines[at], lines[other] = lines[other], lines[at]
    elif change == 3:
        lines[at] = " " * draw.randrange(1, 9) + lines[at]
    elif change == 4:
        lines[at] = lines[at].lstrip(" ")
    elif change == 5:
        del lines[min(at, other):max(at, other)]
    else:
        lines[at:at + 1] = lines[at:at + 1] * draw.choice((2, 10, 1000))
    return "".join(lines)


def changed_bytes(draw: random.Random, data: bytes) -> bytes:
    at = draw.randrange(len(data) + 1)
    change = draw.randrange(5)
    if change == 0:
        return data[:at]
    if change == 1:
        return data[:at] + bytes([draw.randrange(256)]) + data[at + 1:]
    if change == 2:
        return data[:at] + bytes(draw.randrange(256) for _ in range(4)) + data[at:]
    if change == 3:
        return data.decode("utf-8", "replace").encode(draw.choice(("utf-16", "latin-1", "utf-8-sig")),
                                                      "replace")
    return data.replace(b"\n", draw.choice((b"\r\n", b"\r", b"\n\n", b"\t\n", b"")))


def mutated(draw: random.Random, data: bytes) -> bytes:
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        text = data.decode("utf-8", "surrogateescape")
        change = draw.randrange(6)
        if change == 0:
            text = replaced(draw, text, NUMBER, lambda number: scaled(draw, number))
        elif change == 1:
            text = replaced(draw, text, NUMBER, lambda _: draw.choice(VALUES))
        elif change == 2:
            text = replaced(draw, text, WORD, lambda _: draw.choice(VALUES))
        elif change == 3:
            words = WORD.findall(text) or [""]
            text = replaced(draw, text, WORD, lambda _: draw.choice(words))
        elif change == 4:
            text = changed_lines(draw, text)
        data = text.encode("utf-8", "surrogateescape")
        if change == 5:
            data = changed_bytes(draw, data)
    return data


def limit() -> None:
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S + 2))


def failure_of(command: list[str], folder: Path, name: str) -> str | None:
    """Returns how the end of a command violates the rules above, if it does."""
    with (tempfile.TemporaryFile(dir=folder) as out, tempfile.TemporaryFile(dir=folder) as err,
          subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=out, stderr=err,
                           preexec_fn=limit) as process):
        _, status, usage = os.wait4(process.pid, 0)  # of this child only, unlike RUSAGE_CHILDREN
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        printed, said = out.read(), err.read()
    if process.returncode not in (0, 2):
        return f"exit {process.returncode}: {said[-300:]!r}"
    # The error may be in another file that this one names.
    if process.returncode == 2 and name.encode() not in said and b"scenarios/" not in said:
        return f"the message names no file: {said[-300:]!r}"
    for text in (printed, said):
        try:
            if CONTROL.search(text.decode()):
                return f"a control character: {text[:300]!r}"
        except UnicodeDecodeError:
            return f"no UTF-8: {text[:300]!r}"
    if usage.ru_utime + usage.ru_stime > CPU_S:
        return f"{usage.ru_utime + usage.ru_stime:.0f} s of CPU"
    if usage.ru_maxrss * 1024 > MEMORY_BYTES:
        return f"{usage.ru_maxrss / 1024:.0f} MB"
    return None


def run_one(number: int, folder: Path) -> str | None:
    draw = random.Random(f"{seed} {number}")
    kind = draw.choice(KINDS)
    file = draw.choice(sorted(path for pattern in kind.files for path in ROOT.glob(pattern)
                              if not path.match(kind.but or "/")))
    name = f"m{number}{file.suffix}"
    changed = folder / file.parent.relative_to(ROOT) / name
    changed.parent.mkdir(parents=True, exist_ok=True)
    changed.write_bytes(mutated(draw, file.read_bytes()))
    output = folder / f"out{number}.json"
    given = {"FILE": str(changed.relative_to(folder)), "OUT": output.name}
    command = [str(PROGRAM), *(given.get(word, word) for word in draw.choice(kind.commands))]
    failure = failure_of(command, folder, name)
    if failure and keep:
        shutil.copy(changed, keep)
    changed.unlink()
    output.unlink(missing_ok=True)
    return failure and f"{file.relative_to(ROOT)}, changed: {' '.join(command[1:])}: {failure}"


class Mutations(unittest.TestCase):
    def test_ends_with_a_result_or_a_message(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            shutil.copytree(ROOT / "scenarios", folder / "scenarios")
            with ThreadPoolExecutor(jobs) as pool:
                failures = []
                for number, failure in enumerate(pool.map(lambda n: run_one(n, folder), range(runs))):
                    if failure:
                        failures.append(failure)
                        print(f"{number}: {failure}", flush=True)
                    if number % 1000 == 999:
                        print(f"{number + 1} runs, {len(failures)} failures", flush=True)
        self.assertEqual(failures, [])


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=runs)
    parser.add_argument("--seed", default=seed)
    parser.add_argument("--jobs", type=int, default=jobs)
    parser.add_argument("--keep", type=Path)
    options, rest = parser.parse_known_args()
    runs, seed, jobs, keep = options.runs, options.seed, options.jobs, options.keep
    unittest.main(argv=[sys.argv[0], *rest])
