"""Typed access to the objects of a JSON file; errors are reported in one line."""

from __future__ import annotations

import math
import re
from dataclasses import MISSING, field, fields
from typing import Any, Callable, TypeVar

Record = TypeVar("Record")


class ResultError(Exception):
    """An error in a file or an option: `FILE: where: problem (expected ...)`."""


def without_controls(text: str) -> str:
    """Control and invisible characters as \\xNN: they make an SVG invalid XML, or a name false.

    The same characters as in `without_controls` of engine/numbers/printable.cpp.
    """
    return re.sub("[\x00-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064"
                  "\u2066-\u2069\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]",
                  lambda control: "".join(f"\\x{byte:02x}" for byte in control[0].encode()), text)


class JsonObject:
    """A JSON object with typed access to its keys, and its path in the file for messages."""

    def __init__(self, value: Any, where: str):
        self._where = where
        if not isinstance(value, dict):
            raise ResultError(f"{where}: not an object (expected key: value pairs)")
        self._value = value

    def has(self, key: str) -> bool:
        return self._value.get(key) is not None

    def text(self, key: str) -> str:
        return without_controls(self._get(key, str, "a text"))

    def text_or_none(self, key: str) -> str | None:
        return self.text(key) if self._stated(key, "a text or null") else None

    def one_of(self, key: str, texts: tuple[str, ...]) -> str:
        text = self.text(key)
        if text not in texts:
            expected = " or ".join(repr(known) for known in texts)
            raise ResultError(f"{self._where}: {key}: {text!r} (expected {expected})")
        return text

    def flag(self, key: str) -> bool:
        return self._get(key, bool, "true or false")

    def count(self, key: str, least: int = 0) -> int:
        value = self._get(key, int, "a whole number")
        if value < least:
            raise ResultError(f"{self._where}: {key}: {value} (expected {least} or more)")
        return value

    def count_or_none(self, key: str, least: int = 0) -> int | None:
        return self.count(key, least) if self._stated(key, "a whole number or null") else None

    def quantity(self, key: str) -> float:
        value = self.number(key)
        if value < 0:
            raise ResultError(f"{self._where}: {key}: {value} (expected 0 or more, finite)")
        return value

    def quantity_or_zero(self, key: str) -> float:
        return self.quantity(key) if self._stated(key, "a number or null") else 0.0

    def above_zero(self, key: str) -> float:
        value = self.number(key)
        if value <= 0:
            raise ResultError(f"{self._where}: {key}: {value} (expected more than 0)")
        return value

    def number(self, key: str) -> float:
        value = self._get(key, (int, float), "a number")
        # Numbers beyond the range of a double are parsed as infinity.
        if not math.isfinite(value):
            raise ResultError(f"{self._where}: {key}: {value} (expected a finite number)")
        return float(value)

    def objects(self, key: str) -> list[JsonObject]:
        values = self._get(key, list, "a list")
        return [JsonObject(value, f"{self._where}: {key}[{i}]") for i, value in enumerate(values)]

    def texts(self, key: str) -> list[str]:
        return [without_controls(str(value)) for value in self._get(key, list, "a list")]

    def lists(self, key: str) -> list[list]:
        values = self._get(key, list, "a list")
        if not all(isinstance(value, list) for value in values):
            raise ResultError(f"{self._where}: {key}: not only lists (expected a list of lists)")
        return values

    def object(self, key: str) -> JsonObject:
        return JsonObject(self._get(key, dict, "an object"), f"{self._where}: {key}")

    def _stated(self, key: str, expected: str) -> bool:
        return self._get(key, object, expected) is not None

    def _get(self, key: str, kind: Any, expected: str) -> Any:
        if key not in self._value:
            raise ResultError(f"{self._where}: {key}: missing (expected {expected})")
        value = self._value[key]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind not in (bool, object)):
            raise ResultError(f"{self._where}: {key}: {value!r} (expected {expected})")
        return value


def key(reader: Callable[..., Any], absent: Any = MISSING, **rules: Any) -> Any:
    """A field of a dataclass that `read` fills from the key of its name, by a method of JsonObject.
    A key that may be missing or null has a value then, `absent`."""
    return field(metadata={"reader": reader, "absent": absent, "rules": rules})


def read(kind: type[Record], entry: JsonObject) -> Record:
    """An object of a dataclass of key() fields."""
    def value(name: str, reader: Callable[..., Any], absent: Any, rules: dict) -> Any:
        if absent is not MISSING and not entry.has(name):
            return absent
        return reader(entry, name, **rules)

    return kind(**{each.name: value(each.name, **each.metadata) for each in fields(kind)})


def records(kind: type[Record]) -> Callable[[JsonObject, str], tuple[Record, ...]]:
    """The reader of a list of objects."""
    return lambda entry, name: tuple(read(kind, each) for each in entry.objects(name))
