"""The doctests of the module that is broken, read from its text: mutmut's copies of a function have its docstring too."""

from __future__ import annotations

import ast
import doctest
import importlib
import os
from pathlib import Path

import pytest

SOURCE = Path(os.environ.get("MUTANTS_SOURCE", __file__))  # this file has no examples; a workspace names one that has


MODULE = ".".join(SOURCE.with_suffix("").parts[-2:])  # a folder of solutions/, and a module in it


def docstrings() -> dict[str, str]:
    """The docstring of each function, method and class of the module as it was written, by its name."""
    found = {}
    for node in ast.walk(ast.parse(SOURCE.read_text("utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
            text = ast.get_docstring(node)
            if text and ">>>" in text:
                found[getattr(node, "name", "module")] = text
    return found


DOCSTRINGS = docstrings()


@pytest.mark.parametrize("name", DOCSTRINGS)
def test_the_examples_of_a_docstring_hold(name: str) -> None:
    names = vars(importlib.import_module(f"solutions.{MODULE}")).copy()
    example = doctest.DocTestParser().get_doctest(DOCSTRINGS[name], names, name, str(SOURCE), 0)
    told: list[str] = []
    failed = doctest.DocTestRunner(verbose=False).run(example, out=told.append).failed
    assert not failed, "".join(told)
