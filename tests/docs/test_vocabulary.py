"""docs/vocabulary.md: no name is a riddle, and no two things that differ have the same name."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from checkout import ROOT

PAGE = (ROOT / "docs" / "vocabulary.md").read_text("utf-8")
PACKAGES = (ROOT / "grader" / "shardwise", ROOT / "shardwise-bank" / "shardwise_bank")
SEEN = "shown"  # a field may be called so: it is what a student sees, and a key of templates
DEFINITION = ast.FunctionDef | ast.ClassDef


def listed(heading: str) -> set[str]:
    """Return the names in a section of the page."""
    section = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    return set(re.findall(r"`(\w+)`", section))


def modules() -> Iterator[tuple[str, ast.Module]]:
    """Yield every module of both packages, but for the references, whose names are those of their formulas."""
    for package in PACKAGES:
        for path in sorted(package.rglob("*.py")):
            if "solutions" not in path.relative_to(package).parts:
                yield path.relative_to(ROOT).as_posix(), ast.parse(path.read_text("utf-8"))


def names_in(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Yield the names of a module's functions, classes and fields, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, DEFINITION):
            yield node.lineno, node.name
        if isinstance(node, ast.ClassDef):
            for field in node.body:
                if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and field.target.id != SEEN:
                    yield field.lineno, field.target.id


def test_nothing_is_called_by_a_riddle() -> None:
    riddles = listed("Names that are riddles")
    named = [f"{file}: {Path(file).stem}" for file, _ in modules() if Path(file).stem in riddles]
    named += [f"{file}:{line}: {name}" for file, tree in modules() for line, name in names_in(tree) if name in riddles]
    assert named == []


def test_no_variable_is_called_one() -> None:
    stored = [
        f"{file}:{node.lineno}"
        for file, tree in modules()
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == "one"
    ]
    assert stored == []


def test_one_name_means_one_thing() -> None:
    where = defaultdict(list)
    for file, tree in modules():
        for node in tree.body:
            if isinstance(node, DEFINITION) and not node.name.startswith("_"):
                where[node.name].append(file)
    shared = {name: files for name, files in where.items() if len(files) > 1}
    allowed = listed("Names that several modules share")
    assert {name: files for name, files in shared.items() if name not in allowed} == {}
    assert allowed - set(shared) == set(), "the page lists names that no two modules share"
