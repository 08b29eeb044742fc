"""The kinds of questions: one registry, and an entry-point group `shardwise.kinds` for outside packages."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping
from pkgutil import iter_modules
from typing import TYPE_CHECKING, Any

from shardwise.errors import ShardwiseError
from shardwise.plugins import KINDS, added, described, load_added

if TYPE_CHECKING:
    from shardwise.kinds.base import Kind
    from shardwise.question import Question

# Each is a folder next to this file that offers KIND. It is loaded when a question of that kind is first used.
OURS = tuple(sorted(module.name for module in iter_modules(__path__) if module.ispkg))


_PARTS = ("name", "about", "starter", "Template", "Form", "Key")


class Registry(Mapping[str, "Kind[Any, Any, Any]"]):
    """All kinds by name: ours first, then those of other packages, which cannot replace ours."""

    def __init__(self) -> None:
        self._loaded: dict[str, Kind[Any, Any, Any]] = {}

    def __getitem__(self, name: str) -> Kind[Any, Any, Any]:
        if name not in self._loaded:
            if name in OURS:
                self._loaded[name] = importlib.import_module(f"shardwise.kinds.{name}").KIND
            else:
                self._loaded[name] = _load(name)
        return self._loaded[name]

    def __iter__(self) -> Iterator[str]:
        yield from OURS
        yield from (name for name in added(KINDS) if name not in OURS)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _load(name: str) -> Kind[Any, Any, Any]:
    """Load a kind of another package. Raises ShardwiseError if two have that name, or if it is not a usable kind."""
    from shardwise.kinds.base import Kind

    kind = load_added(KINDS, name)
    if isinstance(kind, Kind) and (lacking := [part for part in _PARTS if not hasattr(kind, part)]):
        raise ShardwiseError(f"The {described(KINDS, name)} has no {', '.join(lacking)}, which every kind has.")
    if not isinstance(kind, Kind) or kind.name != name:
        seen = f"a kind with the name {kind.name!r}" if isinstance(kind, Kind) else repr(kind)[:80]
        raise ShardwiseError(
            f"The {described(KINDS, name)} cannot be used: its entry point is {seen}. "
            f"It has to be an object of a subclass of Kind, whose `name` is {name!r}."
        )
    return kind


_REGISTRY = Registry()


def kinds() -> Registry:
    """Return all kinds by name."""
    return _REGISTRY


def kind_of(question: Question) -> Kind[Any, Any, Any]:
    """Return the kind of a question."""
    return _REGISTRY[question.kind]


def text_of(question: Question) -> str:
    """Return the prompt and the body of a question as one Markdown text, for front ends without a form."""
    return f"{question.prompt}\n\n{kind_of(question).body(question.form)}".strip()


def variable_of(question: Question) -> str:
    """Return the name under which a notebook keeps the answer."""
    return kind_of(question).variable(question.form, question.variable)
