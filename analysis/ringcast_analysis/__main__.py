"""The command line: `python -m ringcast_analysis plot RESULT... --format png > FILE`.

`ringcast plot` runs it and writes the file, as it does all its files. So does `ringcast rings`,
which gives its answer on standard input: `python -m ringcast_analysis rings --format svg`.
"""

from __future__ import annotations

import argparse
import logging
import sys
from pathlib import Path
from typing import Any, Callable, NoReturn

from ringcast_analysis.results import ResultError, load
from ringcast_analysis.ring_file import load_rings

USER_ERROR = 2
UNAVAILABLE = 3
KINDS = ("auto", "scaling", "size", "bars", "links", "comparison", "validation", "training",
         "training-comparison", "timeline")
# Without dates, so that files of equal pictures are equal.
METADATA = {"png": {}, "svg": {"Date": None}, "pdf": {"CreationDate": None}}


class _Parser(argparse.ArgumentParser):
    """Reports an error in one line."""

    def error(self, message: str) -> NoReturn:
        raise ResultError(f"{message} (see {self.prog} --help)")


def main(arguments: list[str]) -> int:
    try:
        options = _parser().parse_args(arguments)
        if options.command == "rings":
            comparison = load_rings(Path("/dev/stdin"))
            return _save(options.format, lambda pictures: pictures.rings(comparison))
        results = [load(Path(file)) for file in options.results]
        return _save(options.format, lambda pictures: pictures.draw(results, options.kind))
    except ResultError as error:
        print(error, file=sys.stderr)
        return USER_ERROR


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="ringcast_analysis", description="Draws ringcast's result files.")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    plot = commands.add_parser("plot", help="a picture of one or more result files")
    plot.add_argument("results", nargs="+", metavar="RESULT", help="result JSON")
    rings = commands.add_parser("rings", help="a picture of rings on their machine")
    for command in (plot, rings):
        command.add_argument("--format", choices=tuple(METADATA), default="png",
                             help="of the picture on standard output (default: png)")
    plot.add_argument("--kind", choices=KINDS, default="auto",
                      help="what to draw; auto: by what varies (default)")
    return parser


def _save(picture_format: str, draw: Callable[[Any], Any]) -> int:
    # Suppresses messages about font caches.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    try:
        import matplotlib  # noqa: F401
    except Exception as error:  # whatever a broken installation raises
        print(f"{sys.executable}: no matplotlib: {error} (apt install python3-matplotlib)",
              file=sys.stderr)
        return UNAVAILABLE
    from ringcast_analysis import plots, style
    with style.settings():  # hatches and ids of an SVG are made while it is saved
        draw(plots).savefig(sys.stdout.buffer, format=picture_format, dpi=150,
                            metadata=METADATA[picture_format])
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
