"""Bus bandwidth against the size of the buffer."""

from __future__ import annotations

from matplotlib.axes import Axes

from ringcast_analysis import bands, reference, style
from ringcast_analysis.series import Series, with_choices
from ringcast_analysis.units import RATES, Prefix, prefix_for, size_text

MOST_TICKS = 9
MOST_ABOVE = 1.5  # the greatest bus bandwidth: the end of an axis with several limits


def draw_bandwidths(axes: Axes, series: list[Series], x: str) -> Prefix:
    """Draws bus bandwidths and their limits over `x`; returns their unit. Of several limits, as of
    different machines, those far above all bandwidths are beyond the axis."""
    rates = [row.busbw_bytes_per_s for line in series for row in line.rows]
    prefix = prefix_for(rates, RATES)
    for index, line in enumerate(series):
        rows = line.with_bus()
        look = style.Mark(index, line.simulated).options
        # matplotlib takes the corner of the figure for the place of an unclipped line without points.
        axes.plot([getattr(row, x) for row in rows],
                  [row.busbw_bytes_per_s / prefix.factor for row in rows],
                  label=with_choices(line.label, line.rows, x), **{**look, "clip_on": not rows})
        bands.draw(axes, rows, x, lambda row, time_s: row.busbw_in(time_s) / prefix.factor,
                   look["color"])
    limits = reference.draw_limits(axes, [line.busbw_limits(x, prefix.factor) for line in series],
                                   reference.limit_label(series))
    if limits > 1 and any(rates):
        axes.set_ylim(top=min(axes.get_ylim()[1], MOST_ABOVE * max(rates) / prefix.factor))
    return prefix


def draw(axes: Axes, series: list[Series]) -> None:
    prefix = draw_bandwidths(axes, series, "size_bytes")
    axes.set_xscale("log", base=2)
    axes.minorticks_off()
    shown = ticks(sorted({row.size_bytes for line in series for row in line.with_bus()}))
    axes.set_xticks(shown, [size_text(size) for size in shown], rotation=30, ha="right",
                    rotation_mode="anchor")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("size of the buffer")
    axes.set_ylabel(f"bus bandwidth ({prefix.unit})")
    style.legend_beside(axes, bands.legend(series))


def ticks(values: list[int], most: int = MOST_TICKS) -> list[int]:
    """At most `most` of the values, at equal steps, including the largest."""
    step = max(1, -(-(len(values) - 1) // (most - 1)))
    return values[::-1][::step][::-1]
