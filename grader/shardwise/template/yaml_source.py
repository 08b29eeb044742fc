"""Authors' YAML files: read as YAML 1.2 with positions, and validated with every fault at its place."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]
from pydantic import TypeAdapter, ValidationError
from yaml.constructor import ConstructorError, SafeConstructor  # type: ignore[import-untyped]

from shardwise.errors import Fault, Faulty
from shardwise.file_names import NAME_RULE, SAFE_NAME
from shardwise.template.yaml_nodes import DEEPEST, MOST_VALUES, TAG, TooMany, composed
from shardwise.text_files import read_text

Path_ = tuple[str | int, ...]


@dataclass(frozen=True)
class Source:
    """A YAML file as plain data, with the position of every value."""

    name: str
    text: str
    data: Any
    places: Mapping[Path_, tuple[int, int]]  # line and column of each value, from 0
    key_places: Mapping[Path_, tuple[int, int]]

    def fault(self, path: Path_, message: str, remedy: str = "", *, at_key: bool = False) -> Fault:
        """Return a fault at the deepest known part of `path`."""
        places = self.key_places if at_key and path in self.key_places else self.places
        while path and path not in places:
            path, places = path[:-1], self.places
        return _fault_at(self.name, self.text, *places.get(path, (0, 0)), message, remedy)

    def path_of(self, written: Any) -> Path_:
        """Return the path of an author's value where it first occurs; the file's if it does not."""
        return next((path for path in self.places if self.at(path) == written), ())

    def at(self, path: Path_) -> Any:
        """Return the value at a path; None if there is none."""
        value = self.data
        for part in path:
            try:
                value = value[part]
            except (LookupError, TypeError):
                return None
        return value


def _fault_at(name: str, text: str, line: int, column: int, message: str, remedy: str) -> Fault:
    lines = text.splitlines()  # it splits at the same line breaks as YAML
    shown = lines[line].rstrip().replace("\t", " ") if line < len(lines) else ""
    excerpt = f"  {line + 1:2} | {shown[:110]}\n     | {' ' * column}^" if shown and column < 110 else ""
    return Fault(f"{name}:{line + 1}:{column + 1}", message, remedy, excerpt)


def load_yaml(path: Path, name: str | None = None) -> Source:
    """Read a YAML file. Raises Faulty if it cannot be read or is not YAML."""
    name = name or str(path)
    return parse_yaml(read_text(path, name), name)


_KINDS = {"timestamp": "date", "int": "whole number", "float": "number", "bool": "Boolean"}
_MOST_BITS = 10_000  # in an integer; Python prints at most 4,300 digits


class _NoValue(ConstructorError):  # type: ignore[misc]
    """A scalar cannot be converted to a value."""


def _scalar(node: Any) -> Any:
    """Return a scalar as text, a number, a Boolean or None. Tags that are not YAML's own are ignored."""
    kind = node.tag.removeprefix(TAG)
    if kind not in _KINDS:
        return None if kind == "null" else node.value
    try:
        value = _value(kind, node)
    except (ValueError, LookupError, AttributeError) as error:  # AttributeError for text that does not look like a date
        why = f": {error}" if kind == "timestamp" and isinstance(error, ValueError) else ""
        raise _NoValue(None, None, f"cannot read this as a {_KINDS[kind]}{why}", node.start_mark) from None
    if isinstance(value, int) and value.bit_length() > _MOST_BITS:
        raise _NoValue(None, None, f"cannot read this as a {_KINDS[kind]}", node.start_mark)
    return value


def _value(kind: str, node: Any) -> Any:
    text = node.value.replace("_", "").lower()
    if kind == "bool":
        return {"true": True, "false": False}[text]
    if kind == "int":
        return int(text, 0 if re.match("[-+]?0[box]", text) else 10)
    if kind == "float":
        return float(text.replace(".inf", "inf").replace(".nan", "nan"))
    moment = str(SafeConstructor().construct_yaml_timestamp(node))
    return moment.replace(" ", "T") if "t" in text else moment


class _Tree:
    """The plain data of nodes, with the position of every value and key."""

    def __init__(self) -> None:
        self.places: dict[Path_, tuple[int, int]] = {(): (0, 0)}
        self.key_places: dict[Path_, tuple[int, int]] = {}
        self._count = 0

    def data(self, node: Any, path: Path_ = (), depth: int = 0) -> Any:
        """Record the positions below a node, and return its value."""
        self._within_limits(depth)
        if isinstance(node, yaml.SequenceNode):
            return tuple(
                self._placed(item, (*path, index), _place(item), depth + 1) for index, item in enumerate(node.value)
            )
        if not isinstance(node, yaml.MappingNode):
            return _scalar(node)
        found = {}
        for name, (key, value) in self._entries(node, depth).items():
            inner = (*path, name)
            self.key_places[inner] = _place(key)
            empty = value.tag == f"{TAG}null"  # the position of an empty value is on the next line
            found[name] = self._placed(value, inner, _place(key if empty else value), depth + 1)
        return found

    def _placed(self, node: Any, path: Path_, place: tuple[int, int], depth: int) -> Any:
        self.places[path] = place
        return self.data(node, path, depth)

    def _entries(self, node: Any, depth: int) -> dict[str, tuple[Any, Any]]:
        """Return key and value by the key's text: a mapping's own entries first, then merged ones (<<)."""
        own: dict[str, tuple[Any, Any]] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise _mapping_error(node, "found a key that is a list or a mapping", key)
            name = str(_scalar(key))
            if name in own:
                first, second = (_Tree().data(each) for each in (own[name][1], value))
                words = f'found duplicate key "{name}" with value "{second}" (original value: "{first}")'
                raise _mapping_error(node, words, key)
            own[name] = (key, value)
        if "<<" not in own or own["<<"][0].tag != f"{TAG}merge":
            return own
        merged = own.pop("<<")[1]
        for other in merged.value if isinstance(merged, yaml.SequenceNode) else [merged]:
            if not isinstance(other, yaml.MappingNode):
                words = f"expected a mapping or list of mappings for merging, but found {other.id}"
                raise _mapping_error(node, words, other)
            self._within_limits(depth + 1)
            own = own | {key: pair for key, pair in self._entries(other, depth + 1).items() if key not in own}
        return own

    def _within_limits(self, depth: int) -> None:
        self._count += 1
        if depth > DEEPEST:
            raise RecursionError
        if self._count > MOST_VALUES:
            raise TooMany


def _place(node: Any) -> tuple[int, int]:
    return node.start_mark.line, node.start_mark.column


def _mapping_error(node: Any, words: str, at: Any) -> ConstructorError:
    return ConstructorError("while constructing a mapping", node.start_mark, words, at.start_mark)


def parse_yaml(text: str, name: str) -> Source:
    """Parse YAML text; faults use `name` for it. Raises Faulty."""
    tree = _Tree()
    try:
        node = composed(text)
        data = None if node is None else tree.data(node)
    except RecursionError:
        raise Faulty([Fault(name, f"is nested more than {DEEPEST} levels deep, or contains itself")]) from None
    except TooMany:
        message = f"has more than {MOST_VALUES:,} values when its aliases are written out"
        raise Faulty([Fault(name, message, "Use fewer aliases, or shorten the file.")]) from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        problem = " ".join(part for part in (error.context, error.problem) if part)
        message = (
            problem.splitlines()[0] if isinstance(error, _NoValue) else f"not valid YAML: {problem.splitlines()[0]}"
        )
        remedy = "Correct this value." if isinstance(error, _NoValue) else _yaml_remedy(problem)
        raise Faulty([_fault_at(name, text, mark.line, mark.column, message, remedy)]) from None
    except (yaml.YAMLError, ValueError, OverflowError) as error:  # OverflowError for an escape that is not a character
        raise Faulty([Fault(name, f"not valid YAML: {str(error).splitlines()[0]}")]) from None
    return Source(name, text, data, tree.places, tree.key_places)


def _yaml_remedy(problem: str) -> str:
    if "duplicate key" in problem:
        return "Keep one of the two."
    if "\\t" in problem or "tab" in problem:
        return "YAML does not allow tabs for indentation. Use spaces."
    if "a list or a mapping" in problem:
        return "A text that begins with { or [ needs quotes."
    return "Check the indentation, quotes and brackets here."


def validate(source: Source, model: Any, context: Any = None) -> Any:
    """Validate the file and return it as a model. Raises Faulty with every fault, its place and a remedy.

    `context` is what pydantic's validators get as such.
    """
    adapter = model if isinstance(model, TypeAdapter) else TypeAdapter(model)
    try:
        made, errors = _errors(adapter, source.data, context)
    except (RecursionError, SyntaxError):  # from Jinja2, for (((((...))))) or thirty nested loops
        message = "an expression or a text in this file is nested too deeply"
        raise Faulty([Fault(source.name, message, "Split it into several steps.")]) from None
    if errors:
        raise Faulty(_faults(source, errors, adapter))
    return made


def _errors(adapter: TypeAdapter[Any], data: Any, context: Any) -> tuple[Any, list[Any]]:
    """Validate the data with pydantic, and return the result with the errors.

    It validates twice, because pydantic either accepts "2" and true as numbers or rejects a date that is written as text.
    """
    made, errors = _made(adapter, data, context, strict=False)
    strictly = _made(adapter, data, context, strict=True)[1]
    return made, errors + [error for error in strictly if error["type"] in ("int_type", "float_type")]


def _made(adapter: TypeAdapter[Any], data: Any, context: Any, *, strict: bool) -> tuple[Any, list[Any]]:
    """Validate the data with pydantic in one mode, and return the result with the errors."""
    try:
        return adapter.validate_python(data, strict=strict, context=context), []
    except ValidationError as error:
        return None, list(error.errors())


def _faults(source: Source, errors: Sequence[Any], adapter: TypeAdapter[Any]) -> Iterator[Fault]:
    """Yield pydantic's errors in our words, with one fault for all branches of a union."""
    branches: dict[Path_, list[Any]] = {}
    for error in errors:
        if error["type"] == "too_short" and len(error["input"]) >= error["ctx"]["min_length"]:
            continue  # pydantic does not count entries that have a fault of their own
        path = _real_path(source, error)
        if error["type"] in _WORDS and path in source.places:
            branches.setdefault(path, []).append(error)
        else:
            yield _fault(source, path, error, adapter)
    for path, several in branches.items():
        yield _wrong_sort(source, path, several)


# pydantic's error types, and what a message says was expected. The numbers are the model's bounds.
_WORDS = {
    "string_type": "text", "bool_type": "true or false", "bool_parsing": "true or false",
    "int_type": "a whole number", "int_parsing": "a whole number", "int_from_float": "a whole number",
    "float_type": "a number", "float_parsing": "a number", "finite_number": "a number",
    "tuple_type": "a list", "list_type": "a list", "dict_type": "keys with values", "mapping_type": "keys with values",
    "model_type": "keys with values", "model_attributes_type": "keys with values", "literal_error": "{expected}",
    "greater_than": "a number above {gt}", "greater_than_equal": "a number of at least {ge}",
    "less_than": "a number below {lt}", "less_than_equal": "a number of at most {le}",
    "too_short": "at least {min_length} entries", "too_long": "at most {max_length} entries",
    "string_too_short": "at least {min_length} characters", "string_too_long": "at most {max_length} characters",
    "string_pattern_mismatch": "text that matches the regular expression {pattern}",
}  # fmt: skip


def _wrong_sort(source: Source, path: Path_, errors: Sequence[Any]) -> Fault:
    """Return the fault of a value with the wrong type or size."""
    expected = list(dict.fromkeys(map(_expected, errors)))
    if "a number" in expected and "a whole number" in expected:
        expected.remove("a whole number")
    seen = errors[0]["input"]
    name = ".".join(map(str, path)) or "this file"
    remedy = ""
    if isinstance(seen, str) and any("number" in words for words in expected) and _is_number(seen):
        remedy = f"Write the number without quotes: {seen.strip()}"
    elif "a valid file name" in expected:
        remedy = NAME_RULE
    elif isinstance(seen, tuple) and "a number" in expected:
        remedy = "To draw one of several values, write {choice: [a, b]}."
    elif "a list" in expected and isinstance(seen, str | int | float):
        remedy = (
            f"A list with one entry is [{seen}]."
            if len(str(seen)) < 60
            else "Begin each entry of a list with a hyphen."
        )
    return source.fault(path, f"{name}: expected {' or '.join(expected)}, but found {_described(seen)}", remedy)


def _expected(error: Any) -> str:
    """Return what one of pydantic's errors expected, in words."""
    context = error.get("ctx", {})
    if context.get("pattern") == f"^{SAFE_NAME}$":
        return "a valid file name"
    words = _WORDS[error["type"]].format(**context)
    return words.replace(" 1 entries", " 1 entry").replace(" 1 characters", " 1 character")


def _described(seen: Any) -> str:
    if isinstance(seen, tuple):
        return "a list" if seen else "an empty list"
    if isinstance(seen, dict):
        return "keys with values"
    return "nothing" if seen is None else f"{seen!r:.80}"


def _fault(source: Source, path: Path_, error: Any, adapter: TypeAdapter[Any]) -> Fault:
    """Return one of pydantic's errors in our words."""
    name = ".".join(map(str, path)) or "this file"
    kind, context = error["type"], error.get("ctx", {})
    if kind == "extra_forbidden":
        known = _keys(adapter.json_schema())
        near = [] if path[-1] in known else difflib.get_close_matches(str(path[-1]), sorted(known), n=1)
        remedy = f"Did you mean {near[0]!r}?" if near else "Remove it, or move it to where it belongs."
        return source.fault(path, f"{name}: unknown key {str(path[-1])!r}", remedy, at_key=True)
    if kind == "missing" and isinstance(path[-1], int):
        return source.fault(path[:-1], f"{name.rpartition('.')[0]}: expected more than {path[-1]} values")
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
            f"{remedy}The kinds are {expected}; for another one, install the package that adds it.",
        )
    message = str(error["msg"]).removeprefix("Value error, ").removeprefix("Assertion failed, ")
    seen = error.get("input")
    if kind == "value_error" or isinstance(seen, dict | tuple):
        return source.fault(path, f"{name}: {message}", _misspelt(seen) if isinstance(seen, dict) else "")
    return source.fault(path, f"{name}: {message}, but found {_described(seen)}")


def _real_path(source: Source, error: Any) -> Path_:
    """Return the path of pydantic's error in the file: its location without the tags of unions, which are not keys."""
    location, kind = error["loc"], error["type"]
    path: Path_ = ()
    for place, part in enumerate(location):
        inner = (*path, part)
        if inner in source.places or (kind == "missing" and place == len(location) - 1):
            path = inner
    return path


def _keys(schema: Any) -> set[str]:
    """Return every key in a model's schema."""
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
