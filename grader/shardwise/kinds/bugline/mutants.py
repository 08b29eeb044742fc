"""Mutants: a listing with one wrong line, and an input that exposes it.

Only our own listings are ever executed here, and within bounds. A student's line is compiled to check that it fits,
but never run.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from shardwise.errors import Unreadable
from shardwise.kinds.agreement import is_nan, same
from shardwise.kinds.bugline.execution import Endless, load_listing
from shardwise.kinds.bugline.listing import listing
from shardwise.kinds.bugline.model import LONGEST_LINE
from shardwise.kinds.mutations import code, mutations
from shardwise.kinds.syntax import put

__all__ = ["Hunt", "Mutant", "killed", "listing", "load_listing", "mutants", "optional", "patch", "with_line"]

VISIBLE = 1e-3  # relative; a mutant is exposed by a difference of at least this, which a student can see
FARTHEST = 100  # a larger factor is obvious at once


@dataclass(frozen=True)
class Mutant:
    """A listing in which one line is wrong."""

    source: str
    line: int  # counted from 1
    original_line: str
    mutated_line: str
    change: str  # the mutation's name, as in "dropped factor 2"


@dataclass(frozen=True)
class Hunt:
    """A mutant, and the simplest of the given inputs on which it goes wrong."""

    mutant: Mutant
    witness: Mapping[str, Any]


def mutants(source: str) -> tuple[Mutant, ...]:
    """Return every mutation that changes one line of a listing, in the order of the text, each once."""
    tree = ast.parse(source)
    before = code(tree).split("\n")
    found: dict[str, Mutant] = {}
    for old, new, change in mutations(tree):
        after = code(put(tree, old, new)).split("\n")
        pairs = enumerate(zip(before, after, strict=False), start=1)
        differing = [(line, was, reads) for line, (was, reads) in pairs if was != reads]
        if len(before) == len(after) and len(differing) == 1:
            mutated = "\n".join([*after, ""])
            found.setdefault(mutated, Mutant(mutated, *differing[0], change))
    return tuple(sorted(found.values(), key=lambda mutant: mutant.line))


def _compiles(source: str) -> bool:
    try:
        with warnings.catch_warnings():  # "1 is 1" warns, and a warning on stderr can cost a student points
            warnings.simplefilter("ignore")
            compile(source, "<listing>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return False
    return True


def with_line(source: str, line: int, reads: str, change: str) -> Mutant | None:
    """Return the mutant with a line replaced; None if Python cannot read it, or if nothing changes."""
    rows = source.split("\n")
    before = rows[line - 1]
    rows[line - 1] = before[: len(before) - len(before.lstrip())] + reads.strip()
    mutated = "\n".join(rows)
    if rows[line - 1] == before or not _compiles(mutated):
        return None
    return Mutant(mutated, line, before, rows[line - 1], change)


def killed(
    source: str, candidates: Sequence[Mutant], name: str, inputs: Sequence[Mapping[str, object]], *, rel_tol: float
) -> tuple[Hunt, ...]:
    """Return the candidates that one of the inputs exposes, each with the first such input.

    Dropped: mutants that agree with the original on every input; those that fail on every input or are over FARTHEST
    times off on one, which anybody would see; and those that do not terminate. Of mutants whose lines read the
    same, the first is kept.
    """
    original = load_listing(source, name)
    ours = [(given, _result_or_error(original, given)) for given in inputs]
    usable = [(given, value) for given, value in ours if not isinstance(value, Exception) and not is_nan(value)]
    found: dict[str, Hunt] = {}
    for mutant in candidates:
        function = load_listing(mutant.source, name)
        results = [(given, right, _result_or_error(function, given)) for given, right in usable]
        if all(isinstance(wrong, Exception) for _, _, wrong in results):
            continue
        if any(isinstance(wrong, Endless) or _is_far(right, wrong) for _, right, wrong in results):
            continue
        exposing = [given for given, right, wrong in results if not same(right, wrong, max(rel_tol, VISIBLE))]
        if exposing:
            found.setdefault(mutant.mutated_line.strip(), Hunt(mutant, exposing[0]))
    return tuple(found.values())


def _is_far(right: object, wrong: object) -> bool:
    """Return whether two numbers are too far apart to be confused; zero is never far from a number."""
    if not isinstance(right, int | float) or not isinstance(wrong, int | float) or not right or not wrong:
        return False
    return not 1 / FARTHEST <= abs(wrong / right) <= FARTHEST


def is_exposed(original: Callable[..., object], mutant: Callable[..., object], inputs: Mapping[str, object]) -> bool:
    """Return whether an input that the original can compute shows that the mutant is wrong."""
    wrong = _result_or_error(mutant, inputs)
    return isinstance(wrong, Exception) or not same(original(**inputs), wrong, VISIBLE)


def _result_or_error(function: Callable[..., object], inputs: Mapping[str, object]) -> object:
    try:
        return function(**inputs)
    except Exception as error:  # a mutant may fail in any way
        return error


def patch(source: str, line: int, text: str) -> str:
    """Return `source` with a line replaced by a student's text, indented as the line was. Nothing is executed.

    Raises Unreadable, in words for the student, if the text is not one line or does not fit in that place.
    """
    rows, mended = source.rstrip("\n").split("\n"), text.strip()
    if not 1 <= line <= len(rows):
        raise Unreadable(
            f"I saw line {line}, but the listing has lines 1 to {len(rows)}. Give the number of one of them."
        )
    if len(mended) > LONGEST_LINE:
        raise Unreadable(f"I saw {len(mended):,} characters where I expected one line. Write only that line.")
    if len(mended.splitlines()) != 1 or mended.endswith("\\"):
        seen = "nothing" if not mended else "more than one line"
        raise Unreadable(f"I saw {seen} where I expected the corrected line {line}. Write that one line, complete.")
    indent = rows[line - 1][: len(rows[line - 1]) - len(rows[line - 1].lstrip())]
    rows[line - 1] = indent + mended
    patched = "\n".join(rows) + "\n"
    if not _compiles(patched):
        raise Unreadable(
            f"I couldn't fit “{_shown(mended)}” in as line {line}: Python cannot read the listing with it. Write the whole "
            "corrected line, without its number, and check brackets, quotes and the colon."
        )
    return patched


def _shown(text: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in text[:60])


def optional(source: str, name: str) -> tuple[str, ...]:
    """Return the arguments of a listing's function that have a default."""
    definitions = (node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef) and node.name == name)
    spec = next(definitions).args
    return tuple(argument.arg for argument in spec.args[len(spec.args) - len(spec.defaults) :])
