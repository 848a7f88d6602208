import os
import subprocess
import sys
import unittest
from pathlib import Path

ANALYSIS = Path(__file__).parents[1]
sys.path[:0] = [str(ANALYSIS), str(Path(__file__).parent)]

import sample  # noqa: E402
from ringcast_analysis.results import ResultError  # noqa: E402

try:
    import matplotlib
except ModuleNotFoundError as error:
    raise unittest.SkipTest("no matplotlib (apt install python3-matplotlib)") from error

from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: E402

from ringcast_analysis import plots, style  # noqa: E402

RANKS = (1, 2, 4, 8, 16, 40)


class Pictures(sample.ResultsTest):
    def scaling(self):
        return self.result([sample.row(ranks, 1_200_000_000) for ranks in RANKS])


def texts(figure):
    found = figure.findobj(matplotlib.text.Text)
    return [text.get_text() for text in found if text.get_text()]


def line(axes, label):
    return next(line for line in axes.lines if line.get_label() == label)


def tick_texts(axis, minor=False):
    low, high = sorted(axis.get_view_interval())
    return [text.get_text() for tick, text in zip(axis.get_ticklocs(minor=minor),
                                                  axis.get_ticklabels(minor=minor))
            if low <= tick <= high and text.get_text()]


class ChoiceTest(Pictures):
    def test_what_varies_is_the_axis(self):
        sweeps = {
            "scaling": [sample.row(ranks) for ranks in RANKS],
            "size": [sample.row(8, size) for size in (1024, 2048)],
            "links": [sample.row(8)],
        }
        for kind, rows in sweeps.items():
            with self.subTest(kind):
                self.assertEqual(plots.chosen_kind([self.result(rows)]), kind)

    def test_cells_that_differ_in_neither_axis_are_all_drawn(self):
        orders = self.result([sample.row(8, ring_order=order) for order in ("by-rank", "shuffled")])
        predicted = self.result([sample.row(8)], "p.json")
        measured = self.result([sample.measured(sample.row(8))], "m.json", simulated=False)

        for results, labels in (([orders], ["by-rank", "shuffled"]),
                                ([predicted, measured], ["predicted", "measured"])):
            self.assertEqual(plots.chosen_kind(results), "bars")
            axes = plots.draw(results).axes[0]
            self.assertEqual(tick_texts(axes.yaxis), labels)
            self.assertEqual([bar.get_width() > 0 for bar in axes.patches], [True, True])

    def test_bars_of_several_sizes_are_refused(self):
        result = self.result([sample.row(8, size) for size in (1024, 2048)])

        with self.assertRaisesRegex(ResultError, "rows of several ranks or sizes"):
            plots.draw([result], "bars")

    def test_no_rows_are_refused(self):
        with self.assertRaisesRegex(ResultError, "no rows"):
            plots.draw([self.result([])])

    def test_links_of_measurements_are_refused(self):
        result = self.result([sample.measured(sample.row(8))], simulated=False)

        with self.assertRaisesRegex(ResultError, "no row has links"):
            plots.draw([result], "links")


class ScalingTest(Pictures):
    def test_draws_the_times_in_milliseconds_at_the_measured_ranks(self):
        result = self.scaling()

        upper, lower, _ = plots.draw([result]).findobj(matplotlib.axes.Axes)

        shown = upper.containers[0].lines[0]
        self.assertEqual(list(shown.get_xdata()), list(RANKS))
        self.assertEqual(list(shown.get_ydata()), [row.time_s / 1e-3 for row in result.rows])
        self.assertEqual(list(lower.get_xticks()), list(RANKS))
        self.assertEqual(upper.get_ylabel(), "all-reduce time (ms)")
        self.assertEqual(lower.get_ylabel(), "bus bandwidth (GB/s)")

    def test_times_of_many_decades_have_ticks_with_units(self):
        for seconds, ticks in (((2e-3, 0.3), ["3 ms", "10 ms", "30 ms", "100 ms", "300 ms"]),
                               ((2e-5, 2.0), ["100 µs", "1 ms", "10 ms", "100 ms", "1 s"])):
            rows = [sample.row(2, time_s=seconds[0], lower_bound_s=None),
                    sample.row(4, time_s=seconds[1], lower_bound_s=None)]
            figure = plots.draw([self.result(rows)], "scaling")
            FigureCanvasAgg(figure).draw()

            upper = figure.findobj(matplotlib.axes.Axes)[0]
            with self.subTest(seconds):
                self.assertEqual(tick_texts(upper.yaxis), ticks)
                self.assertEqual(tick_texts(upper.yaxis, minor=True), [])
                self.assertEqual(upper.get_ylabel(), "all-reduce time")

    def test_one_rank_has_no_tick_where_it_has_no_point(self):
        rows = [sample.row(1, time_s=0.0), sample.row(2, time_s=2e-5), sample.row(4, time_s=2.0)]

        for shown, ticks in ((rows, [2, 4]), (rows[:2], [1, 2])):
            lower = plots.draw([self.result(shown)], "scaling").findobj(matplotlib.axes.Axes)[1]
            self.assertEqual(list(lower.get_xticks()), ticks)

    def test_limits_far_below_all_times_are_beyond_the_axis(self):
        rows = [sample.row(2, time_s=2e-5, lower_bound_s=1e-9), sample.row(4, time_s=2.0)]

        upper = plots.draw([self.result(rows)], "scaling").findobj(matplotlib.axes.Axes)[0]

        self.assertAlmostEqual(upper.get_ylim()[0], 2e-6)

    def test_labels_of_ranks_do_not_overlap(self):
        ranks = (8, 64, 1024, 16384, 65536, 131072)
        figure = plots.draw([self.result([sample.row(count) for count in ranks])])
        FigureCanvasAgg(figure).draw()

        lower = figure.findobj(matplotlib.axes.Axes)[1]
        boxes = [text.get_window_extent() for text in lower.get_xticklabels()]
        self.assertEqual(list(lower.get_xticks()), [8, 64, 1024, 16384, 131072])
        for left, right in zip(boxes, boxes[1:]):
            self.assertLess(left.x1, right.x0)

    def test_one_rank_has_no_bus_bandwidth(self):
        _, lower, _ = plots.draw([self.scaling()]).findobj(matplotlib.axes.Axes)

        self.assertEqual(list(lower.lines[0].get_xdata()), list(RANKS[1:]))

    def test_the_ideal_keeps_the_bus_bandwidth_of_the_fewest_ranks(self):
        result = self.scaling()

        _, lower, _ = plots.draw([result]).findobj(matplotlib.axes.Axes)

        ideal = line(lower, "ideal: bus bandwidth kept").get_ydata()
        self.assertEqual(list(ideal), [result.rows[1].busbw_bytes_per_s / 1e9] * 5)

    def test_the_ideal_of_several_files_names_the_one_that_it_keeps(self):
        slow = self.result([sample.row(ranks, 1_200_000_000, slowness=3) for ranks in RANKS],
                           "slow.json")

        upper, lower, _ = plots.draw([slow, self.scaling()]).findobj(matplotlib.axes.Axes)

        for axes in (upper, lower):
            labels = [line.get_label().replace("\n", " ") for line in axes.lines]
            self.assertIn("ideal: bus bandwidth of predicted (result) kept", labels)

    def test_no_time_lies_below_the_limit_line(self):
        upper, _, _ = plots.draw([self.scaling()]).findobj(matplotlib.axes.Axes)

        limit = upper.lines[1]
        self.assertEqual(list(limit.get_xdata()), list(RANKS[1:]))
        for bound, time in zip(limit.get_ydata(), upper.lines[0].get_ydata()[1:]):
            self.assertLess(bound, time)

    def test_title_and_caption_say_where_the_numbers_come_from(self):
        shown = " ".join(texts(plots.draw([self.scaling()])))

        for word in ("baidu-40gpu", "v0.1.0-7-g1234abc", "simgrid", "planner", "0123456789ab"):
            self.assertIn(word, shown)

    def test_prediction_and_measurement_share_the_axes(self):
        measured = self.result([sample.measured(sample.row(8, 1_200_000_000))], "m.json",
                               simulated=False)

        figure = plots.draw([self.scaling(), measured])

        labels = [entry.get_text() for entry in figure.findobj(matplotlib.legend.Legend)[0].texts]
        self.assertEqual(labels[:2], ["predicted", "measured"])

    def test_ten_series_are_thinned_and_the_caption_says_so(self):
        rows = [sample.row(ranks, 1 << size) for ranks in range(1, 13) for size in range(10)]

        caption = " ".join(texts(plots.draw([self.result(rows)])))

        self.assertRegex(caption, r"8 of 10 series are drawn: without [^,]+, [^,]+")

    def test_the_slowest_of_nine_algorithms_is_left_out_wherever_it_stands(self):
        slowness = (3, 4, 5, 6, 1, 7, 9, 8, 2)  # the fifth is the fastest, the seventh the slowest
        rows = [sample.row(2, size, slow, algorithm=f"way-{slow}")
                for size in (1 << 10, 1 << 20) for slow in slowness]

        shown = texts(plots.draw([self.result(rows)], "size"))

        self.assertIn("8 of 9 series are drawn: without way-9", " ".join(shown))
        for slow in range(1, 9):
            self.assertIn(f"way-{slow}", shown)

    def test_of_series_without_common_cells_the_first_and_the_last_are_drawn(self):
        rows = [sample.row(ranks, 1 << size) for ranks in range(2, 30) for size in range(10)]

        shown = texts(plots.draw([self.result(rows)], "scaling"))

        self.assertIn("1 B", shown)
        self.assertIn("512 B", shown)

    def test_a_caption_names_some_series_that_are_left_out(self):
        rows = [sample.row(ranks, 1 << size) for ranks in range(1, 31) for size in range(20)]

        self.assertRegex(" ".join(texts(plots.draw([self.result(rows)]))).replace("\n", " "),
                         "8 of 20 series are drawn: without [^,]+(, [^,]+){3} and 8 more; "
                         "fewer in a file draw them all")

    def test_marks_differ_in_shape_as_well_as_in_colour(self):
        marks = [style.Mark(index, True).options for index in range(style.MOST_SERIES)]

        self.assertEqual(len({mark["marker"] for mark in marks}), style.MOST_SERIES)
        self.assertEqual(len({mark["color"] for mark in marks}), style.MOST_SERIES)


class LegendTest(Pictures):
    def test_no_legend_covers_its_panel(self):
        rows = [sample.row(ranks, 1 << size) for ranks in RANKS for size in (10, 20, 30)]
        for kind in ("scaling", "size", "links"):
            figure = plots.draw([self.result(rows)], kind)
            FigureCanvasAgg(figure).draw()
            for axes in figure.findobj(matplotlib.axes.Axes):
                if axes.get_legend():
                    box = axes.get_legend().get_window_extent()
                    with self.subTest(kind):
                        self.assertFalse(box.overlaps(axes.get_window_extent()))
                        self.assertLessEqual(box.x1, figure.bbox.x1)


class CommandTest(Pictures):
    def run_plot(self, *arguments):
        return subprocess.run(
            [sys.executable, "-m", "ringcast_analysis", "plot", *map(str, arguments)],
            env={**os.environ, "PYTHONPATH": str(ANALYSIS)}, capture_output=True)

    def assert_refused(self, done, *words):
        errors = done.stderr.decode()
        self.assertEqual((done.returncode, done.stdout), (2, b""), errors)
        self.assertEqual(errors.count("\n"), 1, errors)
        for word in words:
            self.assertIn(word, errors)

    def test_writes_a_picture_and_no_file(self):
        file = self.scaling().file
        for picture_format, head in {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}.items():
            done = self.run_plot(file, "--format", picture_format)

            self.assertEqual((done.returncode, done.stderr), (0, b""))
            self.assertTrue(done.stdout.startswith(head))
        self.assertEqual(os.listdir(self.folder), ["result.json"])

    def test_the_same_rows_give_the_same_picture(self):
        file = self.scaling().file

        for picture_format in ("svg", "pdf"):
            with self.subTest(picture_format):
                self.assertEqual(self.run_plot(file, "--format", picture_format).stdout,
                                 self.run_plot(file, "--format", picture_format).stdout)

    def test_names_are_no_formulas(self):
        rows = [sample.row(ranks, algorithm=name) for ranks in (2, 4) for name in ("a$x", "$b_")]

        done = self.run_plot(self.result(rows).file)

        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_refuses_bad_files_and_options_in_one_line(self):
        file = self.scaling().file
        damaged = self.folder / "damaged.json"
        damaged.write_text("{")

        self.assert_refused(self.run_plot(damaged), "damaged")
        self.assert_refused(self.run_plot(file, "--format", "gif"), "gif")
        self.assert_refused(self.run_plot(file, "--kind", "pie"), "pie")


if __name__ == "__main__":
    unittest.main()
