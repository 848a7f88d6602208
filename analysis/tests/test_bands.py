import sys
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

import sample  # noqa: E402

try:
    import matplotlib
except ModuleNotFoundError as error:
    raise unittest.SkipTest("no matplotlib (apt install python3-matplotlib)") from error

from ringcast_analysis import bands, plots  # noqa: E402


def band(low_s, high_s):
    return [{"low_s": low_s, "high_s": high_s, "widest": ""}]


def panels_of(results):
    return plots.draw(results).findobj(matplotlib.axes.Axes)


class BandsTest(sample.ResultsTest):
    def assert_shaded(self, panel, x, low, high):
        shade, = panel.collections
        values = [y for place, y in shade.get_paths()[0].vertices if place == x]
        self.assertAlmostEqual(min(values), low)
        self.assertAlmostEqual(max(values), high)

    def test_a_comparison_shows_which_measurements_are_in_the_band(self):
        # 0.08 to 0.125 s for 0.1 s: bus bandwidth x 1.25 to x 0.8, errors 25 % to -20 %.
        rows = [sample.row(8, size, time_s=0.1) for size in (1 << 20, 1 << 30)]
        measured = self.result([sample.logged(row) for row in rows], "m.json", simulated=False)
        predicted = self.result([{**row, "band": band(0.08, 0.125)} for row in rows])

        upper, lower = panels_of([predicted, measured])

        rate = predicted.rows[-1].busbw_bytes_per_s / 1e9
        self.assert_shaded(upper, 1 << 30, 0.8 * rate, 1.25 * rate)
        self.assert_shaded(lower, 1 << 30, -20, 25)
        self.assertEqual(upper.get_legend().texts[-1].get_text(), bands.LABEL)

    def test_one_rank_has_none(self):
        rows = [sample.row(ranks, time_s=0.1 * ranks, band=band(0.05 * (ranks > 1), 0.4))
                for ranks in (1, 2, 4)]

        times, rates, _ = panels_of([self.result(rows)])

        self.assert_shaded(times, 2, 50, 400)
        for panel in (times, rates):
            self.assertEqual({x for x, _ in panel.collections[0].get_paths()[0].vertices}, {2, 4})
        self.assertEqual(times.get_legend().texts[-1].get_text(), bands.LABEL)

    def test_a_training_shows_those_of_its_efficiencies(self):
        row = sample.training(8)
        half, double = row["iteration_s"] / 2, row["iteration_s"] * 2

        efficiencies, _ = panels_of([self.result([sample.training(1),
                                                  {**row, "band": band(half, double)}])])

        self.assert_shaded(efficiencies, 8, 50 * row["efficiency"], 200 * row["efficiency"])

    def test_a_comparison_of_trainings_shows_them_on_the_bars(self):
        measured = self.result([sample.training(8)], "m.json", simulated=False)
        predicted = self.result([sample.training(8, band=band(0.3, 0.9))])

        axes, = panels_of([predicted, measured])

        shade = axes.patches[-1]
        self.assertAlmostEqual(shade.get_x(), 300)
        self.assertAlmostEqual(shade.get_width(), 600)

    def test_without_bands_nothing_is_shaded(self):
        times, *_ = panels_of([self.result([sample.row(ranks) for ranks in (2, 4)])])

        self.assertEqual(len(times.collections), 0)
        self.assertNotIn(bands.LABEL, [text.get_text() for text in times.get_legend().texts])


if __name__ == "__main__":
    unittest.main()
