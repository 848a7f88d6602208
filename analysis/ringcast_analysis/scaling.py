"""All-reduce time and bus bandwidth against the number of ranks."""

from __future__ import annotations

from matplotlib.axes import Axes

from ringcast_analysis import bands, reference, sizes, style
from ringcast_analysis.series import Series, with_choices
from ringcast_analysis.units import TIMES, prefix_for

MOST_BELOW = 10.0  # the shortest time: the end of a logarithmic axis with limits far below
MOST_DIGITS = 50  # of the labels of ticks, one beside the other


def draw(upper: Axes, lower: Axes, series: list[Series]) -> None:
    """Draws times on `upper`, bus bandwidths on `lower`."""
    draw_times(upper, series)
    draw_bandwidths(lower, series)
    upper.sharex(lower)
    # A logarithmic axis shows no row of one rank.
    ranks = sorted({row.ranks for line in series for row in line.rows
                    if row.time_s > 0 or upper.get_yscale() == "linear"})
    set_rank_ticks(lower, ranks)
    upper.tick_params(labelbottom=False)
    lower.set_xlabel("ranks")
    style.legend_beside(upper, bands.legend(series))


def draw_times(axes: Axes, series: list[Series]) -> None:
    times = [row.time_s for line in series for row in line.rows if row.time_s > 0]
    wide = bool(times) and max(times) > 30 * min(times)
    prefix = TIMES[0] if wide else prefix_for(times, TIMES)
    for index, line in enumerate(series):
        rows = [row for row in line.rows if row.time_s > 0 or not wide]
        # The median is between the extremes, except for rounding in the file.
        spread = [[max(0.0, row.time_s - row.time_min_s) / prefix.factor for row in rows],
                  [max(0.0, row.time_max_s - row.time_s) / prefix.factor for row in rows]]
        look = style.Mark(index, line.simulated).options
        axes.errorbar([row.ranks for row in rows], [row.time_s / prefix.factor for row in rows],
                      yerr=None if line.simulated else spread, capsize=3,
                      label=with_choices(line.label, line.rows, "ranks"),
                      **look)
        bands.draw(axes, rows, "ranks", lambda _, time_s: time_s / prefix.factor, look["color"])
    reference.draw_limits(axes, [
        [(row.ranks, row.lower_bound_s / prefix.factor) for row in line.rows if row.lower_bound_s]
        for line in series], reference.limit_label(series))
    if (ideal := reference.ideal_of(series)) is not None:
        rows = ideal.with_bus()
        kept = rows[0].busbw_bytes_per_s
        reference.draw_ideal(axes, [
            (row.ranks, row.time_s * row.busbw_bytes_per_s / kept / prefix.factor)
            for row in rows], reference.ideal_label(ideal, series))
    if wide:
        axes.set_yscale("log")
        axes.set_ylim(bottom=max(axes.get_ylim()[0], min(times) / MOST_BELOW))
        axes.set_ylabel("all-reduce time")
        style.label_times(axes.yaxis)
    else:
        axes.set_ylim(bottom=0)
        axes.set_ylabel(f"all-reduce time ({prefix.unit})")


def draw_bandwidths(axes: Axes, series: list[Series]) -> None:
    prefix = sizes.draw_bandwidths(axes, series, "ranks")
    if (ideal := reference.ideal_of(series)) is not None:
        rows = ideal.with_bus()
        reference.draw_ideal(axes, [(row.ranks, rows[0].busbw_bytes_per_s / prefix.factor)
                                    for row in rows], reference.ideal_label(ideal, series))
    axes.set_ylim(bottom=0)
    axes.set_ylabel(f"bus bandwidth ({prefix.unit})")


def set_rank_ticks(axes: Axes, ranks: list[int]) -> None:
    """Ticks at the points; a logarithmic axis if most points would crowd at the left."""
    if ranks[-1] > 24 * ranks[0] and len(ranks) > 3:
        axes.set_xscale("log", base=2)
    axes.minorticks_off()
    shown = _apart(axes, ranks)
    axes.set_xticks(shown, [str(rank) for rank in shown])


def _apart(axes: Axes, ranks: list[int]) -> list[int]:
    """The ranks whose ticks do not overlap: the ends first, powers of two before others."""
    places = {rank: float(axes.transScale.transform((rank, 1.0))[0]) for rank in ranks}
    digit = (places[ranks[-1]] - places[ranks[0]]) / MOST_DIGITS

    def room(one: int, other: int) -> float:
        return digit * ((len(str(one)) + len(str(other))) / 2 + 1)

    kept: list[int] = []
    for rank in sorted(ranks, key=lambda r: (r not in (ranks[0], ranks[-1]), r & (r - 1) != 0, r)):
        if all(abs(places[rank] - places[other]) >= room(rank, other) for other in kept):
            kept.append(rank)
    return sorted(kept)
