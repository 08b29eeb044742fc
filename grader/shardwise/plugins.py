"""Plugins: kinds of questions, banks, commands, functions for notebooks and pages of the app that packages add through entry points."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from shardwise.errors import ShardwiseError, said_by

KINDS = "shardwise.kinds"  # the name of a kind → an instance of a subclass of Kind
BANKS = "shardwise.banks"  # the name of a bank → the package that carries its problems/ and solutions/
COMMANDS = "shardwise.commands"  # the name of a command → a Typer app
VERBS = "shardwise.verbs"  # the name of a function that notebooks import from shardwise → that function
ELEMENTS = "shardwise.elements"  # the name of a page of the app → a class: see docs/kinds.md


@cache
def added(group: str) -> Mapping[str, Sequence[EntryPoint]]:
    """Return the entry points of a group by name; a name has several if packages conflict."""
    found: dict[str, list[EntryPoint]] = {}
    for entry in entry_points(group=group):
        found.setdefault(entry.name, []).append(entry)
    return found


def load_added(group: str, name: str) -> Any:
    """Load the object that a package adds under a name. Raises ShardwiseError if two packages add it, or it cannot be loaded."""
    entries, what = added(group)[name], described(group, name)
    if len(entries) > 1:
        raise ShardwiseError(f"The {what}. Uninstall all but one of them.")
    try:
        return entries[0].load()
    except (Exception, SystemExit) as error:
        raise ShardwiseError(
            f"The {what} cannot be loaded: {said_by(error)}. Fix that package, or uninstall it."
        ) from error


def described(group: str, name: str) -> str:
    """Describe an added object and its package, such as "kind 'pairs' of pairs-kind 1.5"."""
    packages = sorted(_package(entry) for entry in added(group)[name])
    called = f"{group.rpartition('.')[2].removesuffix('s')} {name!r}"
    return f"{called} of {packages[0]}" if len(packages) == 1 else f"{called} is added by {' and '.join(packages)}"


def kinds_and_packages() -> list[str]:
    """Return the kinds that other packages add, with the packages' versions, which affect grades too."""
    return sorted(f"{name} {_package(entry)}" for name, entries in added(KINDS).items() for entry in entries)


def folders_of_kinds() -> list[Path]:
    """Return the folders of the packages that add kinds, whose files affect grades too."""
    names = {entry.module.partition(".")[0] for entries in added(KINDS).values() for entry in entries}
    specs = [importlib.util.find_spec(name) for name in sorted(names)]
    return [Path(spec.origin).parent for spec in specs if spec and spec.origin and spec.submodule_search_locations]


def _package(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "an unknown package"
