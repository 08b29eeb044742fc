"""YAML files that authors write: read as YAML 1.2 with positions, and validated with every fault at its place."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.composer import Composer
from ruamel.yaml.constructor import ConstructorError, RoundTripConstructor
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from shardwise.errors import Fault, Faulty
from shardwise.template.yaml_quick import DEEPEST, MOST_VALUES, Unsure, plain_data
from shardwise.text_files import read_text

Path_ = tuple[str | int, ...]


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
        return _fault_at(self.name, self.text, *places.get(path, (0, 0)), message, remedy)

    def path_of(self, written: Any) -> Path_:
        """Return the first position of an author's value; the file itself if the value is not in it."""
        return next((path for path in self.places if self.at(path) == written), ())

    def at(self, path: Path_) -> Any:
        """Return the value at a place; None where there is none."""
        value = self.data
        for part in path:
            try:
                value = value[part]
            except (LookupError, TypeError):
                return None
        return value


def _fault_at(name: str, text: str, line: int, column: int, message: str, remedy: str) -> Fault:
    lines = text.split("\n")
    shown = lines[line].rstrip().replace("\t", " ") if line < len(lines) else ""
    excerpt = f"  {line + 1:2} | {shown[:110]}\n     | {' ' * column}^" if shown and column < 110 else ""
    return Fault(f"{name}:{line + 1}:{column + 1}", message, remedy, excerpt)


def load(path: Path, name: str | None = None) -> Source:
    """Read a YAML file. Raises Faulty when it cannot be read or is no YAML."""
    name = name or str(path)
    return parse(read_text(path, name), name)


class _Bounded(Composer):
    """Composes as many nodes, and as deep ones, as a person writes.

    Checked while the text is being read: for a thousand brackets that nothing closes, ruamel.yaml takes quadratic time.
    """

    def __init__(self, loader: Any = None) -> None:
        super().__init__(loader)
        self.warn_double_anchors = False  # YAML allows an anchor to be set anew
        self._nodes = self._level = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        self._nodes += 1
        if self._level > DEEPEST:
            raise RecursionError
        if self._nodes > 2 * MOST_VALUES:  # a key is a node too
            raise OverflowError
        self._level += 1
        node = super().compose_node(parent, index)
        self._level -= 1
        return node


_KINDS = {"timestamp": "date", "int": "whole number", "float": "number", "bool": "true or false"}
_MOST_BITS = 10_000  # of a whole number; Python writes none of more than 4,300 digits


class _NoValue(ConstructorError):
    """What stands there cannot be made into a value."""


class _Placed(RoundTripConstructor):
    """Turns YAML nodes into values. Where that fails, as for the date 2026-02-30, the error carries the line and column."""

    def construct_object(self, node: Any, deep: bool = False) -> Any:
        kind = _KINDS.get(node.tag.rpartition(":")[2], node.tag)
        try:
            value = super().construct_object(node, deep)
        except (ValueError, LookupError, TypeError) as error:
            why = f": {error}" if kind == "date" and isinstance(error, ValueError) else ""
            raise _NoValue(None, None, f"this is no {kind} that can be read{why}", node.start_mark) from None
        if isinstance(value, int) and value.bit_length() > _MOST_BITS:
            raise _NoValue(None, None, f"this is no {kind} that can be read", node.start_mark)
        return value


def parse(text: str, name: str) -> Source:
    """Parse YAML text; `name` is what faults call it. Raises Faulty."""
    places: dict[Path_, tuple[int, int]] = {(): (0, 0)}
    key_places: dict[Path_, tuple[int, int]] = {}
    try:
        data = _plain(_tree(text, name), (), places, key_places, depth=0)
    except RecursionError:
        raise Faulty([Fault(name, f"is nested more than {DEEPEST} levels deep, or contains itself")]) from None
    except OverflowError:
        message = f"has more than {MOST_VALUES:,} values when its aliases are written out"
        raise Faulty([Fault(name, message, "Write the values out, or make it shorter.")]) from None
    return Source(name, text, data, places, key_places)


def _tree(text: str, name: str) -> Any:
    """What ruamel.yaml makes of a text. Raises Faulty, RecursionError where it is too deep, OverflowError where too much."""
    loader = YAML(typ="rt", pure=True)
    loader.allow_duplicate_keys = False
    loader.Composer, loader.Constructor = _Bounded, _Placed
    try:
        return loader.load(StringIO(text))
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = " ".join(str(part) for part in (error.context, error.problem) if part) or str(error)
        message = f"not YAML: {problem.splitlines()[0]}"
        remedy = "Correct this value." if isinstance(error, _NoValue) else _yaml_remedy(problem)
        line, column = (mark.line, mark.column) if mark else (0, 0)
        raise Faulty([_fault_at(name, text, line, column, message, remedy)]) from None
    except (YAMLError, ValueError, AssertionError, TypeError) as error:
        raise Faulty(
            [Fault(name, f"not YAML: {str(error).splitlines()[0] if str(error) else type(error).__name__}")]
        ) from None
    except AttributeError:  # ruamel.yaml merges with nothing, since what it merges with is not complete yet
        if "<<" not in text:
            raise Faulty([Fault(name, "not YAML: a value does not fit its tag (!!)", "Leave the tag out.")]) from None
        raise Faulty([Fault(name, "not YAML: a mapping is merged (<<) with itself", "Write its keys out.")]) from None


def _yaml_remedy(problem: str) -> str:
    if "duplicate key" in problem:
        return "Keep one of the two."
    if "\\t" in problem or "tab" in problem:
        return "YAML allows no tabs for indentation: use spaces."
    return "Check the indentation and the quotes here."


def _plain(node: Any, path: Path_, places: dict[Path_, Any], key_places: dict[Path_, Any], *, depth: int) -> Any:
    """Plain Python data from ruamel's tree, noting where everything stands."""
    if depth > DEEPEST:
        raise RecursionError
    if len(places) > MOST_VALUES:
        raise OverflowError
    if isinstance(node, CommentedMap):
        found = {}
        for key, value in node.items():
            inner = (*path, str(key))
            key_places[inner] = node.lc.key(key) if key in (node.lc.data or {}) else (0, 0)
            known = key in (node.lc.data or {}) and value is not None  # of nothing, the place is the next line's
            places[inner] = node.lc.value(key) if known else key_places[inner]
            found[str(key)] = _plain(value, inner, places, key_places, depth=depth + 1)
        return found
    if isinstance(node, CommentedSeq):
        items = []
        for index, value in enumerate(node):
            places[(*path, index)] = node.lc.item(index) if index in (node.lc.data or {}) else (0, 0)
            items.append(_plain(value, (*path, index), places, key_places, depth=depth + 1))
        return tuple(items)
    if isinstance(node, bool) or node is None:
        return node
    for plain in (int, float, str):
        if isinstance(node, plain):
            return plain(node)
    return str(node)


def validated(text: str, name: str, model: Any) -> Any:
    """Read a YAML text and check it against a model; gives its plain data. Raises Faulty with every fault and its place.

    libyaml reads it first, which is quick and knows no places. Only where something is wrong or unusual does ruamel.yaml read it
    again: for all files of a bank that would take seconds.
    """
    adapter = model if isinstance(model, TypeAdapter) else TypeAdapter(model)
    with suppress(Unsure, RecursionError, SyntaxError):
        data = plain_data(text)
        if not _errors(adapter, data)[1]:
            return data
    source = parse(text, name)
    validate(source, adapter)
    return source.data


def validate(source: Source, model: Any) -> Any:
    """The file as a model. Raises Faulty with every fault, at its place and with a remedy."""
    adapter = model if isinstance(model, TypeAdapter) else TypeAdapter(model)
    try:
        made, errors = _errors(adapter, source.data)
    except (RecursionError, SyntaxError):  # of Jinja2, for (((((...))))) and for thirty loops inside one another
        message = "an expression or a text in this file is nested too deeply"
        raise Faulty([Fault(source.name, message, "Write it in several steps.")]) from None
    if errors:
        raise Faulty(_faults(source, errors, adapter))
    return made


def _errors(adapter: TypeAdapter[Any], data: Any) -> tuple[Any, list[Any]]:
    """What pydantic makes of the data, and its errors.

    It looks twice, because it either takes "2" and true for numbers, or refuses a date that is written as text.
    """
    made, errors = _made(adapter, data, strict=False)
    strictly = _made(adapter, data, strict=True)[1]
    return made, errors + [error for error in strictly if error["type"] in ("int_type", "float_type")]


def _made(adapter: TypeAdapter[Any], data: Any, *, strict: bool) -> tuple[Any, list[Any]]:
    """What pydantic makes of the data, and its errors."""
    try:
        return adapter.validate_python(data, strict=strict), []
    except ValidationError as error:
        return None, list(error.errors())


def _faults(source: Source, errors: Sequence[Any], adapter: TypeAdapter[Any]) -> Iterator[Fault]:
    """pydantic's errors in our words; what it says for each branch of a union is said once."""
    branches: dict[Path_, list[Any]] = {}
    for error in errors:
        path = _real_path(source, error)
        if error["type"] in _WORDS and path in source.places:
            branches.setdefault(path, []).append(error)
        else:
            yield _fault(source, path, error, adapter)
    for path, several in branches.items():
        yield _wrong_sort(source, path, several)


# What pydantic calls an error, and what we say we expected. The numbers are of the model's own bounds.
_WORDS = {
    "string_type": "text", "bool_type": "true or false", "bool_parsing": "true or false",
    "int_type": "a whole number", "int_parsing": "a whole number", "int_from_float": "a whole number",
    "float_type": "a number", "float_parsing": "a number", "finite_number": "a number",
    "tuple_type": "a list", "list_type": "a list", "dict_type": "keys with values", "mapping_type": "keys with values",
    "model_type": "keys with values", "model_attributes_type": "keys with values", "literal_error": "{expected}",
    "greater_than": "a number above {gt}", "greater_than_equal": "a number of at least {ge}",
    "less_than": "a number below {lt}", "less_than_equal": "a number of at most {le}",
    "too_short": "at least {min_length} of them", "too_long": "at most {max_length} of them",
    "string_too_short": "at least {min_length} characters", "string_too_long": "at most {max_length} characters",
    "string_pattern_mismatch": "the form {pattern}",
}  # fmt: skip


def _wrong_sort(source: Source, path: Path_, errors: Sequence[Any]) -> Fault:
    """The fault of a value that is not of the sort, or the size, that belongs there."""
    expected = list(dict.fromkeys(_WORDS[error["type"]].format(**error.get("ctx", {})) for error in errors))
    if "a number" in expected and "a whole number" in expected:
        expected.remove("a whole number")
    seen = errors[0]["input"]
    name = ".".join(map(str, path)) or "this file"
    remedy = ""
    if isinstance(seen, str) and any("number" in words for words in expected) and _is_number(seen):
        remedy = f"Write the number without quotes: {seen.strip()}"
    elif isinstance(seen, tuple) and "a number" in expected:
        remedy = "One of several values is drawn by {choice: [a, b]}."
    elif "a list" in expected and isinstance(seen, str | int | float):
        remedy = f"A list of one is [{seen}]." if len(str(seen)) < 60 else "A list begins each entry with a hyphen."
    return source.fault(path, f"{name}: I expected {' or '.join(expected)}, and this is {_described(seen)}", remedy)


def _described(seen: Any) -> str:
    if isinstance(seen, tuple):
        return "a list" if seen else "an empty list"
    if isinstance(seen, dict):
        return "keys with values"
    return "nothing" if seen is None else f"{seen!r:.80}"


def _fault(source: Source, path: Path_, error: Any, adapter: TypeAdapter[Any]) -> Fault:
    """One of pydantic's errors in our words."""
    name = ".".join(map(str, path)) or "this file"
    kind, context = error["type"], error.get("ctx", {})
    if kind == "extra_forbidden":
        near = difflib.get_close_matches(str(path[-1]), sorted(_keys(adapter.json_schema())), n=1)
        remedy = f"Did you mean {near[0]!r}?" if near else "Remove it, or move it to where it belongs."
        return source.fault(path, f"{name}: unknown key {str(path[-1])!r}", remedy, at_key=True)
    if kind == "missing" and isinstance(path[-1], int):
        return source.fault(path[:-1], f"{name.rpartition('.')[0]}: I expected more than {path[-1]} values")
    if kind == "missing":
        return source.fault(path[:-1], f"{name} is missing", f"Add `{path[-1] if path else name}:`.")
    if kind.startswith("union_tag"):
        seen = error.get("input")
        given = seen.get("kind") if isinstance(seen, dict) else None
        expected = str(context.get("expected_tags", ""))
        place = ".".join(map(str, (*path, "kind")))
        if given is None:
            return source.fault(path, f"{place} is missing", "Add `kind:`.")
        near = difflib.get_close_matches(str(given), re.findall(r"'(\w+)'", expected), n=1)
        remedy = f"Did you mean {near[0]!r}? " if near else ""
        return source.fault(
            (*path, "kind"),
            f"{place}: unknown kind {_described(given)}",
            f"{remedy}The kinds are {expected}; another needs the package that adds it.",
        )
    message = str(error["msg"]).removeprefix("Value error, ").removeprefix("Assertion failed, ")
    seen = error.get("input")
    if kind == "value_error" or isinstance(seen, dict | tuple):
        return source.fault(path, f"{name}: {message}", _misspelt(seen) if isinstance(seen, dict) else "")
    return source.fault(path, f"{name}: {message}, and this is {_described(seen)}")


def _real_path(source: Source, error: Any) -> Path_:
    """Where pydantic's error stands in the file: its location without the tags of unions, which are no keys there."""
    location, kind = error["loc"], error["type"]
    path: Path_ = ()
    for place, part in enumerate(location):
        inner = (*path, part)
        if inner in source.places or (kind == "missing" and place == len(location) - 1):
            path = inner
    return path


def _keys(schema: Any) -> set[str]:
    """Every key that a model knows, whatever it stands in."""
    if isinstance(schema, list):
        return set().union(*map(_keys, schema))
    if not isinstance(schema, dict):
        return set()
    return {*schema.get("properties", ()), *set().union(*map(_keys, schema.values()))}


def _misspelt(seen: Mapping[str, Any]) -> str:
    for name in seen:
        near = difflib.get_close_matches(str(name), ["choice", "range", "log_range", "fixed", "derived"], n=1)
        if near and near[0] != name:
            return f"Did you mean {near[0]!r}?"
    return ""


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
