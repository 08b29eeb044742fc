"""Places: the line of a template that a fault is about, inferred from its message and the error behind it."""

from __future__ import annotations

import re
import traceback
from pathlib import Path

from shardwise.bank.bank import Problem
from shardwise.template.expressions import BadExpression

Place = tuple[str | int, ...]  # the keys and indices of a value in the template

_DOTTED = re.compile(r"\b(?:answer|params)(?:\.\w+)+")
_NUMBERED = re.compile(r"\b(mistake|slip|hint|part)s? (\d+)")
_LISTS = {"mistake": "mistakes", "slip": "slips", "hint": "hints", "part": "parts"}
_WORDS = {  # words in a message, and the key of the template that they refer to
    "constraint": "where", "the solution": "solution", "hint": "hints", "mistake": "mistakes", "option": "answer", "the prompt": "prompt",
}  # fmt: skip


def place_of(problem: Problem, words: str, error: BaseException | None = None) -> Place:
    """Return the place of a fault in the template, as precisely as possible; the beginning of the file if unknown.

    In a case, the place is below the part whose name the message begins with.
    """
    for cause in (error, error.__cause__ if error else None):
        if isinstance(cause, BadExpression) and (place := problem.source.path_of(cause.written)):
            return place
    said = words.rpartition("The last: ")[2]  # why the last draw was rejected
    part: Place = ()
    for number, piece in enumerate(problem.template.answered):
        name = getattr(piece, "name", None)
        if name and said.startswith(f"{name}: "):
            part, said = ("parts", number), said.removeprefix(f"{name}: ")
    return (*part, *_within(problem, part, said)) or _of_module(problem, (error and error.__cause__) or error)


def _within(problem: Problem, part: Place, words: str) -> Place:
    """Return the place below a part, or below the template itself, that a message names."""
    if dotted := _DOTTED.search(words):
        return tuple(dotted[0].split("."))
    if numbered := _NUMBERED.search(words):
        return _LISTS[numbered[1]], int(numbered[2]) - 1
    for name in ("oracle", "reference"):
        written = problem.source.at((*part, "answer", name))
        if isinstance(written, str) and re.search(rf"\b{re.escape(written)}\b", words):
            return "answer", name
    key = next((key for word, key in _WORDS.items() if word in words), None)
    return (key,) if key else ()


def _of_module(problem: Problem, error: BaseException | None) -> Place:
    """Return the first reference of a template whose module is in an error's traceback."""
    frames = traceback.extract_tb(error.__traceback__) if error else ()
    folder = problem.references.folder
    files = [Path(frame.filename) for frame in frames if Path(frame.filename).is_relative_to(folder)]
    modules = {".".join(file.relative_to(folder).with_suffix("").parts).removeprefix("oracles.") for file in files}
    for place in problem.source.places:
        written = problem.source.at(place)
        if place[-1:] in (("reference",), ("oracle",)) and str(written).rpartition(".")[0] in modules:
            return place
    return ()
