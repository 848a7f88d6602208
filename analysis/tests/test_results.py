import json
import sys
import unittest
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

import sample  # noqa: E402
from ringcast_analysis.results import ResultError, load  # noqa: E402
from ringcast_analysis.series import evenly, group, source_names, with_choices  # noqa: E402
from ringcast_analysis.units import RATES, TIMES, prefix_for, rate_text, size_text  # noqa: E402


class Files(sample.ResultsTest):
    def load(self, content, name="result.json"):
        return load(sample.write(self.folder, name, content))

    def refusal(self, text):
        file = self.folder / "bad.json"
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        with self.assertRaises(ResultError) as caught:
            load(file)
        message = str(caught.exception)
        self.assertTrue(message.startswith(f"{file}:"), message)
        self.assertNotIn("\n", message)
        return message.removeprefix(str(file))


class LoadTest(Files):
    def test_keeps_every_number(self):
        rows = self.load(sample.result([sample.row(4, 1000, time_s=0.1 + 0.2)])).rows

        self.assertEqual(rows[0].time_s, 0.1 + 0.2)
        self.assertEqual((rows[0].ranks, rows[0].size_bytes), (4, 1000))

    def test_measurements_need_no_bound_and_no_links(self):
        entry = sample.measured(sample.row())

        row = self.load(sample.result([entry], simulated=False)).rows[0]

        self.assertIsNone(row.lower_bound_s)
        self.assertIsNone(row.busbw_limit_bytes_per_s)
        self.assertEqual(row.links, ())

    def test_a_log_leaves_open_how_it_was_done(self):
        row = self.load(sample.result([sample.logged(sample.row())], simulated=False)).rows[0]

        self.assertEqual((row.algorithm, row.transport, row.ring_order, row.channels), (None,) * 4)
        self.assertIsNone(row.busbw_limit_bytes_per_s)

    def test_the_limit_is_the_bus_bandwidth_at_the_lower_bound(self):
        # 10 GB/s links: the sample's lower bound is S 2(n-1)/n / 10 GB/s, so the limit is 10 GB/s.
        row = self.load(sample.result([sample.row(5, 12345)])).rows[0]

        self.assertAlmostEqual(row.busbw_limit_bytes_per_s / 10e9, 1.0, places=12)

    def test_one_rank_takes_no_time(self):
        row = self.load(sample.result([sample.row(1)])).rows[0]

        self.assertEqual((row.time_s, row.busbw_bytes_per_s), (0, 0))
        self.assertIsNone(row.busbw_limit_bytes_per_s)

    def test_counts_failures(self):
        content = {**sample.result([sample.row()]), "failures": [{"ranks": 3, "error": "no"}]}

        self.assertEqual(self.load(content).failures, 1)


class LimitsTest(Files):
    # ringcast predict --until-efficiency 80%: next_row is null where all GPUs keep it.
    def test_both_sides_of_a_limit_are_rows(self):
        content = sample.result([])
        del content["rows"]
        content["limits"] = [{"row": sample.training(8), "next_row": sample.training(16)},
                             {"row": sample.training(40, overlap=False), "next_row": None}]

        self.assertEqual([row.ranks for row in self.load(content).training], [8, 16, 40])


class ValidationTest(Files):
    def test_keeps_every_number(self):
        result = self.load(sample.result([sample.validation_row(16, 0.1 + 0.2, -0.25)]))

        self.assertEqual(result.rows, ())
        row = result.validation[0]
        self.assertEqual((row.set, row.ranks, row.measured_s), ("DeepBench", 16, 0.1 + 0.2))
        self.assertEqual((row.relative_error, row.fitted, row.judged), (-0.25, False, True))


class RefusalTest(Files):
    def test_not_json(self):
        self.assertEqual(self.refusal("size time\n"),
                         ":1:1: not JSON (expected what ringcast predict or measure wrote with "
                         "--output; of a log, what ringcast import nccl-tests LOG --output "
                         "FILE.json wrote)")

    def test_not_text(self):
        self.assertIn("not JSON", self.refusal(b"\x89PNG\xff"))

    def test_empty_file(self):
        self.assertIn("not JSON", self.refusal(""))

    def test_deep_nesting(self):
        self.assertIn("not JSON", self.refusal("[" * 200_000))

    def test_a_list_instead_of_an_object(self):
        self.assertIn("not an object", self.refusal("[]"))

    def test_unknown_schema_version(self):
        content = json.dumps({**sample.result([]), "schema_version": 2})

        self.assertEqual(self.refusal(content), ": schema_version: 2 (expected 1)")

    def test_a_file_without_rows_is_told_what_has_some(self):
        content = sample.result([])
        del content["rows"]

        self.assertEqual(self.refusal(json.dumps({**content, "machines": []})),
                         ": no rows (expected what ringcast predict, measure, validate or import"
                         " wrote with --output)")

    def test_what_is_drawn_otherwise_is_told_how(self):
        content = sample.result([])

        rows = [{"kind": "comparison"}]
        self.assertEqual(self.refusal(json.dumps({**content, "rows": rows})),
                         ": kind: 'comparison' (expected the two results that are compared, for"
                         " ringcast plot)")
        del content["rows"]
        self.assertEqual(self.refusal(json.dumps({**content, "kind": "rings"})),
                         ": kind: 'rings' (expected ringcast rings --output FILE.svg, which draws"
                         " them)")

    def test_missing_keys_say_where(self):
        entry = sample.row()
        del entry["time_s"]

        self.assertEqual(self.refusal(json.dumps(sample.result([sample.row(), entry]))),
                         ": rows[1]: time_s: missing (expected a number)")

    def test_every_required_key_is_required(self):
        optional = ("lower_bound_s", "lower_bound_reason", "bottleneck", "links", "messages",
                    "bottleneck_utilisation", "protocol", "sent_per_rank_bytes", "segment_bytes",
                    "verified", "algbw_bytes_per_s", "range_reason", "found_by", "time_error_bound",
                    "algorithm_chosen", "channels_chosen", "nodes")
        for key in sample.row():
            if key not in optional:
                entry = sample.row()
                del entry[key]
                with self.subTest(key):
                    self.assertIn(f"{key}: missing",
                                  self.refusal(json.dumps(sample.result([entry]))))

    def test_every_key_of_a_validation_is_required(self):
        for key in sample.validation_row():
            entry = sample.validation_row()
            del entry[key]
            with self.subTest(key):
                self.assertIn(f"{key}: missing",
                              self.refusal(json.dumps(sample.result([entry]))))

    def test_impossible_values_of_a_validation(self):
        for change in ({"measured_s": 0}, {"predicted_s": -1}, {"fitted": 1}, {"judged": None},
                       {"relative_error": "0.1"}, {"set": 3}):
            with self.subTest(change):
                damaged = {**sample.validation_row(), **change}
                self.assertIn("expected", self.refusal(json.dumps(sample.result([damaged]))))

    def test_an_unknown_kind_of_row(self):
        content = json.dumps(sample.result([sample.row(kind="broadcast")]))

        self.assertEqual(self.refusal(content),
                         ": rows[0]: kind: 'broadcast' (expected 'allreduce' or 'validation' or"
                         " 'training')")

    def test_impossible_values(self):
        for change in ({"ranks": 0}, {"ranks": 2.5}, {"ranks": True}, {"time_s": -1},
                       {"time_s": "1"}, {"size_bytes": None}, {"kind": "broadcast"},
                       {"links": [{"name": 3}]}, {"links": {}}, {"channels": 0}):
            with self.subTest(change):
                damaged = {**sample.row(), **change}
                self.assertIn("expected", self.refusal(json.dumps(sample.result([damaged]))))

    def test_numbers_that_are_not_finite(self):
        content = json.dumps(sample.result([sample.row(time_s=0.125)]))
        for number in ("NaN", "Infinity", "-Infinity", "1e999", "9" * 400, "9" * 5000):
            with self.subTest(number):
                self.assertIn("finite", self.refusal(content.replace("0.125", number)))

    def test_counts_of_more_than_64_bits(self):
        content = json.dumps(sample.result([sample.row(8, 12345)]))
        self.assertIn("a whole number", self.refusal(content.replace("12345", str(2**64))))

    def test_a_missing_file(self):
        with self.assertRaises(ResultError) as caught:
            load(self.folder / "none.json")

        self.assertIn("none.json: cannot be read: No such file", str(caught.exception))

    def test_a_file_without_an_end(self):
        with self.assertRaises(ResultError) as caught:
            load(Path("/dev/zero"))

        self.assertIn("/dev/zero: larger than 64 MiB", str(caught.exception))

    def test_control_characters_are_shown(self):
        row = sample.row(transport="a\x1b[31m\n\x9b\u202e")

        self.assertEqual(self.load(sample.result([row])).rows[0].transport,
                         "a\\x1b[31m\\x0a\\xc2\\x9b\\xe2\\x80\\xae")


class SeriesTest(Files):
    def test_labels_name_what_differs_only(self):
        rows = [sample.row(ranks, 1 << 20, ring_order=order)
                for ranks in (8, 2, 4) for order in ("by-rank", "interleaved")]

        series = group([self.load(sample.result(rows))], "ranks")

        self.assertEqual([line.label for line in series], ["by-rank", "interleaved"])
        self.assertEqual([row.ranks for row in series[0].rows], [2, 4, 8])

    def test_parameters_become_words(self):
        rows = [sample.row(2, 1 << 20), sample.row(2, 1 << 20, segment_bytes=65536),
                sample.row(1, 1 << 20, channels=2)]

        series = group([self.load(sample.result(rows))], "size_bytes")

        self.assertEqual([line.label for line in series],
                         ["2 ranks, 1 channel, whole chunks",
                          "2 ranks, 1 channel, segments of 64 KiB",
                          "1 rank, 2 channels, whole chunks"])

    def test_labels_leave_out_what_a_row_does_not_say(self):
        predicted = self.load(sample.result([sample.row(2, segment_bytes=1024)]), "a.json")
        log = self.load(sample.result([sample.logged(sample.row(2))], simulated=False), "b.json")

        series = group([predicted, log], "size_bytes")

        self.assertEqual([line.label for line in series], ["predicted", "measured"])
        self.assertEqual(group([log], "size_bytes")[0].label, "measured, all-reduce")

    def test_prediction_and_measurement_are_told_apart(self):
        predicted = self.load(sample.result([sample.row()]), "a.json")
        measured = self.load(sample.result([sample.row()], simulated=False), "b.json")
        other = self.load(sample.result([sample.row()], simulated=False), "c.json")

        self.assertEqual(source_names([predicted, measured]), ["predicted", "measured"])
        self.assertEqual(source_names([measured, other]), ["measured (b)", "measured (c)"])

    def test_one_rank_chooses_no_algorithm(self):
        tree = {"algorithm": "tree", "protocol": "LL", "algorithm_chosen": True}
        rows = self.result([sample.row(1, algorithm_chosen=True), sample.row(8, **tree)]).rows

        self.assertEqual(with_choices("auto", rows, "ranks"), "auto: tree/LL")

    def test_refuses_a_cell_given_twice(self):
        result = self.load(sample.result([sample.row(4), sample.row(4)]))

        with self.assertRaisesRegex(ResultError, "two rows .* ranks 4"):
            group([result], "ranks")

    def test_evenly_keeps_the_ends(self):
        self.assertEqual(evenly(list(range(100)), 4), [0, 33, 66, 99])
        self.assertEqual(evenly([1, 2], 4), [1, 2])


class UnitsTest(unittest.TestCase):
    def test_sizes_are_binary_where_that_is_exact(self):
        texts = {0: "0 B", 7: "7 B", 1024: "1 KiB", 1000: "1 kB", 1_200_000_000: "1.2 GB",
                 64 << 20: "64 MiB", 1536 << 20: "1536 MiB", 1 << 40: "1024 GiB"}

        self.assertEqual({size: size_text(size) for size in texts}, texts)

    def test_the_greatest_value_chooses_the_prefix(self):
        self.assertEqual(prefix_for([0.0, 0.3], TIMES).unit, "ms")
        self.assertEqual(prefix_for([2.0, 0.3], TIMES).unit, "s")
        self.assertEqual(prefix_for([1e-9], TIMES).unit, "µs")
        self.assertEqual(prefix_for([], RATES).unit, "GB/s")
        self.assertEqual(rate_text(6.8e9), "6.8 GB/s")
        self.assertEqual(rate_text(1.12e12), "1.12 TB/s")


if __name__ == "__main__":
    unittest.main()
