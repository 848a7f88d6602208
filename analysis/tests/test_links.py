import sys
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

import sample  # noqa: E402
from test_plots import Pictures, tick_texts  # noqa: E402, raises SkipTest without matplotlib

import matplotlib  # noqa: E402

from ringcast_analysis import links, plots  # noqa: E402


class LinksTest(Pictures):
    def test_the_largest_cell_is_shown_busiest_first(self):
        result = self.scaling()

        axes = plots.draw([result], "links").findobj(matplotlib.axes.Axes)[0]

        self.assertEqual(links.largest_cell([result]).ranks, 40)
        widths = [bar.get_width() for bar in axes.patches]
        self.assertEqual(len(widths), links.MOST_BARS)
        self.assertEqual(widths, sorted(widths, reverse=True))

    def test_links_that_are_alike_are_one_bar(self):
        link = sample.links(1)[0]
        names = [f"node{node}.nic{card} -> leaf0" for node in (0, 10) for card in (0, 1)]
        row = sample.row(8, links=[{**link, "name": name} for name in (*names, "leaf0 -> spine0")])

        axes = plots.draw([self.result([row])], "links").findobj(matplotlib.axes.Axes)[0]

        self.assertEqual(tick_texts(axes.yaxis), ["node*.nic* -> leaf0, x 4", "leaf0 -> spine0"])
        self.assertEqual(len(axes.patches), 2)
        self.assertIn("5 busiest links", axes.get_title(loc="left"))

    def test_bars_of_a_class_with_several_rates_have_them_beside(self):
        link = {**sample.links(1)[0], "link_class": "ethernet-100g"}
        row = sample.row(8, links=[
            {**link, "name": "node0.nic0 -> switch0, kernel copies", "utilisation": 1.0,
             "bandwidth_bytes_per_s": 9.1e9},
            {**link, "name": "node0.nic0 -> switch0", "utilisation": 0.773,
             "bandwidth_bytes_per_s": 11.77e9},
            {**link, "name": "node0.socket0 -> node0.socket1", "link_class": "sockets"}])

        axes = plots.draw([self.result([row])], "links").findobj(matplotlib.axes.Axes)[0]

        self.assertEqual([text.get_text() for text in axes.texts],
                         ["100.0 %, 9.1 GB/s", "95.0 %", "77.3 %, 11.8 GB/s"])
        self.assertEqual([entry.get_text() for entry in axes.get_legend().texts],
                         ["ethernet-100g", "sockets, 10 GB/s"])

    def test_links_of_different_rates_are_bars_of_their_own(self):
        link = sample.links(1)[0]
        row = sample.row(8, links=[{**link, "name": f"node{node}.nic0 -> switch0",
                                    "bandwidth_bytes_per_s": rate}
                                   for node, rate in enumerate((10e9, 10e9, 5e9))])

        axes = plots.draw([self.result([row])], "links").findobj(matplotlib.axes.Axes)[0]

        self.assertEqual(tick_texts(axes.yaxis), ["node*.nic0 -> switch0, x 2",
                                                  "node2.nic0 -> switch0"])

    def test_each_file_with_links_has_a_panel_that_names_its_machine(self):
        rows = {"small.json": [sample.row(8)], "large.json": [sample.row(16)]}
        for clusters, names in ((("A", "B"), ("A", "B")),
                                (("A", "A"), ("predicted (small)", "predicted (large)"))):
            results = [self.result(rows[file], file, cluster=cluster)
                       for file, cluster in zip(rows, clusters)]
            results.append(self.result([sample.row(8, links=[])], "none.json", cluster="C"))

            panels = plots.draw(results, "links").findobj(matplotlib.axes.Axes)

            self.assertEqual(len(panels), 2)
            for axes, name, ranks in zip(panels, names, (8, 16)):
                with self.subTest(name):
                    self.assertIn(f"links of {name} at {ranks} ranks", axes.get_title(loc="left"))

    def test_panels_of_equal_rows_name_their_own_machines(self):
        results = [self.result([sample.row(8)], f"{name}.json", cluster=name) for name in "AB"]

        panels = plots.draw(results, "links").findobj(matplotlib.axes.Axes)

        for axes, name in zip(panels, "AB"):
            self.assertIn(f"links of {name} at", axes.get_title(loc="left"))

    def test_a_name_that_fits_no_line_breaks_after_a_comma_or_an_arrow(self):
        for name, lines in (
                ("node0.nvswitch -> node0.gpu0, in-switch channels",
                 "node0.nvswitch -> node0.gpu0,\nin-switch channels"),
                ("rack12-slot03.cluster.example.com.nic0 -> leaf0.cluster.example.com",
                 "rack12-slot03.cluster.example.com.nic0 ->\nleaf0.cluster.example.com")):
            row = sample.row(8, links=[{**sample.links(1)[0], "name": name}])

            axes = plots.draw([self.result([row])], "links").findobj(matplotlib.axes.Axes)[0]

            self.assertEqual(tick_texts(axes.yaxis), [lines])

    def test_the_longest_names_keep_both_ends(self):
        name = links.shortened("node0/" + "x" * 130 + "/port1")

        self.assertEqual(len(name), links.LONGEST_NAME - 1)
        self.assertTrue(name.startswith("node0/") and name.endswith("/port1"))

    def test_the_legend_names_the_classes_of_the_bars_only(self):
        link = sample.links(8)[0]
        many = [{**link, "link_class": "shown", "utilisation": 0.9 - 0.01 * i}
                for i in range(links.MOST_BARS)]
        few = [{**link, "link_class": "not shown", "utilisation": 0.0}]

        figure = plots.draw([self.result([sample.row(8, links=many + few)])], "links")

        legend = figure.findobj(matplotlib.legend.Legend)[0]
        self.assertEqual([entry.get_text().split(",")[0] for entry in legend.texts], ["shown"])


if __name__ == "__main__":
    unittest.main()
