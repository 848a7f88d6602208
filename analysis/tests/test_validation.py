import sys
import unittest
from dataclasses import replace
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

import sample  # noqa: E402
from test_plots import Pictures, texts, tick_texts  # noqa: E402, raises SkipTest without matplotlib

import matplotlib  # noqa: E402
from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: E402

from ringcast_analysis import plots, validation  # noqa: E402
from ringcast_analysis.results import ResultError  # noqa: E402


class ValidationTest(Pictures):
    def validated(self):
        return self.result([
            sample.validation_row(8, 2e-3, 0.1),
            sample.validation_row(16, 4e-3, -0.05),
            sample.validation_row(4, 1e-3, 0.0, fitted=True, judged=False),
            sample.validation_row(2, 1e-5, -0.9, judged=False),
            sample.validation_row(2, 5e-2, 0.02, set="another"),
        ])

    def test_validations_are_drawn_as_such(self):
        self.assertEqual(plots.chosen_kind([self.validated()]), "validation")

    def test_draws_predicted_against_measured_times_on_like_axes(self):
        upper, lower = plots.draw([self.validated()]).findobj(matplotlib.axes.Axes)

        judged = next(line for line in upper.lines if line.get_marker() == "o")
        self.assertEqual(list(judged.get_xdata()), [2e-3, 4e-3])
        self.assertEqual(list(judged.get_ydata()), [1.1 * 2e-3, 0.95 * 4e-3])
        self.assertEqual((upper.get_xscale(), upper.get_yscale()), ("log", "log"))
        self.assertEqual(upper.get_xlim(), upper.get_ylim())
        self.assertEqual(upper.get_ylabel(), "predicted time")
        self.assertEqual(lower.get_xlabel(), "measured time")
        self.assertEqual(lower.get_ylabel(), "error of the prediction (%)")

    def test_a_decade_of_times_has_ticks_with_units(self):
        rows = [sample.validation_row(measured_s=seconds) for seconds in (2e-4, 9e-4)]
        figure = plots.draw([self.result(rows)])

        FigureCanvasAgg(figure).draw()

        upper = figure.findobj(matplotlib.axes.Axes)[0]
        self.assertEqual(tick_texts(upper.yaxis), ["300 µs", "1 ms"])
        self.assertEqual(tick_texts(upper.yaxis, minor=True), [])

    def test_fitted_rows_are_hollow_and_rows_not_judged_small_crosses(self):
        upper, _ = plots.draw([self.validated()]).findobj(matplotlib.axes.Axes)

        judged, fitted, cross = [line for line in upper.lines
                                 if line.get_marker() in ("o", "x")]
        self.assertNotEqual(judged.get_markerfacecolor(), "white")
        self.assertEqual((fitted.get_markerfacecolor(), list(fitted.get_xdata())), ("white", [1e-3]))
        self.assertEqual(cross.get_marker(), "x")
        self.assertLess(cross.get_markersize(), judged.get_markersize())

    def test_each_set_has_a_mark_of_its_own(self):
        rows = [sample.validation_row(set=f"set {i}") for i in range(len(validation.MARKERS))]

        upper, _ = plots.draw([self.result(rows)]).findobj(matplotlib.axes.Axes)

        marks = {line.get_marker() for line in upper.lines if line.get_marker() != "None"}
        self.assertEqual(marks, set(validation.MARKERS))

    def test_errors_show_what_is_judged_and_the_caption_counts_the_rest(self):
        figure = plots.draw([self.validated()])

        lower = figure.findobj(matplotlib.axes.Axes)[1]
        # 1.1 times the smallest range of 20 %; the row that is not judged is off by 90 %.
        self.assertAlmostEqual(lower.get_ylim()[1], 22)
        self.assertAlmostEqual(lower.get_ylim()[0], -22)
        self.assertIn("1 row not judged is beyond the errors shown", " ".join(texts(figure)))

    def test_no_errors_below_all_of_the_time_are_shown(self):
        rows = [sample.validation_row(error=error) for error in (-0.5, 1.5)]

        _, lower = plots.draw([self.result(rows)]).findobj(matplotlib.axes.Axes)

        bottom, top = lower.get_ylim()
        self.assertAlmostEqual(bottom, -110)
        self.assertAlmostEqual(top, 165)

    def test_the_legend_is_beside_the_data(self):
        figure = plots.draw([self.validated()])

        FigureCanvasAgg(figure).draw()

        upper = figure.findobj(matplotlib.axes.Axes)[0]
        labels = [entry.get_text() for entry in upper.get_legend().texts]
        self.assertEqual(labels, ["DeepBench", "another", "fitted", "not judged", "as measured",
                                  "within 15 %"])
        box = upper.get_legend().get_window_extent()
        self.assertFalse(box.overlaps(upper.get_window_extent()))
        self.assertLessEqual(box.x1, figure.bbox.x1)

    def test_of_many_sets_the_worst_are_named_and_the_others_one(self):
        result = self.validated()
        row = result.validation[0]
        sets = range(validation.MOST_NAMED + 2)
        many = tuple(replace(row, set=f"set {i}", relative_error=-0.001 * i) for i in sets)
        figure = plots.draw([replace(result, validation=many)])

        upper = figure.findobj(matplotlib.axes.Axes)[0]
        labels = [entry.get_text().replace("\n", " ") for entry in upper.get_legend().texts]
        others = len(sets) - validation.WORST_NAMED
        self.assertEqual(labels[:2], [f"{others} other sets, with smaller errors on average",
                                      f"set {others}"])
        self.assertIn(f"set {sets[-1]}", labels)

    def test_no_more_sets_are_named_where_their_errors_are_equal(self):
        sets = range(validation.MOST_NAMED + 1)
        result = self.result([sample.validation_row(set=f"set {i}", judged=False) for i in sets])

        others = validation.points_of([result])[0]
        self.assertEqual(len(others.rows), len(sets) - validation.WORST_NAMED)

    def test_refuses_to_mix_with_all_reduces(self):
        with self.assertRaisesRegex(ResultError, "r.json: no rows for a plot of kind validation"):
            plots.draw([self.validated(), self.result([sample.row()], "r.json")])
        with self.assertRaisesRegex(ResultError, "no rows for a plot of kind size .expected a kind"
                                                 " for what it has: validation"):
            plots.draw([self.validated()], "size")


if __name__ == "__main__":
    unittest.main()
