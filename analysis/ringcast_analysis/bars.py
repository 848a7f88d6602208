"""All-reduce times of one size and number of ranks as bars, one for each way to run it."""

from __future__ import annotations

from matplotlib.axes import Axes

from ringcast_analysis import bands, reference, style
from ringcast_analysis.series import Series, with_choices
from ringcast_analysis.units import TIMES, prefix_for, rate_text

MOST = 40
HEIGHT = 0.7  # of a bar; the places are 1 apart


def height(shown: list[Series]) -> float:
    lines = sum(_label(line).count("\n") + 1 for line in shown)
    return 1.2 + 0.08 * len(shown) + 0.17 * lines


def draw(axes: Axes, shown: list[Series]) -> None:
    """Draws measurements hollow, with their spread, and the limit across each bar."""
    rows = [line.rows[0] for line in shown]
    prefix = prefix_for([row.time_s for row in rows], TIMES)
    for place, (line, row) in enumerate(zip(shown, rows)):
        look = {"facecolor": style.COLOURS[0] if line.simulated else "white",
                "edgecolor": style.COLOURS[0], "linewidth": 1.2}
        axes.barh(place, row.time_s / prefix.factor, height=HEIGHT, zorder=2, **look)
        end = max(row.time_s, row.time_max_s, row.band[0].high_s if row.band else 0.0)
        if not line.simulated:
            spread = [[max(0.0, row.time_s - row.time_min_s) / prefix.factor],
                      [max(0.0, row.time_max_s - row.time_s) / prefix.factor]]
            axes.errorbar(row.time_s / prefix.factor, place, xerr=spread, color="black", capsize=3,
                          linewidth=1.0, zorder=3)
        if row.busbw_bytes_per_s > 0:
            axes.annotate(rate_text(row.busbw_bytes_per_s), (end / prefix.factor, place),
                          xytext=(6, 0), textcoords="offset points", va="center", fontsize=8.5)
        if row.lower_bound_s:
            axes.plot(2 * [row.lower_bound_s / prefix.factor],
                      [place - HEIGHT / 2, place + HEIGHT / 2], color="black", linewidth=1.5,
                      zorder=3)
    bands.draw_on_bars(axes, list(enumerate(rows)), prefix.factor, HEIGHT)
    if any(row.lower_bound_s for row in rows):
        axes.plot([], [], color="black", linewidth=1.5, label=reference.limit_label(shown))
    axes.set_yticks(range(len(shown)), [_label(line) for line in shown])
    axes.invert_yaxis()
    axes.grid(axis="y", visible=False)
    axes.margins(x=0.14)
    axes.set_xlim(left=0)
    axes.set_xlabel(f"all-reduce time ({prefix.unit}); beside the bars: bus bandwidth")
    handles, _ = axes.get_legend_handles_labels()
    if handles + bands.legend(shown):
        axes.legend(handles=handles + bands.legend(shown), loc="lower left", ncols=2,
                    bbox_to_anchor=(0.0, 1.01), borderaxespad=0.0, fontsize=8.5)


def _label(line: Series) -> str:
    return with_choices(line.label, line.rows, "ranks")
