"""YAML by libyaml, ten times as quick as ruamel.yaml: the plain data of a file about which there is nothing to say.

It reads the YAML that authors write, and is unsure of everything else: of errors, of tags, anchors and merges, and of what YAML 1.1
and 1.2 read differently. Who reads such a file asks `yaml_source`, which knows the place of every value besides.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

DEEPEST = 30  # levels; a template has 6
MOST_VALUES = 20_000  # with every alias written out; a template has under 200

_WORDS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False,
          "": None, "~": None, "null": None, "Null": None, "NULL": None}  # fmt: skip
_WHOLE = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"[-+]?[0-9]+(?:\.[0-9]*(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)")
_LIKE_A_NUMBER = re.compile(r"[-+.0-9][-+.:0-9_a-fxoinytzA-FXOINYTZ \t]*")  # 0o7, 1_000, .5, 12:30, 2026-12-01, .inf
# Tabs, which ruamel.yaml mostly refuses; breaks of lines in YAML 1.1 alone; marks in ruamel.yaml's own use
_RARE = re.compile("[\t\x07\x85\u2028\u2029\ufeff]")


class Unsure(Exception):
    """This is not read here."""


def plain_data(text: str) -> Any:
    """A document as dictionaries with keys of text, tuples, text, numbers, truth values and None. Raises Unsure."""
    try:
        from yaml import CSafeLoader, YAMLError, parse  # type: ignore[import-untyped]
    except ImportError:  # no PyYAML here, or one without libyaml
        raise Unsure from None
    if _RARE.search(text):
        raise Unsure
    try:
        return _document(parse(text, CSafeLoader))
    except (YAMLError, ValueError):  # ValueError of a lone surrogate, and of a number with thousands of digits
        raise Unsure from None


def _document(events: Iterator[Any]) -> Any:
    kinds = [type(next(events)).__name__]
    start = next(events)
    kinds.append(type(start).__name__)
    if kinds != ["StreamStartEvent", "DocumentStartEvent"] or start.version or start.tags:
        raise Unsure
    data = _Reader(events).node(next(events), 0)
    if [type(event).__name__ for event in events] != ["DocumentEndEvent", "StreamEndEvent"]:
        raise Unsure
    return data


class _Reader:
    """Reads one node after the other from libyaml's events."""

    def __init__(self, events: Iterator[Any]) -> None:
        self._events, self._count = events, 0

    def node(self, event: Any, depth: int) -> Any:
        self._count += 1
        if event.anchor is not None or event.tag is not None or depth > DEEPEST or self._count > MOST_VALUES:
            raise Unsure
        kind = type(event).__name__
        if kind == "ScalarEvent":
            return event.value if event.style else _resolved(event.value)  # quotes and blocks are text
        if kind == "SequenceStartEvent":
            return tuple(self._items(depth))
        found: dict[str, Any] = {}
        for key in self._items(depth):
            if not isinstance(key, str) or key in found or key == "<<":
                raise Unsure
            found[key] = self.node(next(self._events), depth + 1)
        return found

    def _items(self, depth: int) -> Iterator[Any]:
        for event in self._events:
            if type(event).__name__ in ("SequenceEndEvent", "MappingEndEvent"):
                return
            yield self.node(event, depth + 1)


def _resolved(text: str) -> Any:
    """What a scalar without quotes is in YAML 1.2. Raises Unsure where it looks like a number of a rare sort."""
    if text in _WORDS:
        return _WORDS[text]
    if _WHOLE.fullmatch(text):
        return int(text)
    if _DECIMAL.fullmatch(text):
        return float(text)
    if _LIKE_A_NUMBER.fullmatch(text) or text in ("=", "<<"):
        raise Unsure
    return text
