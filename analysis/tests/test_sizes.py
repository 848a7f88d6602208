import sys
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

import sample  # noqa: E402

try:
    import matplotlib
except ModuleNotFoundError as error:
    raise unittest.SkipTest("no matplotlib (apt install python3-matplotlib)") from error

from ringcast_analysis import plots  # noqa: E402


class SizeTest(sample.ResultsTest):
    def test_draws_a_line_per_series_and_the_limit_once(self):
        rows = [sample.row(ranks, 1 << size) for ranks in (2, 4) for size in range(10, 31)]

        axes = plots.draw([self.result(rows)]).findobj(matplotlib.axes.Axes)[0]

        labels = [entry.get_text() for entry in axes.get_legend().texts]
        self.assertEqual(labels, ["2 ranks", "4 ranks", "limit of the links, sums on the ranks"])
        self.assertEqual(axes.get_xscale(), "log")
        self.assertEqual(axes.get_xticklabels()[-1].get_text(), "1 GiB")

    def test_limits_of_other_machines_do_not_squeeze_the_lines(self):
        def axis(*bounds):
            rows = [sample.row(ranks, 1 << 30, lower_bound_s=bound)
                    for ranks, bound in zip((2, 4), bounds)]
            axes = plots.draw([self.result(rows)], "size").findobj(matplotlib.axes.Axes)[0]
            fastest = max(row["busbw_bytes_per_s"] for row in rows) / 1e9
            return axes.get_ylim(), fastest

        (bottom, top), fastest = axis(1e-3, 1e-4)
        self.assertEqual(bottom, 0)
        self.assertAlmostEqual(top, 1.5 * fastest)

        (_, top), fastest = axis(0.1, 0.16)
        self.assertLess(top, 1.4 * fastest)

    def test_the_legend_says_where_a_chosen_algorithm_changes(self):
        choices = ((1 << 16, "tree", "LL"), (1 << 20, "tree", "LL"), (1 << 24, "in-switch", "Simple"))
        rows = [sample.row(16, size, algorithm=algorithm, protocol=protocol, algorithm_chosen=True)
                for size, algorithm, protocol in choices]

        axes = plots.draw([self.result(rows)]).findobj(matplotlib.axes.Axes)[0]

        self.assertEqual([" ".join(text.get_text().split()) for text in axes.get_legend().texts],
                         ["predicted, auto: tree/LL, in-switch/Simple from 16 MiB",
                          "limit of the links, sums on the ranks; in-switch rows: sums in the"
                          " switches"])


if __name__ == "__main__":
    unittest.main()
