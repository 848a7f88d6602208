import copy
import itertools
import json
import math
import sys
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

import sample  # noqa: E402
from test_plots import Pictures, texts  # noqa: E402, raises SkipTest without matplotlib

from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: E402
from matplotlib.patches import FancyArrowPatch  # noqa: E402

from ringcast_analysis import plots, ring_picture, style  # noqa: E402
from ringcast_analysis.results import ResultError  # noqa: E402
from ringcast_analysis.ring_file import load_rings  # noqa: E402


def vertex(name, kind, node):
    return {"name": name, "kind": kind, "node": node}


def cable(a, b, gigabytes=10):
    return {"a": a, "b": b, "bandwidth_bytes_per_s": gigabytes * 1e9}


def comparison(nodes=1, gpus=4, rings=((0, 1, 2, 3),), far_gpus=0):
    """Nodes of GPUs and a card below one root complex, the last `far_gpus` of each node below
    another socket, on one switch."""
    vertices, cables, ranks = [vertex("switch0", "network switch", None)], [], []
    for n in range(nodes):
        vertices += [vertex(f"node{n}.socket0", "cpu", n),
                     vertex(f"node{n}.root0", "root complex", n),
                     vertex(f"node{n}.nic0", "NIC", n)]
        cables += [cable(f"node{n}.socket0", f"node{n}.root0"),
                   cable(f"node{n}.root0", f"node{n}.nic0"), cable(f"node{n}.nic0", "switch0")]
        if far_gpus:
            vertices.append(vertex(f"node{n}.socket1", "cpu", n))
            cables.append(cable(f"node{n}.socket0", f"node{n}.socket1"))
        for g in range(gpus):
            ranks.append(f"node{n}.gpu{g}")
            vertices.append(vertex(ranks[-1], "gpu", n))
            parent = "root0" if g < gpus - far_gpus else "socket1"
            cables.append(cable(f"node{n}.{parent}", ranks[-1]))

    def path(a, b):
        a, b = ranks[a], ranks[b]
        near, far = a.split(".")[0], b.split(".")[0]
        between = [] if near == far else [f"{near}.nic0", "switch0", f"{far}.nic0"]
        return [a, f"{near}.root0", *between, f"{far}.root0", b]

    order = {"ring_order": "searched", "busbw_bytes_per_s": 9.5e9, "links_busbw_bytes_per_s": 1e10,
             "proved_optimal": True, "rings": [list(ring) for ring in rings],
             "paths": [[path(a, ring[(i + 1) % len(ring)]) for i, a in enumerate(ring)]
                       for ring in rings]}
    bound = {"busbw_bytes_per_s": 1e10, "reason": "the ports of 4 GPUs"}
    return {"schema_version": 1, "kind": "rings", "provenance": sample.result([])["provenance"],
            "machines": [{"changes": [], "bounds": {"rings": bound, "any_algorithm": bound},
                          "orders": [order],
                          "cluster": {"name": "test", "ranks": ranks, "vertices": vertices,
                                      "cables": cables}}]}


class RingsTest(Pictures):
    def loaded(self, content):
        return load_rings(sample.write(self.folder, "rings.json", content))

    def arrows(self, figure):
        return figure.findobj(FancyArrowPatch)

    def test_each_hop_is_an_arrow(self):
        figure = plots.rings(self.loaded(comparison()))
        self.assertEqual(len(self.arrows(figure)), 4)
        self.assertIn("1 ring, busbw 9.5 GB/s predicted", " ".join(texts(figure)))

    def test_rates_have_the_unit_of_their_size(self):
        content = comparison()
        machine = content["machines"][0]
        machine["orders"][0]["busbw_bytes_per_s"] = 30e6
        machine["bounds"]["rings"]["busbw_bytes_per_s"] = 31e6

        shown = " ".join(texts(plots.rings(self.loaded(content))))

        self.assertIn("4 ranks, 1 ring, busbw 30 MB/s predicted", shown)
        self.assertIn("bound of all rings: 31 MB/s", shown)

    def test_one_rank_has_no_rate(self):
        shown = " ".join(texts(plots.rings(self.loaded(comparison(gpus=1, rings=((0,),))))))

        self.assertIn("1 rank, 1 ring", shown)
        self.assertNotIn("B/s", shown)

    def test_a_hop_between_hosts_goes_over_their_cards(self):
        figure = plots.rings(self.loaded(comparison(2, 2)))
        # Two hops within the hosts; each of the two others is in three parts.
        self.assertEqual(len(self.arrows(figure)), 2 + 2 * 3)

    def test_rotations_of_a_ring_share_a_panel(self):
        rings = ((0, 1, 2, 3), (2, 3, 0, 1), (0, 3, 2, 1))
        figure = plots.rings(self.loaded(comparison(rings=rings)))
        words = " ".join(texts(figure))
        self.assertIn("2 of 3 rings", words)
        self.assertIn("ring 3 of 3", words)

    def test_colours_of_rings_are_those_for_all_eyes(self):
        figure = plots.rings(self.loaded(comparison(rings=((0, 1, 2, 3), (0, 3, 2, 1)))))
        colours = [arrow.get_edgecolor() for arrow in self.arrows(figure)]
        self.assertEqual(len(set(colours)), 2)
        self.assertEqual(len(set(style.COLOURS)), len(style.COLOURS))

    def test_many_hosts_are_points(self):
        hosts = ring_picture.MOST_HOSTS + 1
        content = comparison(hosts, 2, (tuple(range(2 * hosts)),))
        figure = plots.rings(self.loaded(content))
        self.assertEqual(len(self.arrows(figure)), hosts)

    def test_many_ranks_of_one_host_are_points(self):
        ranks = ring_picture.MOST_RANKS_OF_HOST + 1
        figure = plots.rings(self.loaded(comparison(1, ranks, (tuple(range(ranks)),))))
        self.assertEqual(len(self.arrows(figure)), ranks)
        self.assertIn("gpu16", texts(figure))

    def test_rings_with_the_same_order_of_many_hosts_share_a_panel(self):
        hosts = ring_picture.MOST_HOSTS + 1
        ring = tuple(range(2 * hosts))
        within = tuple(rank ^ 1 for rank in ring)  # GPUs of each host the other way round
        figure = plots.rings(self.loaded(comparison(hosts, 2, (ring, within, ring[::-1]))))
        words = " ".join(texts(figure))
        self.assertIn("2 of 3 rings, with this order of nodes", words)
        self.assertIn("ring 3 of 3", words)

    def test_names_of_hosts_lie_beside_their_points(self):
        hosts = 16
        ring = tuple(range(hosts))
        figure = plots.rings(self.loaded(comparison(hosts, 1, (ring, ring[::-1]))))
        FigureCanvasAgg(figure).draw()
        axes = figure.axes[0]
        marks = [line.get_window_extent() for line in axes.lines]
        names = [text for text in axes.texts if text.get_text().startswith("node")]
        self.assertEqual(len(names), hosts)
        for name in names:
            self.assertFalse(any(name.get_window_extent().overlaps(mark) for mark in marks))

    def test_the_name_of_a_host_of_one_rank_is_nearest_to_it(self):
        hosts = 9
        figure = plots.rings(self.loaded(comparison(hosts, 1, (tuple(range(hosts)),))))
        FigureCanvasAgg(figure).draw()
        axes = figure.axes[0]
        marks = [line.get_window_extent() for line in axes.lines]
        ranks = {line.get_window_extent(): rank for rank, line in
                 enumerate(line for line in axes.lines if line.get_marker() == "o")}
        for rank in range(hosts):
            name = next(text for text in axes.texts if text.get_text() == f"node{rank}")
            box = name.get_window_extent()
            nearest = min(ranks, key=lambda mark: math.dist(mark.p0 + mark.p1, box.p0 + box.p1))
            with self.subTest(rank):
                self.assertEqual(ranks[nearest], rank)
                self.assertFalse(any(box.overlaps(mark) for mark in marks))

    def test_no_card_covers_the_name_of_a_socket(self):
        self.expect_cards_beside_names(comparison(2, 3, (tuple(range(6)),), far_gpus=1), "socket",
                                       (2, 4))

    def test_no_card_covers_the_name_of_a_host_above_it(self):
        ring = tuple(range(32))
        content = comparison(8, 4, (ring, ring[::-1]), far_gpus=3)
        machine = content["machines"][0]
        paths = machine["orders"][0]["paths"]
        # A second card opposite the first, at the bottom.
        paths[1] = json.loads(json.dumps(paths[1]).replace("nic0", "nic1"))
        machine["cluster"]["vertices"] += [vertex(f"node{n}.nic1", "NIC", n) for n in range(8)]
        self.expect_cards_beside_names(content, "node", (16, 8))

    def expect_cards_beside_names(self, content, prefix, counts):
        figure = plots.rings(self.loaded(content))
        FigureCanvasAgg(figure).draw()
        axes = figure.axes[0]
        cards = [line.get_window_extent() for line in axes.lines if line.get_marker() == "s"]
        names = [text.get_window_extent() for text in axes.texts
                 if text.get_text().startswith(prefix)]
        self.assertEqual((len(cards), len(names)), counts)
        for name in names:
            self.assertFalse(any(name.overlaps(card) for card in cards))

    def test_no_more_panels_than_fit(self):
        rings = [(0, *order) for order in itertools.permutations((1, 2, 3, 4))]
        figure = plots.rings(self.loaded(comparison(1, 5, rings)))
        self.assertIn("12 of 24 rings are drawn", " ".join(texts(figure)))

    def test_refuses_a_ring_that_is_no_order(self):
        for rings in ([[0, 1, 1, 3]], [[0, 1, "2", 3]], [[]], []):
            content = copy.deepcopy(comparison())
            content["machines"][0]["orders"][0]["rings"] = rings
            with self.subTest(rings), self.assertRaisesRegex(ResultError, "no order of ranks"):
                self.loaded(content)

    def test_refuses_names_that_are_no_vertices(self):
        ranks, cables = copy.deepcopy(comparison()), copy.deepcopy(comparison())
        ranks["machines"][0]["cluster"]["ranks"][0] = "gpu9"
        cables["machines"][0]["cluster"]["cables"][0]["b"] = "root9"
        for content, name in ((ranks, "gpu9"), (cables, "root9")):
            with self.assertRaisesRegex(ResultError, f"{name} is not in the list of vertices"):
                self.loaded(content)

    def test_names_have_no_invisible_characters(self):
        content = copy.deepcopy(comparison())
        content["machines"][0]["cluster"]["name"] = "a\u200bb\ufeff"
        self.assertEqual(self.loaded(content).machine.name, "a\\xe2\\x80\\x8bb\\xef\\xbb\\xbf")


if __name__ == "__main__":
    unittest.main()
