"""The nodes of a YAML document, composed with libyaml if available, with scalars as in YAML 1.2 and limits on size and depth."""

from __future__ import annotations

import re
from typing import Any

import yaml  # type: ignore[import-untyped]
from yaml.composer import Composer  # type: ignore[import-untyped]

DEEPEST = 30  # levels; a template has 6
MOST_VALUES = 20_000  # with every alias expanded; a template has under 200
TAG = "tag:yaml.org,2002:"  # prefix of YAML's own tags

# The types of plain scalars. In YAML 1.1, which PyYAML follows, no and on are false and true, 12:30 is 750 and 1e9 is text.
_PLAIN = re.compile(
    r"""(?P<null>~|null|Null|NULL|)
    |(?P<bool>true|True|TRUE|false|False|FALSE)
    |(?P<int>[-+]?(?:0b[01_]+|0o[0-7_]+|0x[0-9a-fA-F_]+|[0-9][0-9_]*))
    |(?P<float>[-+]?[0-9][0-9_]*(?:\.[0-9_]*(?:[eE][-+]?[0-9]+)?|[eE][-+]?[0-9]+)
        |[-+]?\.[0-9_]+(?:[eE][-+][0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))
    |(?P<timestamp>[0-9]{4}-[0-9]{2}-[0-9]{2}
        |[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?:[Tt]|[ ]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?
         (?:[ ]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?)
    |(?P<merge><<)""",
    re.VERBOSE,
)


class TooMany(Exception):
    """There are more values than a person would write."""


class _Reader(Composer):  # type: ignore[misc]
    """A composer of YAML 1.2 nodes with limits on their number and depth.

    The limits apply while the text is read: a hundred thousand open brackets would crash libyaml's own composer.
    """

    loader: Any

    def __init__(self, text: str) -> None:
        self.loader.__init__(self, text)
        self.anchors: dict[str, Any] = {}
        self._count = self._depth = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        self._count += 1
        if self._depth > DEEPEST:
            raise RecursionError
        if self._count > 2 * MOST_VALUES:  # a key is a node too
            raise TooMany
        if not self.check_event(yaml.AliasEvent):
            self.anchors.pop(self.peek_event().anchor, None)  # YAML allows an anchor to be redefined
        self._depth += 1
        node = super().compose_node(parent, index)
        self._depth -= 1
        return node

    def resolve(self, kind: Any, value: Any, implicit: Any) -> Any:
        found = _PLAIN.fullmatch(value) if kind is yaml.ScalarNode and implicit[0] else None
        return f"{TAG}{found.lastgroup}" if found else super().resolve(kind, value, (False, False))


class _PythonReader(_Reader, yaml.SafeLoader):  # type: ignore[misc]
    """A reader with PyYAML's scanner, whose errors say what was expected."""

    loader = yaml.SafeLoader


_Quickest = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # libyaml's, if available


class _QuickReader(_Reader, _Quickest):  # type: ignore[misc,valid-type]
    """A reader that is ten times faster than PyYAML's scanner."""

    loader = _Quickest


def composed(text: str) -> Any:
    """Return the node of a document, None if it is empty.

    If libyaml fails, PyYAML's scanner reads the text again, because its errors say what it found and what it expected. But it
    also stops at a few valid constructs, such as the question mark in [why?]. If libyaml got further, its error is reported.
    """
    try:
        return yaml.compose(text, _QuickReader)
    except (yaml.YAMLError, ValueError) as error:  # ValueError for a lone surrogate
        refused = error
    try:
        return yaml.compose(text, _PythonReader)
    except yaml.YAMLError as error:
        got_further = _line(refused) > _line(error) + 1  # at the end of a text, libyaml counts an extra line
        raise (refused if got_further else error) from None


def _line(error: Exception) -> int:
    mark = getattr(error, "problem_mark", None)
    return mark.line if mark else 0
