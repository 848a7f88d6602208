import sys
import unittest
from pathlib import Path

ANALYSIS = Path(__file__).parents[1]
sys.path[:0] = [str(ANALYSIS), str(Path(__file__).parent)]

import sample  # noqa: E402
from ringcast_analysis.results import ResultError, load  # noqa: E402
from ringcast_analysis.training_series import training_series  # noqa: E402

try:
    import matplotlib
except ModuleNotFoundError as error:
    raise unittest.SkipTest("no matplotlib (apt install python3-matplotlib)") from error

from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: E402

from ringcast_analysis import plots, style, timeline, training, training_comparison  # noqa: E402

GPUS = (1, 2, 4, 8, 16, 40)


class Trainings(sample.ResultsTest):
    def four_lines(self):
        rows = [sample.training(gpus, scaling, overlap) for scaling in ("weak", "strong")
                for overlap in (True, False) for gpus in GPUS]
        return self.result(rows)

    def with_timeline(self):
        return self.result([sample.training(2), sample.training(4, timeline=sample.timeline())])


def panels(figure):
    return [axes for axes in figure.findobj(matplotlib.axes.Axes) if axes.get_visible()]


def texts(figure):
    return " ".join(text.get_text() for text in figure.findobj(matplotlib.text.Text))


class LimitTest(Trainings):
    # ringcast predict --until-efficiency 80% --output x.json, then plot
    def test_the_target_is_drawn_and_the_points_stand_above_their_bars(self):
        content = sample.result([])
        del content["rows"]
        content["until_efficiency"] = 0.8
        content["limits"] = [{"row": sample.training(8), "next_row": sample.training(16)}]
        result = load(sample.write(self.folder, "limit.json", content))

        upper, lower = panels(plots.draw([result]))

        self.assertEqual(upper.get_legend().texts[-1].get_text(), "target: 80 %")
        shares = [[(place - axes.get_xlim()[0]) / (axes.get_xlim()[1] - axes.get_xlim()[0])
                   for place in places] for axes, places in ((upper, (8, 16)), (lower, (0, 1)))]
        for above, below in zip(*shares):
            self.assertAlmostEqual(above, below, places=12)


class SeriesTest(Trainings):
    def test_a_label_says_what_differs_and_no_more(self):
        labels = [line.label for line in training_series([self.four_lines()])]

        self.assertEqual(labels, ["weak scaling, overlap", "weak scaling, no overlap",
                                  "strong scaling, overlap", "strong scaling, no overlap"])

    def test_one_line_is_called_by_its_model(self):
        result = self.result([sample.training(gpus) for gpus in GPUS])

        self.assertEqual([line.label for line in training_series([result])], ["VGG-16"])

    # Weak scaling keeps the batch of a GPU, strong scaling that of all: neither parts a line.
    def test_the_batch_that_follows_from_the_gpus_parts_no_line(self):
        for scaling in ("weak", "strong"):
            result = self.result([sample.training(gpus, scaling) for gpus in GPUS])
            with self.subTest(scaling):
                self.assertEqual([row.ranks for row in training_series([result])[0].rows],
                                 list(GPUS))

    def test_channels_that_follow_from_the_machine_part_no_line(self):
        line, = training_series([self.result(
            [sample.training(1, channels_chosen=True),
             sample.training(8, channels=8, channels_chosen=True)])])

        self.assertEqual([row.channels for row in line.rows], [1, 8])

    def test_sizes_of_buckets_part_lines(self):
        rows = [sample.training(gpus, bucket_size_bytes=size) for size in (4 << 20, 64 << 20)
                for gpus in GPUS]

        labels = [line.label for line in training_series([self.result(rows)])]
        self.assertEqual(labels, ["buckets of 4 MiB", "buckets of 64 MiB"])

    def test_a_cell_twice_is_refused(self):
        with self.assertRaisesRegex(ResultError, "ranks 8"):
            training_series([self.result([sample.training(8), sample.training(8)])])


class RefusalTest(Trainings):
    def test_bad_rows_are_refused_by_their_key(self):
        bad = {"scaling": "sideways", "iteration_s": 0, "overlap": "yes", "efficiency": -1,
               "ranks": 0, "timeline": [{"lane": "disk", "name": "x", "begin_s": 0, "end_s": 1}]}
        for key, value in bad.items():
            with self.subTest(key), self.assertRaisesRegex(ResultError, key):
                self.result([{**sample.training(8), key: value}])

    def test_other_rows_are_refused(self):
        with self.assertRaisesRegex(ResultError, "no rows for a plot of kind training .* part"):
            plots.draw([self.result([sample.row(8)])], "training")

    def test_no_timeline_is_refused(self):
        with self.assertRaisesRegex(ResultError, "no row has a timeline"):
            plots.draw([self.four_lines()], "timeline")


class TrainingPlotTest(Trainings):
    def test_training_is_chosen_for_its_rows(self):
        self.assertEqual(plots.chosen_kind([self.four_lines()]), "training")

    def test_efficiencies_are_percentages_from_zero(self):
        result = self.result([sample.training(gpus) for gpus in GPUS])

        axes = panels(plots.draw([result]))[0]

        drawn = axes.containers[0].lines[0]
        self.assertEqual(list(drawn.get_xdata()), list(GPUS))
        self.assertEqual(list(drawn.get_ydata()), [100 * row.efficiency for row in result.training])
        self.assertEqual(axes.get_ylim(), (0, 105))

    # 300 ms of compute; without overlap the 90 ms of all-reduces lie on top.
    def test_bars_stack_what_is_exposed_on_the_compute(self):
        result = self.result([sample.training(gpus, "weak", False) for gpus in GPUS])

        bars = panels(plots.draw([result]))[1].patches

        compute, exposed = bars[:len(GPUS)], bars[len(GPUS):]
        self.assertAlmostEqual(compute[-1].get_height(), 300)
        self.assertAlmostEqual(exposed[-1].get_y(), 300)
        self.assertAlmostEqual(exposed[-1].get_height(), 90)
        self.assertEqual(exposed[0].get_height(), 0)

    def test_the_parts_differ_without_colour(self):
        hatches = [look["hatch"] for look in training.PARTS.values()]
        kinds = [look["hatch"] for look in timeline.LOOKS.values()]

        self.assertEqual(len(set(hatches)), len(hatches))
        self.assertEqual(len(set(kinds)), len(kinds))

    def test_at_most_six_lines_are_split_and_the_caption_names_the_others(self):
        rows = [sample.training(gpus, bucket_size_bytes=1 << size) for size in range(20, 28)
                for gpus in GPUS]

        figure = plots.draw([self.result(rows)])

        self.assertEqual(len(panels(figure)), 1 + training.MOST_PANELS)
        self.assertIn("6 of 8 series are split: without buckets of ", texts(figure))

    def test_lines_with_and_without_overlap_share_a_colour_and_differ_in_dashes(self):
        rows = [sample.training(gpus, algorithm=algorithm, overlap=overlap,
                                launch_ahead=9 if overlap else 0)
                for algorithm in ("ring", "tree") for overlap in (True, False) for gpus in GPUS]

        axes = panels(plots.draw([self.result(rows)]))[0]

        marks = [(line.get_color(), line.is_dashed())
                 for line in (container.lines[0] for container in axes.containers)]
        ring, tree = style.COLOURS[:2]
        self.assertEqual(marks, [(ring, False), (ring, True), (tree, False), (tree, True)])

    def test_split_lines_are_shown_with_and_without_overlap(self):
        rows = [sample.training(gpus, bucket_size_bytes=1 << size, overlap=overlap)
                for overlap in (True, False) for size in range(20, 26) for gpus in GPUS]

        titles = [axes.get_title(loc="left") for axes in panels(plots.draw([self.result(rows)]))]

        self.assertEqual(titles[1:], ["buckets of 1 MiB, overlap", "buckets of 1 MiB, no overlap",
                                      "buckets of 4 MiB, overlap", "buckets of 4 MiB, no overlap",
                                      "buckets of 32 MiB, overlap",
                                      "buckets of 32 MiB, no overlap"])

    # 330 ms with overlap, 390 without: both panels end at the same height above 390.
    def test_panels_of_a_scaling_have_one_height(self):
        figure = plots.draw([self.result([sample.training(gpus, overlap=overlap)
                                          for overlap in (True, False) for gpus in GPUS])])

        tops = {axes.get_ylim()[1] for axes in panels(figure)[1:]}
        self.assertEqual(len(tops), 1)
        self.assertGreater(tops.pop(), 390)

    def test_what_was_fitted_is_in_the_caption(self):
        figure = plots.draw([self.result([sample.training(8, fitted_on="31x at 40 GPUs")])])

        self.assertIn("compute time fitted on: 31x at 40 GPUs", texts(figure))

    def test_how_far_ahead_all_reduces_were_launched_is_in_the_caption(self):
        figure = plots.draw([self.result([
            sample.training(8, launch_ahead=9, launch_ahead_source="fitted on 8 GPUs"),
            sample.training(8, overlap=False, launch_ahead=0, launch_ahead_source=None)])])

        self.assertIn("all-reduces launched 9 layers ahead: fitted on 8 GPUs", texts(figure))

    def test_weights_before_forward_are_in_the_caption_or_the_labels(self):
        first = [sample.training(gpus, weights="before-forward") for gpus in GPUS]
        last = [sample.training(gpus, weights="after-backward") for gpus in GPUS]

        self.assertIn("weights come before the forward pass",
                      texts(plots.draw([self.result(first)])))
        both = texts(plots.draw([self.result(first + last)]))
        self.assertIn("weights before forward", both)
        self.assertIn("weights after backward", both)
        self.assertNotIn("weights come", both)

    def test_labels_of_gpus_do_not_overlap(self):
        for gpus in (GPUS, (1, 8, 16, 64, 512, 1024, 4096, 16384, 65536, 131072), range(1, 41)):
            rows = [sample.training(count, algorithm=algorithm, transport="nccl-2.26-rdma-" + kind)
                    for algorithm, kind in (("ring", "tcp"), ("recursive-halving-doubling", "ib"))
                    for count in gpus]
            figure = plots.draw([self.result(rows)])
            FigureCanvasAgg(figure).draw()

            for axes in panels(figure):
                boxes = [text.get_window_extent() for text in axes.get_xticklabels()]
                for left, right in zip(boxes, boxes[1:]):
                    with self.subTest(gpus=gpus, axes=axes.get_ylabel()):
                        self.assertLess(left.x1, right.x0)

    def test_the_band_of_jitter_is_drawn_as_efficiencies(self):
        # 330 ms, from 300 to 440 ms: the efficiency times 330/440 and 330/300.
        row = sample.training(8, iteration_low_s=0.3, iteration_high_s=0.44)

        axes = panels(plots.draw([self.result([sample.training(1), row])]))[0]

        bars = axes.containers[0].lines[2][0].get_segments()[1]
        self.assertAlmostEqual(bars[0][1], 100 * row["efficiency"] * 330 / 440)
        self.assertAlmostEqual(bars[1][1], 100 * row["efficiency"] * 330 / 300)

    def test_no_legend_covers_its_panel(self):
        for result in (self.four_lines(), self.with_timeline()):
            figure = plots.draw([result])
            FigureCanvasAgg(figure).draw()
            for axes in panels(figure):
                if axes.get_legend():
                    box = axes.get_legend().get_window_extent()
                    with self.subTest(axes.get_ylabel()):
                        self.assertFalse(any(box.overlaps(other.get_window_extent())
                                             for other in panels(figure)))
                        self.assertLessEqual(box.x1, figure.bbox.x1)


class ComparisonTest(Trainings):
    # Overlap exposes 30 ms of 90 ms beside 300 ms: 330 ms; without, 390 ms.
    def test_the_rows_of_a_cell_lie_beside_each_other_with_their_error(self):
        predicted = self.result([sample.training(8, overlap=overlap) for overlap in (True, False)])
        measured = self.result(
            [sample.training(8, overlap=False, transport="mpi", iteration_s=0.3, jitter=0,
                             iteration_low_s=0.29, iteration_high_s=0.4),
             sample.training(8, transport="mpi", iteration_s=0.4, iteration_low_s=0.4,
                             iteration_high_s=0.4), sample.training(4)], "measured.json",
            simulated=False)
        for results in ([predicted, measured], [measured, predicted]):
            self.assertEqual(plots.chosen_kind(results), "training-comparison")
        pairs = training_comparison.pairs(predicted, measured)

        self.assertEqual([pair.label for pair in pairs], ["overlap", "no overlap"])
        self.assertIn("1 measured row has no partner", texts(plots.draw([predicted, measured])))
        self.assertAlmostEqual(pairs[0].error, 0.33 / 0.4 - 1)
        self.assertAlmostEqual(pairs[1].error, 0.39 / 0.3 - 1)
        drawn = plots.draw([predicted, measured])
        self.assertIn("-17.5 %", texts(drawn))
        self.assertIn("+30.0 %", texts(drawn))
        self.assertIn("no overlap: predicted", texts(drawn))

    def test_a_median_that_a_file_rounds_above_the_extremes_has_no_spread(self):
        low = {"iteration_s": 0.4, "iteration_low_s": 0.41, "iteration_high_s": 0.39}
        predicted = self.result([sample.training(8)])
        measured = self.result([sample.training(8, **low)], "measured.json", simulated=False)

        self.assertIn("-17.5 %", texts(plots.draw([predicted, measured])))

    def test_one_pair_is_called_by_its_model(self):
        predicted, measured = (self.result([sample.training(8)], simulated=simulated)
                               for simulated in (True, False))

        self.assertEqual([pair.label for pair in training_comparison.pairs(predicted, measured)],
                         ["VGG-16"])

    def test_two_rows_of_a_cell_are_refused(self):
        measured = self.result([sample.training(8)] * 2, "measured.json", simulated=False)
        with self.assertRaisesRegex(ResultError, "measured.json: two rows of VGG-16 on 8 ranks"):
            plots.draw([self.result([sample.training(8)]), measured])

    def test_nothing_in_common_is_refused(self):
        predicted = self.result([sample.training(8)])
        measured = self.result([sample.training(4)], "measured.json", simulated=False)
        with self.assertRaisesRegex(ResultError, "no training in common"):
            plots.draw([predicted, measured])


if __name__ == "__main__":
    unittest.main()
