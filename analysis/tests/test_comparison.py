import sys
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

import sample  # noqa: E402
from ringcast_analysis.results import ResultError, load  # noqa: E402

try:
    import matplotlib
except ModuleNotFoundError as error:
    raise unittest.SkipTest("no matplotlib (apt install python3-matplotlib)") from error

from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: E402

from ringcast_analysis import comparison, plots  # noqa: E402

SIZES = tuple(1 << power for power in range(10, 31, 4))


class Comparisons(sample.ResultsTest):
    def predicted(self, rows):
        return load(sample.write(self.folder, "p.json", sample.result(rows)))

    def logged(self, rows):
        entries = [sample.logged(row) for row in rows]
        return load(sample.write(self.folder, "m.json", sample.result(
            entries, simulated=False, scenario="m.log", host="", cluster="", started_at="")))

    def both(self, ranks=(8,)):
        cells = [(count, size) for count in ranks for size in SIZES]
        return [self.predicted([sample.row(*cell) for cell in cells]),
                self.logged([sample.row(*cell, slowness=1.4) for cell in cells])]


class PairsTest(Comparisons):
    def test_the_error_is_that_of_the_time(self):
        # 0.3 s predicted, 0.4 s measured: -25 %.
        pair, = comparison.pairs(self.predicted([sample.row(8, 1024, time_s=0.3)]),
                                 self.logged([sample.row(8, 1024, time_s=0.4)]))

        (size, error), = pair.errors()
        self.assertEqual(size, 1024)
        self.assertAlmostEqual(error, -0.25, places=12)

    def test_ranks_elements_and_operations_must_agree(self):
        predicted = self.predicted([sample.row(8)])
        for change in ({"ranks": 4}, {"data_type": "half"}, {"reduction": "max"},
                       {"size_bytes": 8}):
            with self.subTest(change), self.assertRaisesRegex(ResultError, "no cell in common"):
                comparison.pairs(predicted, self.logged([{**sample.row(8), **change}]))

    def test_a_refusal_says_what_differs(self):
        measured = load(sample.write(self.folder, "m.json", sample.result(
            [sample.row(8, algorithm="tree")], simulated=False)))
        with self.assertRaisesRegex(ResultError, "algorithm ring against tree"):
            comparison.pairs(self.predicted([sample.row(8)]), measured)

    def test_a_refusal_names_sizes_in_their_order(self):
        predicted = self.predicted([sample.row(8, 1 << size) for size in (27, 11, 7, 15, 3)])
        with self.assertRaisesRegex(
                ResultError, "sizes 8 B, 128 B, 2 KiB, 32 KiB, ... against 1 GiB"):
            comparison.pairs(predicted, self.logged([sample.row(8, 1 << 30)]))

    def test_what_both_state_must_agree(self):
        rows = [sample.row(8), sample.row(8, algorithm="tree"), sample.row(8, channels=2)]
        measured = load(sample.write(self.folder, "m.json", sample.result(rows, simulated=False)))

        found = comparison.pairs(self.predicted(rows), measured)

        self.assertEqual([(pair.measured[0].algorithm, pair.measured[0].channels)
                          for pair in found], [("ring", 1), ("tree", 1), ("ring", 2)])

    def test_what_a_log_could_mean_is_not_guessed(self):
        predicted = self.predicted([sample.row(8), sample.row(8, ring_order="shuffled")])

        with self.assertRaisesRegex(ResultError, "p.json: rows that differ in ring_order, which"
                                                 " .*m.json does not state"):
            comparison.pairs(predicted, self.logged([sample.row(8)]))

    def test_two_predictions_are_no_comparison(self):
        predicted = [self.result([sample.row(8)], name) for name in ("one.json", "other.json")]

        with self.assertRaisesRegex(ResultError, "2 predicted and 0 measured"):
            plots.draw(predicted, "comparison")

    def test_a_result_given_twice_is_refused(self):
        predicted = self.predicted([sample.row(8)])

        with self.assertRaisesRegex(ResultError, "p.json: given twice"):
            plots.draw([predicted, predicted])

    def test_chosen_algorithms_are_one_line(self):
        chosen = {"algorithm_chosen": True, "channels_chosen": True}
        predicted = self.predicted([sample.row(8, 1 << 10, algorithm="tree", channels=2, **chosen),
                                    sample.row(8, 1 << 20, channels=16, **chosen)])

        pair, = comparison.pairs(predicted, self.logged([sample.row(8, 1 << 10),
                                                         sample.row(8, 1 << 20)]))

        self.assertEqual([size for size, _ in pair.errors()], [1 << 10, 1 << 20])


    def measured(self, rows):
        return load(sample.write(self.folder, "m.json", sample.result(rows, simulated=False)))

    def test_a_chosen_algorithm_is_held_against_chosen_ones_and_the_same(self):
        auto = {"algorithm_chosen": True, "channels_chosen": True}
        predicted = self.predicted([sample.row(8, algorithm="tree", **auto)])

        for row in (sample.row(8, **auto), sample.row(8, algorithm="tree", algorithm_chosen=False)):
            self.assertEqual(len(comparison.pairs(predicted, self.measured([row]))), 1)
        with self.assertRaisesRegex(ResultError, "algorithm tree against ring .*--kind size draws"):
            comparison.pairs(predicted, self.measured([sample.row(8)]))

    def test_a_choice_and_the_same_algorithm_are_two_pairs(self):
        rows = [sample.row(8, algorithm="tree", algorithm_chosen=chosen) for chosen in (True, False)]

        found = comparison.pairs(self.predicted(rows), self.measured(rows))

        self.assertEqual([pair.measured[0].algorithm_chosen for pair in found], [True, False])
        self.assertEqual(len(comparison.pairs(self.predicted(rows[:1]), self.measured(rows))), 1)
        with self.assertRaisesRegex(ResultError, "rows that differ in algorithm, which"):
            comparison.pairs(self.predicted(rows), self.logged([sample.row(8)]))


class PictureTest(Comparisons):
    def test_a_sweep_of_sizes_with_its_measurement_is_a_comparison(self):
        results = self.both()

        self.assertEqual(plots.chosen_kind(results), "comparison")
        self.assertEqual(plots.chosen_kind(results[::-1]), "comparison")
        self.assertEqual(plots.chosen_kind(results[:1]), "size")

    def test_draws_lines_points_and_errors(self):
        results = self.both()

        upper, lower = plots.draw(results[::-1]).findobj(matplotlib.axes.Axes)

        line, points = upper.lines
        self.assertEqual((line.get_linestyle(), line.get_marker()), ("-", "None"))
        self.assertEqual((points.get_linestyle(), points.get_marker()), ("None", "o"))
        self.assertEqual(list(line.get_ydata()),
                         [row.busbw_bytes_per_s / 1e9 for row in results[0].rows])
        self.assertEqual(list(points.get_ydata()),
                         [row.busbw_bytes_per_s / 1e9 for row in results[1].rows])
        self.assertEqual(list(lower.lines[0].get_xdata()), list(SIZES))
        self.assertTrue(all(error < 0 for error in lower.lines[0].get_ydata()))

    def test_a_prediction_of_one_size_is_a_dash(self):
        one = [result([sample.row(8)]) for result in (self.predicted, self.logged)]

        upper, _ = plots.draw(one, "comparison").findobj(matplotlib.axes.Axes)

        self.assertEqual(upper.lines[0].get_marker(), "_")

    def test_series_differ_without_colours_too(self):
        upper, _ = plots.draw(self.both((2, 4, 8))).findobj(matplotlib.axes.Axes)

        self.assertEqual([text.get_text() for text in upper.get_legend().texts[:3]],
                         ["2 ranks, predicted", "2 ranks, measured", "4 ranks, predicted"])
        self.assertEqual(len({line.get_marker() for line in upper.lines[1::2]}), 3)
        self.assertEqual(len({str(line._dash_pattern) for line in upper.lines[::2]}), 3)

    def test_the_legend_covers_no_data(self):
        figure = plots.draw(self.both((2, 4, 8)))
        FigureCanvasAgg(figure).draw()

        upper, lower = figure.findobj(matplotlib.axes.Axes)
        box = upper.get_legend().get_window_extent()
        self.assertFalse(box.overlaps(upper.get_window_extent()))
        self.assertFalse(box.overlaps(lower.get_window_extent()))
        self.assertLessEqual(box.x1, figure.bbox.x1)

    def test_the_caption_has_no_gaps_for_what_a_log_does_not_say(self):
        caption = plots.draw(self.both())._supxlabel.get_text()

        self.assertIn("measured: ringcast v0.1.0-7-g1234abc, mpi, scenario sha256", caption)


if __name__ == "__main__":
    unittest.main()
