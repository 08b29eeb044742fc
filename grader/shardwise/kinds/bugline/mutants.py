"""Mutants: a listing with one line gone wrong, and an input that shows it.

Only our own listings are ever executed here, and within bounds. What a student writes is compiled, to see that it fits,
and never run.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from shardwise.errors import Unreadable
from shardwise.kinds.agreement import is_nan, same
from shardwise.kinds.bugline.execution import load
from shardwise.kinds.bugline.listing import listing, unwrapped

__all__ = ["Killed", "Mutant", "killed", "listing", "load", "mutants", "patch"]

VISIBLE = 1e-3  # relative: a mutant is exposed by a difference of at least this, so that a student can see it
LONGEST_LINE = 300  # characters of a mended line


@dataclass(frozen=True)
class Mutant:
    """A listing in which one line is wrong."""

    source: str
    line: int  # counted from 1
    original_line: str
    mutated_line: str
    change: str  # the mutation's name, as in "dropped factor 2"


@dataclass(frozen=True)
class Killed:
    """A mutant, and the simplest of the given inputs on which it goes wrong."""

    mutant: Mutant
    witness: Mapping[str, object]
    ours: object
    theirs: object


def mutants(source: str) -> tuple[Mutant, ...]:
    """Every mutation that changes one line of a listing, in the order of the text, each once."""
    import libcst as cst

    from shardwise.kinds.bugline.mutations import mutations

    module = cst.parse_module(source)
    found: dict[str, Mutant] = {}
    for old, new, change in mutations(module):
        mutated = module.deep_replace(old, new)
        assert isinstance(mutated, cst.Module)
        mutant = _with_one_line_changed(source, mutated.code, change)
        if mutant and mutant.source not in found and _compiles(mutant.source):
            found[mutant.source] = mutant
    return tuple(sorted(found.values(), key=lambda mutant: mutant.line))


def _with_one_line_changed(source: str, mutated: str, change: str) -> Mutant | None:
    """The mutant, if exactly one line of `mutated` differs from `source`."""
    before, after = source.split("\n"), mutated.split("\n")
    if len(before) != len(after):
        return None
    differing = [row for row, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    if len(differing) != 1:
        return None
    row = differing[0]
    after[row] = unwrapped(after[row])
    if after[row] == before[row]:
        return None
    return Mutant("\n".join(after), row + 1, before[row], after[row], change)


def _compiles(source: str) -> bool:
    try:
        with warnings.catch_warnings():  # "1 is 1" warns, and a warning on stderr can cost a student marks
            warnings.simplefilter("ignore")
            compile(source, "<listing>", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        return False
    return True


def killed(source: str, name: str, inputs: Sequence[Mapping[str, object]], *, rel_tol: float) -> tuple[Killed, ...]:
    """The mutants that one of the inputs exposes, each with the first input that does.

    Dropped: mutants that agree with the original on every input, and those that fail on every input, which anybody
    would see. Of mutants whose lines read the same, the first is kept.
    """
    original = load(source, name)
    ours = [(given, _result_or_error(original, given)) for given in inputs]
    usable = [(given, value) for given, value in ours if not isinstance(value, Exception) and not is_nan(value)]
    found: dict[str, Killed] = {}
    for mutant in mutants(source):
        function = load(mutant.source, name)
        results = [(given, right, _result_or_error(function, given)) for given, right in usable]
        if all(isinstance(wrong, Exception) for _, _, wrong in results):
            continue
        exposing = [result for result in results if not same(result[1], result[2], max(rel_tol, VISIBLE))]
        if exposing:
            found.setdefault(mutant.mutated_line.strip(), Killed(mutant, *exposing[0]))
    return tuple(found.values())


def _result_or_error(function: Callable[..., object], inputs: Mapping[str, object]) -> object:
    try:
        return function(**inputs)
    except Exception as error:  # a mutant may fail in any way
        return error


def patch(source: str, line: int, text: str) -> str:
    """`source` with a line replaced by a student's text, indented as the line was. Nothing is executed.

    Raises Unreadable, in words for the student, if the text is not one line or does not fit in that place.
    """
    rows, mended = source.rstrip("\n").split("\n"), text.strip()
    if not 1 <= line <= len(rows):
        raise Unreadable(
            f"I saw line {line}, and the listing has lines 1 to {len(rows)}. Give the number of one of them."
        )
    if len(mended) > LONGEST_LINE:
        raise Unreadable(f"I saw {len(mended):,} characters where one line belongs. Write that line alone.")
    if len(mended.splitlines()) != 1 or mended.endswith("\\"):
        seen = "nothing" if not mended else "more than one line"
        raise Unreadable(f"I saw {seen} where the mended line {line} belongs. Write that one line, complete.")
    indent = rows[line - 1][: len(rows[line - 1]) - len(rows[line - 1].lstrip())]
    rows[line - 1] = indent + mended
    patched = "\n".join(rows) + "\n"
    if not _compiles(patched):
        raise Unreadable(
            f"I couldn't fit “{_shown(mended)}” in as line {line}: Python cannot read the listing with it. Write the whole "
            "line as it should stand there, without its number, and check brackets, quotes and the colon."
        )
    return patched


def _shown(text: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in text[:60])
