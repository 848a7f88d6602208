#!/usr/bin/env python3
"""Writes the man pages and the bash completion of ringcast from `ringcast COMMAND --help`.

Usage: help_pages.py PROGRAM SOURCE_TREE FOLDER

Makes FOLDER/man1/ringcast.1, a ringcast-COMMAND.1 beside it for each command, and
FOLDER/completions/ringcast.
Exit codes come from the table in the tree's README.md, examples from its documents.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

COLUMN = 34  # where --help begins its descriptions
MOST_EXAMPLES = 5
INTRODUCTION = """\
ringcast predicts how long all-reduces and training iterations take on a cluster that a YAML file
describes, by running the algorithm rank by rank in SimGrid. It also measures them on real ranks
through MPI, and compares both."""
FILES = """\
A name that begins with scenarios/ is looked up in the working directory first, then in the
catalogue, share/ringcast of the prefix that ringcast is installed under."""
VARIABLES = (
    ("RINGCAST_DATA_DIR", "a folder with scenarios/ and analysis/, instead of the installed one"),
    ("XDG_CACHE_HOME", "the folder of the cache, ringcast/cells.sqlite, instead of ~/.cache"),
    ("RINGCAST_PYTHON", "the Python interpreter of plot; it needs matplotlib"),
)


@dataclass
class Entry:
    """An option, a positional or a command: how it is written, and what it does."""

    head: str
    text: str = ""

    def names(self) -> list[str]:
        """-f and --factor of `-f,--factor TEXT`; without CLI11's {false} of a flag that negates."""
        words = re.sub(r"\{\w+\}", "", self.head.split(" ")[0]).split(",")
        return [word for word in words if word.startswith("-")]

    def choices(self) -> list[str]:
        found = re.search(r" \w+:\{([^}]*)\}", self.head)
        return found[1].split(",") if found else []

    def takes_value(self) -> bool:
        return bool(re.search(r" (?!REQUIRED)[A-Z]+(:|=| |$)", self.head))

    def facts(self) -> list[str]:
        """The head without the names: required, range, default, needed options."""
        facts = []
        if self.head.endswith(" REQUIRED"):
            facts.append("Required.")
        if found := re.search(r" in \[(\S+) - (\S+)\]", self.head):
            facts.append(f"From {found[1]} to {found[2]}.")
        if found := re.search(r" [A-Z]+(?::.*?)?=(\S+(?: [a-z]\w*)?)", self.head):
            facts.append(f"Default: {found[1]}.")
        if found := re.search(r" Needs: (.*?)(?= Excludes| REQUIRED|$)", self.head):
            facts.append(f"Needs {found[1]}.")
        if found := re.search(r" Excludes: (.*?)(?= Needs| REQUIRED|$)", self.head):
            facts.append(f"Not with {', '.join(found[1].split())}.")
        return facts


@dataclass
class Help:
    """One page of --help."""

    summary: str
    usage: str
    sections: dict[str, list[Entry]] = field(default_factory=dict)

    def options(self) -> list[Entry]:
        return [entry for name, entries in self.sections.items()
                if name not in ("Positionals", "Subcommands") for entry in entries]


def read_help(program: str, *command: str) -> Help:
    done = subprocess.run([program, *command, "--help"], capture_output=True, text=True, check=True)
    return parse_help(done.stdout)


def parse_help(text: str) -> Help:
    before, usage, rest = re.split(r"^Usage: (.*)\n", text, maxsplit=1, flags=re.MULTILINE)
    page = Help(" ".join(before.split()), usage)
    entries: list[Entry] = []
    for line in rest.splitlines():
        if re.match(r"\S.*:$", line):
            entries = page.sections.setdefault(line[:-1], [])
        elif line.startswith(" " * COLUMN):
            entries[-1].text = f"{entries[-1].text} {line.strip()}".strip()
        elif line.startswith("  "):
            described = line[COLUMN - 1:COLUMN] == " "
            entries.append(Entry(line[:COLUMN].strip(), line[COLUMN:].strip()) if described
                           else Entry(line.strip()))
    return page


def roff(text: str) -> str:
    """Escapes a text for man; lines may break within lists without spaces."""
    escaped = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    escaped = re.sub(r"([,|])(?=\w)", r"\1\\:", escaped)
    return "\n".join("\\&" + line if line.startswith((".", "\\(aq")) else line
                     for line in escaped.split("\n"))


def written(entry: Entry) -> str:
    """An option in bold, its value in italics."""
    value = "|".join(entry.choices()) or (re.search(r" ([A-Z]+)", entry.head) or ["", ""])[1]
    names = ", ".join(rf"\fB{roff(name)}\fR" for name in entry.names())
    return names + (rf" \fI{roff(value)}\fR" if entry.takes_value() else "")


def paragraph(entry: Entry, title: str) -> str:
    text = entry.text
    if re.match(r"[a-z]+[ ,.]", text):  # a word, not a name such as float32
        text = text[0].upper() + text[1:]
    if not text.endswith((".", ":")):
        text += "."
    return f".TP\n{title}\n{roff(' '.join([text, *entry.facts()]))}\n"


def synopsis(command: str, page: Help) -> str:
    words = page.usage.split()
    rest = words[words.index("[OPTIONS]"):]
    places = " ".join(rf"\fI{roff(word)}\fR" for word in rest)
    return rf"\fB{roff(command)}\fR {places}"


def section(title: str, body: str) -> str:
    return f".SH {title}\n{body}" if body else ""


def options_of(page: Help) -> str:
    body = ""
    for name, entries in page.sections.items():
        if name not in ("Positionals", "Subcommands"):
            body += f'.SS "{roff(name)}"\n' if name != "Options" else ""
            body += "".join(paragraph(entry, written(entry)) for entry in entries)
    return body


def exit_codes(tree: Path) -> str:
    rows = re.findall(r"^\| (\d+) \| (.*) \|$", (tree / "README.md").read_text(), re.MULTILINE)
    return "".join(f".TP\n.B {code}\n{roff(re.sub('`', '', meaning))}\n" for code, meaning in rows)


def examples(tree: Path, command: str) -> list[str]:
    """The commands in the documents."""
    found: dict[str, None] = {}
    for document in [tree / "README.md", *sorted((tree / "docs").glob("*.md"))]:
        text = document.read_text().replace("\\\n", "")
        for line in re.findall(rf"^\$ (ringcast {command}\b.*)$", text, re.MULTILINE):
            found[" ".join(line.split())] = None
    return list(found)[:MOST_EXAMPLES]


def man_page(command: str, page: Help, tree: Path, others: list[str]) -> str:
    name = "-".join(["ringcast", *command.split()])
    full = f"ringcast {command}".strip()
    summary = page.summary[:1].lower() + page.summary[1:].rstrip(".")
    about = INTRODUCTION if not command else f"{summary[:1].upper()}{summary[1:]}."
    description = roff(about) + "\n"
    description += "".join(
        paragraph(entry, rf"\fI{roff(entry.head.split(' ')[0])}\fR")
        for entry in page.sections.get("Positionals", []))
    commands = "".join(
        paragraph(entry, rf"\fBringcast\-{roff(entry.head)}\fR(1)")
        for entry in page.sections.get("Subcommands", []))
    shown = "".join(f".PP\n.EX\n{roff(line)}\n.EE\n"
                    for line in examples(tree, command or "predict"))
    variables = "".join(f".TP\n.B {name}\n{roff(text)}\n" for name, text in VARIABLES)
    see = ", ".join(rf"\%\fB{roff(other)}\fR(1)" for other in others if other != name)
    return "".join([
        f'.TH "{roff(name.upper())}" 1 "" "ringcast" "User commands"\n.ad l\n.nh\n',
        section("NAME", rf"{roff(name)} \- {roff(summary)}" + "\n"),
        section("SYNOPSIS", synopsis(full, page) + "\n"),
        section("DESCRIPTION", description),
        section("COMMANDS", commands),
        section("OPTIONS", options_of(page)),
        section('"EXIT STATUS"', exit_codes(tree)),
        section("ENVIRONMENT", variables if command in ("", "plot", "predict", "rings", "validate") else ""),
        section("FILES", roff(FILES) + "\n"),
        section("EXAMPLES", shown),
        section('"SEE ALSO"', see + "\n"),
    ])


COMPLETION = """\
# bash completion of ringcast, made by cmake/help_pages.py
_ringcast() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD - 1]}}" words=""
  if ((COMP_CWORD == 1)); then
    words="{commands} --help --version"
  else
    case "${{COMP_WORDS[1]}} $previous" in
{values}
    esac
    if [[ -z $words && $current == -* ]]; then
      case "${{COMP_WORDS[1]}}" in
{options}
      esac
    fi
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}}
complete -o default -F _ringcast ringcast
"""


def completion(pages: dict[str, Help]) -> str:
    """Completes commands, their options, the values of options with a fixed set; otherwise files."""
    values, options = [], []
    for command, page in pages.items():
        if command:
            names = [name for entry in page.options() for name in entry.names()]
            options.append(f'        {command}) words="{" ".join(names)}" ;;')
            for entry in page.options():
                if entry.choices():
                    cases = " | ".join(f'"{command} {name}"' for name in entry.names())
                    values.append(f'      {cases}) words="{" ".join(entry.choices())}" ;;')
    commands = " ".join(command for command in pages if command)
    return COMPLETION.format(commands=commands, values="\n".join(values),
                             options="\n".join(options))


def main(program: str, source_tree: str, folder: str) -> int:
    top = read_help(program)
    commands = [entry.head for entry in top.sections["Subcommands"]]
    top.summary = "predict and measure all-reduces and training iterations of a cluster"
    top.usage = "ringcast [OPTIONS] COMMAND ..."
    pages = {"": top, **{command: read_help(program, command) for command in commands}}
    names = ["ringcast", *[f"ringcast-{command}" for command in commands]]
    for kind in ("man1", "completions"):
        (Path(folder) / kind).mkdir(parents=True, exist_ok=True)
    for name, (command, page) in zip(names, pages.items()):
        text = man_page(command, page, Path(source_tree), names)
        (Path(folder) / "man1" / f"{name}.1").write_text(text)
    (Path(folder) / "completions" / "ringcast").write_text(completion(pages))
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
