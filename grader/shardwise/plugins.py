"""What other packages add through entry points: kinds of questions, commands, and verbs for notebooks."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from typing import Any

from shardwise.errors import ShardwiseError, said_by

KINDS = "shardwise.kinds"  # an object of a subclass of Kind, under its name
COMMANDS = "shardwise.commands"  # a Typer app, under the name of its command
VERBS = "shardwise.verbs"  # a function that notebooks call, under its name: from shardwise import it


@cache
def added(group: str) -> Mapping[str, Sequence[EntryPoint]]:
    """Return the entry points of a group by name: one each, unless two packages add the same."""
    found: dict[str, list[EntryPoint]] = {}
    for entry in entry_points(group=group):
        found.setdefault(entry.name, []).append(entry)
    return found


def load_added(group: str, name: str) -> Any:
    """Load what a package adds under a name. Raises ShardwiseError when two packages add it, or when it cannot be loaded."""
    entries, what = added(group)[name], described(group, name)
    if len(entries) > 1:
        raise ShardwiseError(f"{what[0].upper()}{what[1:]}. Uninstall all of them but one.")
    try:
        return entries[0].load()
    except (Exception, SystemExit) as error:
        raise ShardwiseError(
            f"{what[0].upper()}{what[1:]} cannot be loaded: {said_by(error)}. Fix that package, or uninstall it."
        ) from error


def described(group: str, name: str) -> str:
    """Say what is added and by which package, such as "the kind 'pairs' of pairs-kind 1.5"."""
    packages = sorted(_package(entry) for entry in added(group)[name])
    called = f"the {group.rpartition('.')[2].removesuffix('s')} {name!r}"
    return f"{called} of {packages[0]}" if len(packages) == 1 else f"{called} is added by {' and '.join(packages)}"


def kinds_and_packages() -> list[str]:
    """List the kinds that other packages add, with the versions of these packages: they decide grades as well."""
    return sorted(f"{name} {_package(entry)}" for name, entries in added(KINDS).items() for entry in entries)


def folders_of_kinds() -> list[Path]:
    """List the folders of the packages that add kinds: their files decide grades as well."""
    names = {entry.module.partition(".")[0] for entries in added(KINDS).values() for entry in entries}
    specs = [importlib.util.find_spec(name) for name in sorted(names)]
    return [Path(spec.origin).parent for spec in specs if spec and spec.origin and spec.submodule_search_locations]


def _package(entry: EntryPoint) -> str:
    return f"{entry.dist.name} {entry.dist.version}" if entry.dist else "an unknown package"
