"""The utilisation of the busiest links of one cell, with one bar for similar links."""

from __future__ import annotations

import re
import textwrap

from matplotlib.axes import Axes
from matplotlib.patches import Patch

from ringcast_analysis import style
from ringcast_analysis.results import LinkLoad, Result, Row
from ringcast_analysis.series import filled
from ringcast_analysis.units import rate_text, size_text

MOST_BARS = 12
LONGEST_LINE, LONGEST_NAME = 46, 130  # characters
TITLE_WIDTH = 84


def largest_cell(results: list[Result]) -> Row | None:
    """The first of the rows with links that has the most ranks, then the largest size."""
    rows = [row for result in results for row in result.rows if row.links]
    return max(rows, key=lambda row: (row.ranks, row.size_bytes), default=None)


def draw(axes: Axes, row: Row, machine: str = "") -> None:
    """`machine`: the name for the title if the figure has several machines."""
    shown = alike(row)[:MOST_BARS]
    rates = _rates_by_class([links[0] for links in shown])
    classes = list(rates)
    for place, link in enumerate(links[0] for links in shown):
        index = classes.index(link.link_class) % style.MOST_SERIES
        rate = f", {_rate_of(link)}" if len(rates[link.link_class]) > 1 else ""
        axes.barh(place, 100 * link.utilisation, color=style.COLOURS[index], alpha=0.75,
                  hatch=style.HATCHES[index], edgecolor="white", height=0.72, zorder=2)
        axes.text(100 * link.utilisation + 1, place, f"{100 * link.utilisation:.1f} %{rate}",
                  va="center", fontsize=8)
    axes.set_yticks(range(len(shown)), [name_of(links) for links in shown], fontsize=8)
    axes.set_ylim(len(shown) - 0.4, -0.6)
    axes.set_xlim(0, 145 if max(map(len, rates.values())) > 1 else 120)  # room for the numbers
    axes.set_xticks(range(0, 101, 20))
    axes.grid(axis="y", visible=False)
    axes.set_xlabel("link utilisation (% of the time of the all-reduce)")
    of_machine = f" of {machine}" if machine else ""
    title = (f"{_count(sum(map(len, shown)))}{of_machine} at {row.ranks} ranks,"
             f" {size_text(row.size_bytes)}, {row.algorithm_text}, ring order {row.ring_order}")
    axes.set_title(textwrap.fill(title, TITLE_WIDTH), loc="left")
    _legend(axes, rates)


def alike(row: Row) -> list[list[LinkLoad]]:
    """Groups of similar links, the busiest first: equal rates, and names that differ in numbers."""
    groups: dict[tuple, list[LinkLoad]] = {}
    for link in sorted(row.links, key=lambda link: -link.utilisation):
        kind = (link.link_class, re.sub(r"\d+", "", link.name), f"{100 * link.utilisation:.1f}",
                _rate_of(link))
        groups.setdefault(kind, []).append(link)
    return list(groups.values())


def name_of(links: list[LinkLoad]) -> str:
    """`node*.nic0 -> switch0, x 5`: a star for numbers that differ."""
    parts = zip(*(re.split(r"(\d+)", link.name) for link in links))
    name = shortened("".join(same[0] if len(set(same)) == 1 else "*" for same in parts))
    return filled(f"{name}, x {len(links)}" if len(links) > 1 else name, LONGEST_LINE)


def shortened(name: str) -> str:
    """Beginning and end of a long name, which distinguish cables."""
    if len(name) <= LONGEST_NAME:
        return name
    half = (LONGEST_NAME - 1) // 2
    return f"{name[:half]}…{name[-half:]}"


def height(row: Row) -> float:
    """Inches that the bars of `row` need."""
    names = [name_of(links) for links in alike(row)[:MOST_BARS]]
    most_lines = max(name.count("\n") + 1 for name in names)
    return 1.0 + (0.12 + 0.12 * most_lines) * len(names)


def _count(shown: int) -> str:
    return "busiest link" if shown == 1 else f"{shown} busiest links"


def _rate_of(link: LinkLoad) -> str:
    return rate_text(link.bandwidth_bytes_per_s)


def _rates_by_class(links: list[LinkLoad]) -> dict[str, set[str]]:
    rates: dict[str, set[str]] = {}
    for link in links:
        rates.setdefault(link.link_class, set()).add(_rate_of(link))
    return rates


def _legend(axes: Axes, rates: dict[str, set[str]]) -> None:
    """A legend of link classes, with the rate of a class if all its bars have the same."""
    patches = []
    for index, (link_class, of_bars) in enumerate(list(rates.items())[: style.MOST_SERIES]):
        label = f"{link_class}, {min(of_bars)}" if len(of_bars) == 1 else link_class
        patches.append(Patch(facecolor=style.COLOURS[index], hatch=style.HATCHES[index],
                             edgecolor="white", alpha=0.75, label=label))
    axes.legend(handles=patches, **style.BESIDE)
