"""The formulas of a bank, read from the docstrings of its references: equation, arguments, units, source and problems."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from shardwise.bank.bank import Bank
from shardwise.errors import Fault, Faulty, said_by
from shardwise.text_files import read_text

NO_REFERENCES = ("oracles", "figures", "interactive")  # folders of solutions/ that contain no references
_LABELS = ("Units", "Raises", "Source")
_LABEL = re.compile(rf"({'|'.join(_LABELS)}):\s*")


@dataclass(frozen=True)
class Formula:
    """A reference with an equation, as its docstring describes it."""

    name: str  # module.function, as in templates
    about: str  # the docstring's first paragraph
    equation: str  # its lines, without the indentation
    words: str  # the other paragraphs
    arguments: tuple[str, ...]
    units: str
    source: str
    line: str  # "solutions/zero/zero.py:27"
    chapter: str = (
        ""  # the folder of the first chapter that asks for it or for other functions of its module; may be empty
    )
    problems: tuple[str, ...] = ()  # the ids of the problems that name it, in the order of the bank

    def holds(self, words: Sequence[str]) -> bool:
        """Return whether it contains all of some words, ignoring case."""
        text = " ".join((self.name, self.about, self.equation, self.words, *self.arguments, self.units, self.source))
        return all(word.casefold() in text.casefold() for word in words)


def formulas_of(bank: Bank) -> list[Formula]:
    """Return every public reference of a bank that has an equation, in the order of chapters, modules and lines.

    A function belongs to the first chapter that names it; a module to the chapter that names its functions most often.
    """
    texts = {name: read_text(problem.path, name) for name, problem in bank.problems.items()}
    named: dict[str, list[str]] = {}
    for name, text in texts.items():
        for function in dict.fromkeys(re.findall(r"\b[a-z_0-9]+(?:\.[a-z_0-9]+)+\b", text)):
            named.setdefault(function, []).append(name)
    homes = _homes(named)
    found = []
    for formula in _in_docstrings(bank):
        problems = tuple(named.get(formula.name, ()))
        home = problems[0].partition("/")[0] if problems else homes.get(formula.name.rpartition(".")[0], "")
        found.append(replace(formula, chapter=home, problems=problems))
    order = {chapter: place for place, chapter in enumerate(bank.chapters)}
    return sorted(found, key=lambda formula: order.get(formula.chapter, len(order)))


def _homes(named: dict[str, list[str]]) -> dict[str, str]:
    """Return, for each module, the chapter that names its functions most often."""
    counts: dict[str, Counter[str]] = {}
    for function, problems in named.items():
        chapters = counts.setdefault(function.rpartition(".")[0], Counter())
        chapters.update(problem.partition("/")[0] for problem in problems)
    return {module: chapters.most_common(1)[0][0] for module, chapters in counts.items()}


def _in_docstrings(bank: Bank) -> Iterator[Formula]:
    folder = bank.folder / "solutions"
    for path in sorted(folder.rglob("*.py"), key=lambda path: (path.stem, path)):
        place = path.relative_to(folder)
        if place.parts[0] in NO_REFERENCES:
            continue
        for function in _parsed(path, f"solutions/{place.as_posix()}").body:
            if not isinstance(function, ast.FunctionDef) or function.name.startswith("_"):
                continue
            formula = _told(ast.get_docstring(function) or "")
            if formula.equation:
                yield replace(
                    formula,
                    name=".".join((*place.with_suffix("").parts, function.name)),
                    arguments=tuple(_arguments(function.args)),
                    line=f"solutions/{place.as_posix()}:{function.lineno}",
                )


def _parsed(path: Path, name: str) -> ast.Module:
    """Parse a module of references. Raises Faulty."""
    try:
        return ast.parse(read_text(path, name))
    except SyntaxError as error:
        raise Faulty([Fault(f"{name}:{error.lineno or 1}", f"is not valid Python: {error.msg}")]) from None
    except (ValueError, RecursionError, MemoryError) as error:  # a null byte, or expressions nested too deeply
        raise Faulty([Fault(name, f"is not valid Python: {said_by(error)}")]) from None


def _arguments(given: ast.arguments) -> Iterator[str]:
    """Yield the arguments' names, each with its default if it has one."""
    defaults = [None] * (len(given.args) - len(given.defaults)) + list(given.defaults)
    for argument, default in zip([*given.args, *given.kwonlyargs], [*defaults, *given.kw_defaults], strict=True):
        yield argument.arg if default is None else f"{argument.arg} = {ast.unparse(default)}"


def _told(docstring: str) -> Formula:
    """Parse a docstring: paragraphs, the indented equation, and the text after each label."""
    said: dict[str, list[str]] = {}
    about: list[str] = []
    words: list[str] = []
    equation: list[str] = []
    label = ""
    for line in docstring.split("\n>>>")[0].splitlines():
        if found := _LABEL.match(line):
            label = found[1]
            said[label] = [line[found.end() :]]
        elif not line.strip():
            label = ""
            if equation:
                equation.append("")
        elif label:
            said[label].append(line)
        elif line.startswith("    "):
            equation.append(line[4:])
        else:
            (words if equation or (about and not about[-1]) else about).append(line)
        if not line.strip() and about and about[-1]:
            about.append("")
    joined = {label: " ".join(" ".join(lines).split()) for label, lines in said.items()}
    return Formula(
        name="",
        about=" ".join(" ".join(about).split()),
        equation="\n".join(equation).strip("\n"),
        words=" ".join(" ".join(words).split()),
        arguments=(),
        units=joined.get("Units", ""),
        source=joined.get("Source", ""),
        line="",
    )
