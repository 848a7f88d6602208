import sys
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

import sample  # noqa: E402
from test_training import Trainings, panels, texts  # noqa: E402, raises SkipTest without matplotlib

from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: E402

from ringcast_analysis import plots, style, timeline  # noqa: E402


class TimelineTest(Trainings):
    def test_it_is_a_panel_of_its_own_where_a_row_has_one(self):
        self.assertEqual(len(panels(plots.draw([self.with_timeline()]))), 3)

    def test_spans_lie_in_their_lanes_from_begin_to_end(self):
        axes = panels(plots.draw([self.with_timeline()], "timeline"))[0]

        spans = [(bar.get_y() + bar.get_height() / 2, bar.get_x(), bar.get_width())
                 for bar in axes.patches]
        for (lane, begin, length), span in zip(spans, sample.timeline(), strict=True):
            self.assertAlmostEqual(lane, timeline.LANES[span["lane"]])
            self.assertAlmostEqual(begin, 1000 * span["begin_s"])
            self.assertAlmostEqual(length, 1000 * (span["end_s"] - span["begin_s"]))

    def test_no_outline_covers_the_colour_of_a_narrow_span(self):
        span = {"lane": "communication", "name": "bucket 3", "begin_s": 0.33, "end_s": 0.3301}
        result = self.result([sample.training(4, timeline=[*sample.timeline(), span])])

        *wide, narrow = panels(plots.draw([result], "timeline"))[0].patches

        self.assertEqual(narrow.get_edgecolor(), narrow.get_facecolor())
        self.assertEqual({bar.get_edgecolor() for bar in wide}, {(0, 0, 0, 1)})

    def test_names_stand_where_they_have_room(self):
        shown = texts(plots.draw([self.with_timeline()], "timeline"))

        self.assertIn("bucket 1", shown)
        self.assertNotIn("optimizer", shown)

    def test_the_row_of_most_gpus_is_drawn(self):
        rows = [sample.training(gpus, timeline=sample.timeline()) for gpus in (2, 40, 8)]

        result = self.result(rows)

        self.assertEqual(timeline.row_with_timeline([result]).ranks, 40)
        for kind in ("timeline", "training"):
            self.assertIn("one of 3 timelines is drawn", texts(plots.draw([result], kind)))

    def test_the_same_rows_give_the_same_picture(self):
        with style.settings():
            first, second = (plots.draw([self.with_timeline()]) for _ in range(2))
            for figure in (first, second):
                FigureCanvasAgg(figure).draw()
        self.assertEqual(texts(first), texts(second))


if __name__ == "__main__":
    unittest.main()
