"""The English of everything that a person reads: the bank, the docs, and the words in both packages and the desk."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from checkout import ROOT
from shardwise.bank.lint.prose import style, text_faults
from shardwise.cli.main import app

ENGINE = style()
FIELD = style(ROOT / "problems" / "prose.yaml")  # with the terms of training large models
OF_THE_FIELD = (
    "solutions",
    "shardwise-bank",
    "desk/bank",
    "docs/planner",
    "docs/reality",
    "docs/scaling",
    "docs/coverage",
    "docs/formulas",
)
PAGES = (
    "*.md",
    "docs/**/*.md",
    "examples/**/*.md",
    "bench/*.md",
    "shardwise-bank/*.md",
    "shardwise-bank/*/kinds/**/*.md",
    "grader/**/*.md",
)
CODE = ("grader/shardwise", "shardwise-bank/shardwise_bank", "solutions", "examples/bank")


def _prose(text: str) -> str:
    """Return a docstring without its examples, equations and sections of short lines."""
    return re.sub(r"^\s*(?:>>>|\.\.\.|\w+:  |.* = ).*$", "", text, flags=re.MULTILINE)


def pieces_of_python(text: str) -> Iterator[tuple[int, str]]:
    """Yield the sentences of a module with their lines: strings, docstrings and comments."""
    nodes = list(ast.walk(ast.parse(text)))
    inner = {part for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            words = "".join(str(part.value) if isinstance(part, ast.Constant) else "_" for part in node.values)
            shown = "|".join(re.findall(r"\{(\w+)!r\}", ast.unparse(node)))  # "servers must be …, not {servers!r}"
            yield node.lineno, re.sub(rf"\b({shown})\b", "_", words) if shown else words
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in inner:
            is_sql = node.value.lstrip().startswith("CREATE ")  # a ledger compares its tables word for word
            yield node.lineno, "" if is_sql else _prose(node.value)
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("# ")


def pieces_of_javascript(text: str) -> Iterator[tuple[int, str]]:
    """Yield the strings and comments of a script with their lines."""
    for found in re.finditer(r"`[^`]*`|\"[^\"\n]*\"|//[^\n]*|/\*.*?\*/", text, re.DOTALL):
        yield text.count("\n", 0, found.start()) + 1, re.sub(r"\$\{[^}]*\}", "_", found[0].strip('`"/* '))


def faults_in(path: Path) -> list[str]:
    """Return what a file's prose should avoid, with the line."""
    name, text = path.relative_to(ROOT).as_posix(), path.read_text("utf-8")
    rules = FIELD if name.startswith(OF_THE_FIELD) else ENGINE
    if path.suffix == ".md":
        return [str(fault) for fault in text_faults(name, text, rules)]
    pieces = pieces_of_python(text) if path.suffix == ".py" else pieces_of_javascript(text)
    return [
        f"{name}:{line}: {what} {remedy}"
        for line, piece in pieces
        if re.search(r"[A-Za-z]+ [a-z]+ [a-z]+", piece)
        for _, what, remedy in rules.findings(piece)
        if not what.startswith("a sentence")  # of strings that hold code or YAML, nobody knows where one ends
    ]


def test_the_bank() -> None:
    done = CliRunner().invoke(app, ["lint", "--bank", str(ROOT), "--prose"])
    assert done.exit_code == 0, done.output


def test_pages() -> None:
    pages = {page for pattern in PAGES for page in ROOT.glob(pattern)} - {ROOT / "docs" / "vocabulary.md"}
    assert len(pages) > 30
    assert [fault for page in sorted(pages) for fault in faults_in(page)] == []


@pytest.mark.parametrize("folder", CODE)
def test_words_in_python(folder: str) -> None:
    files = [path for path in sorted((ROOT / folder).rglob("*.py")) if path.is_relative_to((ROOT / folder).resolve())]
    assert files
    assert [fault for path in files for fault in faults_in(path)] == []


@pytest.mark.parametrize("folder", ["desk/src", "desk/bank"])
def test_words_in_javascript(folder: str) -> None:
    assert [fault for path in sorted((ROOT / folder).rglob("*.js")) for fault in faults_in(path)] == []
