"""The command line: `python -m ringcast_analysis plot RESULT... --output FILE`."""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path
from typing import NoReturn

from ringcast_analysis.output import check_output, save
from ringcast_analysis.results import ResultError, load

USER_ERROR = 2
UNAVAILABLE = 3
KINDS = ("auto", "scaling", "size", "links", "comparison", "validation", "training",
         "training-comparison", "timeline")


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        raise ResultError(f"{message} (see {self.prog} --help)")


def main(arguments: list[str]) -> int:
    try:
        options = _parser().parse_args(arguments)
        output = Path(options.output)
        check_output(output)
        results = [load(Path(file)) for file in options.results]
        return _plot(results, output, options.kind)
    except ResultError as error:
        print(error, file=sys.stderr)
        return USER_ERROR


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="ringcast_analysis", description="Draws ringcast's result files.")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    plot = commands.add_parser("plot", help="a picture of one or more result files")
    plot.add_argument("results", nargs="+", metavar="RESULT", help="result JSON")
    plot.add_argument("--output", required=True, metavar="FILE", help=".png or .svg")
    plot.add_argument("--kind", choices=KINDS, default="auto",
                      help="what to draw; auto: by what varies (default)")
    return parser


def _plot(results: list, output: Path, kind: str) -> int:
    # Its remarks about font caches are not about the user's files.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    try:
        from ringcast_analysis import plots, style
    except ModuleNotFoundError as error:
        print(f"{sys.executable}: no module {error.name} (apt install python3-matplotlib)",
              file=sys.stderr)
        return UNAVAILABLE
    with style.settings():  # hatches and ids of an SVG are made while it is saved
        save(plots.draw(results, kind), output)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
