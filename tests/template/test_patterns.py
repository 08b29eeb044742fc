"""Regular expressions that every supported Python matches alike: before 3.11.5, possessive and atomic ones match wrongly."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Iterator
from typing import Any

import shardwise

MISREAD = {"POSSESSIVE_REPEAT", "ATOMIC_GROUP"}


def patterns() -> Iterator[tuple[str, re.Pattern[Any]]]:
    for module in pkgutil.walk_packages(shardwise.__path__, "shardwise."):
        if not module.name.endswith("__main__"):
            for name, value in vars(importlib.import_module(module.name)).items():
                if isinstance(value, re.Pattern):
                    yield f"{module.name}.{name}", value


def operations(parsed: Any) -> Iterator[str]:
    """Yield the names of all nodes of a parsed expression."""
    for part in parsed if isinstance(parsed, (list, tuple)) else getattr(parsed, "data", ()):
        if type(part).__name__ == "_NamedIntConstant":
            yield part.name
        else:
            yield from operations(part)


def test_no_pattern_is_one_that_an_older_python_misreads() -> None:
    parse: Any = getattr(re, "_parser").parse  # noqa: B009 - a module of Python's own, and private
    assert MISREAD & set(operations(parse("a*+"))), "this test no longer sees them"
    found = {name: MISREAD & set(operations(parse(pattern.pattern, pattern.flags))) for name, pattern in patterns()}
    assert len(found) > 30
    assert not {name for name, misread in found.items() if misread}
