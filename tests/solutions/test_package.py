"""solutions/ as a package: plain Python without shardwise, and the same under whatever name it is loaded."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import pkgutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

import solutions

FOLDER = Path(solutions.__file__).parent
FILES = sorted(FOLDER.rglob("*.py"))
NAME = "a_bank_by_another_name"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_a_reference_imports_the_standard_library_numpy_and_its_own_package_only(path: Path) -> None:
    allowed = {*sys.stdlib_module_names, "numpy"}
    if path.parent.name == "figures":
        allowed.add("matplotlib")
    if path == FOLDER / "facts" / "tables.py":  # the tables, with their sources
        allowed.add("yaml")
    depth = len(path.relative_to(FOLDER).parts)
    for statement in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(statement, ast.Import):
            assert {alias.name.partition(".")[0] for alias in statement.names} <= allowed, ast.unparse(statement)
        elif isinstance(statement, ast.ImportFrom) and statement.level:
            assert statement.level <= depth, f"{ast.unparse(statement)} reaches out of the package"
        elif isinstance(statement, ast.ImportFrom):
            assert str(statement.module).partition(".")[0] in allowed, ast.unparse(statement)


@pytest.fixture
def package() -> Iterator[ModuleType]:
    """The package, loaded once more as a bank loads it: from its folder, under a name of the bank's choice."""
    spec = importlib.util.spec_from_file_location(
        NAME, FOLDER / "__init__.py", submodule_search_locations=[str(FOLDER)]
    )
    assert spec
    assert spec.loader
    loaded = sys.modules[NAME] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(loaded)
    yield loaded
    for name in [name for name in sys.modules if name.partition(".")[0] == NAME]:
        del sys.modules[name]


def test_the_package_works_under_any_name(package: ModuleType) -> None:
    before = {name for name in sys.modules if name.partition(".")[0] in ("solutions", "shardwise")}
    found = [module.name for module in pkgutil.walk_packages(package.__path__, f"{NAME}.")]
    for name in found:
        importlib.import_module(name)
    after = {name for name in sys.modules if name.partition(".")[0] in ("solutions", "shardwise")}
    assert len(found) == len(FILES) - 1  # all but the package itself
    assert after == before


def test_the_figures_are_those_of_their_own_package(package: ModuleType) -> None:
    figures = importlib.import_module(f"{NAME}.figures.__main__")
    chapters = [chapter.__name__ for chapter in figures.chapters()]
    expected = sorted(path.stem for path in (FOLDER / "figures").glob("[!_]*.py"))
    assert chapters == [f"{NAME}.figures.{name}" for name in expected]
