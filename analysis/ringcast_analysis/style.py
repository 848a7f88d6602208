"""The style of all figures: colour-blind safe colours, marks legible in black and white, frame."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any, Sequence

import matplotlib
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.patches import Patch
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from ringcast_analysis.results import Result
from ringcast_analysis.ring_file import RingFile
from ringcast_analysis.series import source_names
from ringcast_analysis.units import time_text

# Okabe and Ito's palette without its yellow, which is invisible on white.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C510A")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
HATCHES = ("", "//", "..", "xx", "\\\\", "--", "oo", "++")
LINES = {"predicted": ("-", (0, (1.2, 1.2))), "measured": ("--", (0, (1.2, 3)))}
MOST_SERIES = len(COLOURS)

LIMIT = {"color": "#444444", "linestyle": (0, (1, 1.5)), "linewidth": 1.5, "zorder": 2.2}
IDEAL = {"color": "#888888", "linestyle": (0, (7, 3)), "linewidth": 1.2, "zorder": 2.1}

BESIDE = {"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "borderaxespad": 0.0,
          "fontsize": 8.5}

# Reproducible: the same rows give the same file, byte for byte.
SETTINGS = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlesize": "medium",
    "font.size": 9.5,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.6,
    "hatch.linewidth": 0.6,
    "legend.frameon": False,
    "svg.hashsalt": "ringcast",
    "text.parse_math": False,  # a name may have a $ in it
}


@dataclass(frozen=True)
class Mark:
    """The style of one series: predictions solid and filled, measurements dashed and hollow, the
    second series of a pair dotted."""

    index: int
    simulated: bool
    second: bool = False

    @property
    def options(self) -> dict[str, Any]:
        colour = COLOURS[self.index % len(COLOURS)]
        return {
            "color": colour,
            "marker": MARKERS[self.index % len(MARKERS)],
            "markersize": 5.5,
            "markerfacecolor": colour if self.simulated else "white",
            "linestyle": LINES["predicted" if self.simulated else "measured"][self.second],
            "linewidth": 1.6,
            "zorder": 2.5,
            "clip_on": False,
        }


def figure(results: Sequence[Result | RingFile], title: str, height: float, notes: list[str]) -> Figure:
    """An empty figure with the scenario's name above and the provenance below."""
    drawn = Figure(figsize=(8.6, height), layout="constrained")
    scenarios = list(dict.fromkeys(result.provenance.scenario for result in results))
    heading = f"{', '.join(scenarios)}: {title}"
    drawn.suptitle("\n".join(textwrap.wrap(heading, 78)), fontsize=12, fontweight="bold")
    caption = [_provenance_line(result, name)
               for result, name in zip(results, source_names(results))]
    lines = [part for line in caption + notes
             for part in textwrap.wrap(line, 160, break_on_hyphens=False)]
    drawn.supxlabel("\n".join(lines), fontsize=7, color="#555555", x=0.01, ha="left")
    return drawn


def legend_beside(axes: Axes, others: Sequence[Patch] = ()) -> None:
    """A legend right of the axes, never over data: the series, then the reference lines, others."""
    handles, labels = axes.get_legend_handles_labels()
    entries = sorted(zip(handles, labels),
                     key=lambda entry: entry[1].startswith(("limit of", "ideal:", "target:")))
    entries += [(patch, patch.get_label()) for patch in others]
    axes.legend(*zip(*entries), **BESIDE, handlelength=3.2)


def legend_height(labels: list[str], others: int = 0) -> float:
    """Inches of a legend of these labels and `others` of one line. Axes that are lower than their
    legend would shrink."""
    lines = others + sum(label.count("\n") + 1 for label in labels)
    points = 1.2 * lines + 0.5 * (others + len(labels))  # in units of the font size
    return BESIDE["fontsize"] * points / 72


def label_times(axis: Axis) -> None:
    """Ticks of a logarithmic axis of seconds, with units; the formatter of matplotlib writes TeX."""
    low, high = axis.get_view_interval()
    axis.set_major_locator(LogLocator(subs=(1, 3) if high < 300 * low else (1,)))
    axis.set_major_formatter(FuncFormatter(lambda seconds, _: time_text(seconds)))
    axis.set_minor_formatter(NullFormatter())


def settings() -> Any:
    return matplotlib.rc_context(SETTINGS)


def _provenance_line(result: Result | RingFile, name: str) -> str:
    p = result.provenance
    where = f"{p.backend} on {p.host}" if p.host else p.backend
    parts = [f"ringcast {p.program_version}", where, p.started_at,
             f"cluster {p.cluster}" if p.cluster else "",
             f"scenario sha256 {p.scenario_sha256[:12]}"]
    return f"{name}: {', '.join(part for part in parts if part)}"
