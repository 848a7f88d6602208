"""Holds the readers against docs/result.schema.json, which the C++ tests hold against the writer."""

import json
import sys
import unittest
from pathlib import Path
from typing import Any, Iterator

sys.path[:0] = [str(Path(__file__).parents[1]), str(Path(__file__).parent)]

import sample  # noqa: E402
from ringcast_analysis import plots  # noqa: E402
from ringcast_analysis.json_object import JsonObject  # noqa: E402
from ringcast_analysis.results import ResultError  # noqa: E402

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/result.schema.json").read_text())
ROWS = {row["properties"]["kind"]["const"]: row
        for row in SCHEMA["properties"]["rows"]["items"]["oneOf"]}
TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int,
         "number": (int, float), "null": type(None)}


def types_of(schema: dict) -> list[str]:
    return schema["type"] if isinstance(schema["type"], list) else [schema["type"]]


def problems(value: Any, schema: dict, where: str = "") -> Iterator[str]:
    """Violations of the schema by the value, for the keywords that the file uses."""
    if "oneOf" in schema:
        kinds = {each["properties"]["kind"]["const"]: each for each in schema["oneOf"]}
        yield from problems(value, kinds[value["kind"]], where)
        return
    if "const" in schema and value != schema["const"]:
        yield f"{where}: {value!r} is not {schema['const']!r}"
    if "type" in schema and not any(
            isinstance(value, TYPES[name]) and isinstance(value, bool) == (name == "boolean")
            for name in types_of(schema)):
        yield f"{where}: {value!r} is no {schema['type']}"
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        if not schema.get("minimum", value) <= value <= schema.get("maximum", value):
            yield f"{where}: {value!r} is out of range"
    elif value not in schema.get("enum", [value]):
        yield f"{where}: {value!r} is none of {schema['enum']}"
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from problems(item, schema["items"], f"{where}[{i}]")
    elif isinstance(value, dict):
        for key in schema["required"]:
            if key not in value:
                yield f"{where}.{key}: missing"
        for key, part in value.items():
            if key in schema["properties"]:
                yield from problems(part, schema["properties"][key], f"{where}.{key}")
            else:
                yield f"{where}.{key}: unknown"


class SchemaTest(sample.ResultsTest):
    def test_the_samples_are_what_the_program_writes(self):
        for row in (sample.row(), sample.logged(sample.row()), sample.training(),
                    sample.measured_by_mpi(sample.training()),
                    sample.training(timeline=sample.timeline())):
            with self.subTest(row["kind"]):
                self.assertEqual(list(problems(sample.result([row]), SCHEMA)), [])

    def test_null_is_read_where_the_program_writes_it(self):
        for kind, entry in (("allreduce", sample.row()), ("training", sample.training())):
            for key, schema in ROWS[kind]["properties"].items():
                if "null" in types_of(schema):
                    with self.subTest(kind=kind, key=key):
                        self.result([{**entry, key: None}])

    def test_only_keys_of_the_schema_are_read(self):
        asked = set()
        get, has = JsonObject._get, JsonObject.has
        self.addCleanup(setattr, JsonObject, "_get", get)
        self.addCleanup(setattr, JsonObject, "has", has)
        JsonObject._get = lambda self, key, *rest: (asked.add(key), get(self, key, *rest))[1]
        JsonObject.has = lambda self, key: (asked.add(key), has(self, key))[1]

        self.result([sample.row(), sample.training(timeline=sample.timeline())])

        self.assertEqual(asked - set(keys_of(SCHEMA)), set())

    # ringcast measure scenarios/one-host-training.yaml --algorithm mpi --output t.json, then plot.
    def test_a_training_that_mpi_all_reduces_has_no_ring_and_is_drawn(self):
        rows = [sample.measured_by_mpi(sample.training(gpus)) for gpus in (1, 2)]

        result = self.result([*rows, sample.training(2)], simulated=False)

        self.assertIsNone(result.training[0].ring_order)
        labels = [text.get_text() for text in plots.draw([result]).findobj(
            lambda part: hasattr(part, "get_text"))]
        self.assertFalse(any("None" in label for label in labels), labels)

    def test_what_is_never_null_is_refused(self):
        with self.assertRaisesRegex(ResultError, "model"):
            self.result([{**sample.training(), "model": None}])


def keys_of(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for part in schema.values():
            yield from keys_of(part)
    elif isinstance(schema, list):
        for part in schema:
            yield from keys_of(part)


if __name__ == "__main__":
    unittest.main()
