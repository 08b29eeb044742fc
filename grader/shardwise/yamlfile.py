"""YAML files that authors write: read as YAML 1.2 with positions, and validated with every fault at its place."""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from shardwise.errors import Fault, Faulty

Path_ = tuple[str | int, ...]
LARGEST = 1_000_000  # bytes; the longest template has under 10,000


@dataclass(frozen=True)
class Source:
    """A YAML file as plain data, with the place of every value."""

    name: str
    text: str
    data: Any
    places: Mapping[Path_, tuple[int, int]]  # of values, line and column from 0
    key_places: Mapping[Path_, tuple[int, int]]

    def fault(self, path: Path_, message: str, remedy: str = "", *, at_key: bool = False) -> Fault:
        """A fault at the deepest known part of `path`."""
        places = self.key_places if at_key and path in self.key_places else self.places
        while path and path not in places:
            path, places = path[:-1], self.places
        line, column = places.get(path, (0, 0))
        lines = self.text.split("\n")
        shown = lines[line].rstrip() if line < len(lines) else ""
        excerpt = f"  {line + 1:2} | {shown[:110]}\n     | {' ' * column}^" if shown and column < 110 else ""
        return Fault(f"{self.name}:{line + 1}:{column + 1}", message, remedy, excerpt)


def read(path: Path, name: str | None = None) -> Source:
    """Read a YAML file.

    Raises Faulty when it cannot be read, is too large, or is no YAML.
    """
    name = name or str(path)
    try:
        raw = path.read_bytes()
        if len(raw) > LARGEST:
            raise Faulty([Fault(name, f"{len(raw):,} bytes are too many for a file written by hand")])
        text = raw.decode("utf-8")
    except OSError as error:
        raise Faulty([Fault(name, f"cannot be read: {error.strerror}")]) from None
    except UnicodeDecodeError as error:
        raise Faulty(
            [Fault(name, f"is not UTF-8: {error.reason} at byte {error.start}", "Save it as UTF-8.")]
        ) from None
    return parse(text, name)


def parse(text: str, name: str) -> Source:
    """Parse YAML text; `name` is what faults call it. Raises Faulty."""
    loader = YAML(typ="rt", pure=True)
    loader.allow_duplicate_keys = False
    try:
        tree = loader.load(StringIO(text))
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{name}:{mark.line + 1}:{mark.column + 1}" if mark else name
        problem = str(error.problem or error.context or error).split("\n")[0]
        raise Faulty([Fault(place, f"not YAML: {problem}", "Check the indentation and the quotes here.")]) from None
    except (YAMLError, RecursionError, ValueError, AssertionError) as error:
        raise Faulty(
            [Fault(name, f"not YAML: {str(error).splitlines()[0] if str(error) else type(error).__name__}")]
        ) from None
    places: dict[Path_, tuple[int, int]] = {(): (0, 0)}
    key_places: dict[Path_, tuple[int, int]] = {}
    try:
        data = _plain(tree, (), places, key_places, depth=0)
    except RecursionError:
        raise Faulty([Fault(name, "is nested more than 30 levels deep, or contains itself")]) from None
    return Source(name, text, data, places, key_places)


def _plain(node: Any, path: Path_, places: dict[Path_, Any], key_places: dict[Path_, Any], *, depth: int) -> Any:
    """Plain Python data from ruamel's tree, noting where everything stands."""
    if depth > 30 or len(places) > 20_000:
        raise RecursionError
    if isinstance(node, CommentedMap):
        found = {}
        for key, value in node.items():
            inner = (*path, str(key))
            key_places[inner] = node.lc.key(key) if key in node.lc.data else (0, 0)
            places[inner] = node.lc.value(key) if key in node.lc.data else (0, 0)
            found[str(key)] = _plain(value, inner, places, key_places, depth=depth + 1)
        return found
    if isinstance(node, CommentedSeq):
        items = []
        for index, value in enumerate(node):
            places[(*path, index)] = node.lc.item(index) if index in (node.lc.data or {}) else (0, 0)
            items.append(_plain(value, (*path, index), places, key_places, depth=depth + 1))
        return items
    if isinstance(node, bool) or node is None:
        return node
    for plain in (int, float, str):
        if isinstance(node, plain):
            return plain(node)
    return str(node)


def validate(source: Source, model: Any) -> Any:
    """The file as a model. Raises Faulty with every fault, at its place and with a remedy."""
    try:
        adapter = model if isinstance(model, TypeAdapter) else TypeAdapter(model)
        return adapter.validate_python(source.data)
    except ValidationError as error:
        raise Faulty(_fault(source, one) for one in error.errors()) from None


def _fault(source: Source, error: Any) -> Fault:
    """One of pydantic's errors in our words."""
    path = _real_path(source, error["loc"])
    name = ".".join(map(str, path)) or "this file"
    kind, context = error["type"], error.get("ctx", {})
    if kind == "extra_forbidden":
        known = _known_names(error)
        near = difflib.get_close_matches(str(path[-1]), known, n=1)
        remedy = f"Did you mean {near[0]!r}?" if near else "Remove it, or move it to where it belongs."
        return source.fault(path, f"{name}: unknown key {str(path[-1])!r}", remedy, at_key=True)
    if kind == "missing":
        return source.fault(path[:-1], f"{name} is missing", f"Add `{path[-1] if path else name}:`.")
    if kind.startswith("union_tag"):
        given = source.data.get("kind") if isinstance(source.data, dict) else None
        expected = str(context.get("expected_tags", ""))
        near = difflib.get_close_matches(str(given), re.findall(r"'(\w+)'", expected), n=1)
        remedy = f"Did you mean {near[0]!r}? " if near else ""
        return source.fault(("kind",), f"kind: unknown kind {given!r}", f"{remedy}The kinds are {expected}.")
    message = str(error["msg"]).removeprefix("Value error, ").removeprefix("Assertion failed, ")
    seen = error.get("input")
    if kind == "string_type" and isinstance(seen, dict):
        return source.fault(path, f"{name}: a text belongs here", "A colon followed by a space makes keys: quote the text, or use >-.")
    if kind == "value_error" or isinstance(seen, dict | list):
        unknown = _misspelt(seen) if isinstance(seen, dict) else ""
        return source.fault(path, f"{name}: {message}", unknown)
    number = _as_number(seen) if isinstance(seen, str) else None
    remedy = f"Write the number as {number}." if number and "number" in message else ""
    return source.fault(path, f"{name}: {message}, and this is {seen!r}", remedy)


def _real_path(source: Source, location: tuple[Any, ...]) -> Path_:
    """pydantic's location without the tags of unions, which are no keys of the file."""
    path: Path_ = ()
    for place, part in enumerate(location):
        inner = (*path, part)
        if inner in source.places or place == len(location) - 1:
            path = inner
    return path


def _known_names(error: Any) -> list[str]:
    words = {"choice", "range", "log_range", "fixed", "derived", "unit", "direction", "digits", "means", "argument",
             "reference", "oracle", "arguments", "rel_tol", "abs_tol", "sig_figs", "factor", "value", "say", "formula",
             "symbols", "function", "inputs", "edges", "items", "first", "shown", "pick", "options", "text", "correct",
             "order", "id", "title", "kind", "points", "difficulty", "tags", "covers", "source", "params", "where",
             "prompt", "answer", "hints", "mistakes", "solution", "problems", "summary", "objectives", "attempts",
             "due", "name"}  # fmt: skip
    return sorted(words)


def _misspelt(seen: Mapping[str, Any]) -> str:
    for name in seen:
        near = difflib.get_close_matches(str(name), ["choice", "range", "log_range", "fixed", "derived"], n=1)
        if near and near[0] != name:
            return f"Did you mean {near[0]!r}?"
    return ""


def _as_number(text: str) -> str:
    try:
        float(text)
    except ValueError:
        return ""
    return text
