"""Room for the axes: beside tall legends and long labels, and with series without points."""

import sys
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

import sample  # noqa: E402
from test_plots import Pictures  # noqa: E402, raises SkipTest without matplotlib

import matplotlib  # noqa: E402
from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: E402

from ringcast_analysis import plots, style  # noqa: E402
from ringcast_analysis.results import load  # noqa: E402

SIZES = tuple(1 << power for power in range(10, 31, 4))


class LayoutTest(Pictures):
    def panels(self, results, kind="auto"):
        """The figure's inches, and its visible axes with theirs: left, bottom, width, height."""
        figure = plots.draw(results, kind)
        FigureCanvasAgg(figure).draw()
        visible = [axes for axes in figure.findobj(matplotlib.axes.Axes) if axes.get_visible()]
        boxes = [axes.get_window_extent().transformed(figure.dpi_scale_trans.inverted())
                 for axes in visible]
        return figure.get_size_inches(), visible, [box.bounds for box in boxes]

    def sides(self, rows):
        measured = [sample.measured(row) for row in rows]
        return [self.result(rows, "p.json"), self.result(measured, "m.json", simulated=False)]

    # Decorations take less than 2.2 inches: title, labels, ticks and caption.
    def assert_filled(self, results, kind="auto"):
        (_, height), _, bounds = self.panels(results, kind)
        self.assertGreater(sum(inches for *_, inches in bounds), height - 2.2)

    def test_series_without_bandwidth_leave_the_axes_their_room(self):
        rows = [sample.row(ranks, size) for ranks in (1, 2) for size in SIZES]
        nothing = [sample.row(ranks, size) for ranks in (2, 4) for size in (0, 1024)]
        self.assert_filled([self.result(rows)], "size")
        self.assert_filled([self.result(nothing)], "size")
        self.assert_filled(self.sides(rows))

    def test_a_series_without_errors_is_in_no_legend_of_a_comparison(self):
        rows = [sample.row(ranks, size) for ranks in (1, 2) for size in SIZES]

        _, (upper, _), _ = self.panels(self.sides(rows))

        self.assertEqual([text.get_text() for text in upper.get_legend().texts],
                         ["2 ranks, predicted", "2 ranks, measured"])

    # Eight series of three lines and more: the choices of a tuner, each with its size.
    def test_tall_legends_leave_the_axes_their_room(self):
        chosen = ("tree", "LL"), ("tree", "LL128"), ("ring", "LL128"), ("ring", "Simple")
        rows = [sample.row(ranks, size, algorithm=chosen[place % 4][0],
                           protocol=chosen[place % 4][1], algorithm_chosen=True,
                           band=[{"low_s": 1.0, "high_s": 2.0}])
                for ranks in range(2, 10) for place, size in enumerate(SIZES)]
        for results, kind in ((self.sides(rows), "comparison"), ([self.result(rows)], "size"),
                              ([self.result(rows)], "scaling")):
            with self.subTest(kind):
                _, (upper, *_), ((_, bottom, _, _), *_) = self.panels(results, kind)
                legend = upper.get_legend().get_window_extent()
                below = bottom - legend.y0 / upper.figure.dpi
                self.assertLess(below, 0.3)
                self.assert_filled(results, kind)

    def test_the_legend_of_two_trainings_names_every_series(self):
        results = [self.result([sample.training(gpus, model=f"a language model, {name}",
                                                batch_per_gpu=batch, ring_order="by-rank",
                                                algorithm=algorithm, overlap=overlap)
                                for batch, algorithm in ((1, "ring"), (2, "parameter-server-async"))
                                for overlap in (True, False) for gpus in (2, 4)], name)
                   for name in ("one.json", "other.json")]
        _, (upper, *_), ((_, bottom, _, _), *_) = self.panels(results)

        self.assertEqual(len(upper.get_legend().texts), style.MOST_SERIES)
        self.assertGreater(upper.get_legend().get_window_extent().y0 / upper.figure.dpi,
                           bottom - 0.5)

    def test_models_of_a_scaling_have_axes_of_their_own(self):
        rows = [sample.training(2, model=model, iteration_s=seconds)
                for model, seconds in (("small", 0.1), ("large", 50.0))]

        _, (_, small, large), _ = self.panels([self.result(rows)])

        # The axis is 1.06 times as long as the longest bar.
        self.assertAlmostEqual(small.get_ylim()[1], 0.106)
        self.assertAlmostEqual(large.get_ylim()[1], 53)

    def test_long_names_of_files_leave_the_axes_their_room(self):
        results = []
        for folder in ("a", "b"):
            (self.folder / folder).mkdir()
            rows = [sample.row(2, size, algorithm=name) for size in SIZES for name in ("ring", "tree")]
            results.append(load(sample.write(
                self.folder / folder, "all-reduce-sizes-of-job-123456.json", sample.result(rows))))

        (inches, _), (axes,), ((_, _, width, _),) = self.panels(results, "size")

        self.assertGreater(width, 4)
        self.assertLess(axes.get_legend().get_window_extent().x1 / axes.figure.dpi, inches)


if __name__ == "__main__":
    unittest.main()
