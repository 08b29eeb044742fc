"""Tables for interactive figures that need a package which browsers lack: everything they can show, computed in advance."""

from __future__ import annotations

import ast
import gzip
import json
import sys
from collections.abc import Container, Iterator, Mapping
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

from shardwise.bank.bank import Bank
from shardwise.bank.pages.interactive_figures import FOLDER, Moving, moving, moving_names
from shardwise.errors import ShardwiseError

MOST = 1000  # settings of a figure; one with more stays as it is, and says in the browser what it lacks
_MODULE = '''"""A table of what this figure shows at each setting, computed when the site was compiled."""

import gzip
import json
from functools import cache
from pathlib import Path

CHAPTER, STILL, TITLE, PLAYS, CONTROLS, _PREDICTED = json.loads({names!r})


def predict():
    return _PREDICTED


@cache
def _shown():
    return json.loads(gzip.decompress(Path(__file__).with_suffix(".json.gz").read_bytes()))


def show(**chosen):
    found = _shown()[json.dumps(list(chosen.values()))]
    if isinstance(found, str):
        raise ValueError(found)
    return found
'''


def tabulated(bank: Bank, known: Container[str]) -> dict[str, dict[str, bytes]]:
    """Return replacements for the figure modules that a browser cannot load: for each module, its files by name.

    A browser has Python's library and the packages in `known`.
    """
    found: dict[str, dict[str, bytes]] = {}
    for name in moving_names(bank):
        figure = moving([bank], name)
        file = Path(figure.module.__file__ or "")
        if figure.module.CHAPTER not in bank.chapters or not _lacking(file, known):
            continue
        place = f"solutions/{FOLDER}/{file.name}"
        if table := _table(figure):
            found[place] = {place: _module(figure).encode(), place.replace(".py", ".json.gz"): table}
    return found


def _lacking(module: Path, known: Container[str]) -> set[str]:
    """Return the packages that a browser lacks for a module of a bank and the modules of the bank that it imports."""
    seen, left, lacking = set[Path](), [module], set[str]()
    while left:
        path = left.pop()
        if path not in seen:
            seen.add(path)
            for name, relative in _imports(path):
                left += relative
                if not relative and name not in known and name not in sys.stdlib_module_names:
                    lacking.add(name)
    return lacking


@cache
def _imports(path: Path) -> list[tuple[str, list[Path]]]:
    """Return the imports of a module: the name of a package, or for a relative import, the files that may be meant."""
    tree = ast.parse(path.read_bytes())
    return [found for node in ast.walk(tree) for found in _imported(node, path)]


def _imported(node: ast.AST, path: Path) -> Iterator[tuple[str, list[Path]]]:
    if isinstance(node, ast.Import):
        yield from ((alias.name.partition(".")[0], []) for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and not node.level:
        yield str(node.module).partition(".")[0], []
    elif isinstance(node, ast.ImportFrom):
        base = path.parents[node.level - 1].joinpath(*(node.module or "").split("."))
        meant = [
            base.with_suffix(".py"),
            base / "__init__.py",
            *((base / alias.name).with_suffix(".py") for alias in node.names),
        ]
        yield "", [file for file in meant if file.is_file()] or [path]


def _module(figure: Moving) -> str:
    module = figure.module
    controls = {
        name: {**control, "options": {text: text for text in control["options"]}}
        for name, control in module.CONTROLS.items()
    }
    names = [
        module.CHAPTER,
        module.STILL,
        module.TITLE,
        getattr(module, "PLAYS", None),
        controls,
        dict(module.predict()),
    ]
    return _MODULE.format(names=json.dumps(names))


def _table(figure: Moving) -> bytes | None:
    """Return everything that a figure can show, compressed; None if it has too many settings."""
    controls = figure.module.CONTROLS
    settings = list(product(*(control["options"] for control in controls.values())))
    if len(settings) > MOST:
        return None
    shown = {json.dumps(list(each)): _shown(figure, dict(zip(controls, each, strict=True))) for each in settings}
    return gzip.compress(json.dumps(shown).encode(), mtime=0)


def _shown(figure: Moving, settings: Mapping[str, str]) -> Any:
    try:
        return figure.show(settings)
    except ShardwiseError as error:
        cause = error.__cause__
        return str(cause) if isinstance(cause, ValueError) else str(error)
