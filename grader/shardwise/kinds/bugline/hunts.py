"""The hunts of a template: every wrong line that it can draw, each with the simplest input that exposes it."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from shardwise.kinds.bugline.model import BuglineTemplate, Slip
from shardwise.kinds.bugline.mutants import Hunt, Mutant, killed, listing, mutants, with_line
from shardwise.kinds.inputs import cases
from shardwise.template.references import References
from shardwise.template.rng import Rng

FEWEST_SLIPS, FEWEST_MUTATIONS, FEWEST_LINES = 4, 5, 2  # with fewer, a class shares its hunts


@dataclass(frozen=True)
class Hunts:
    """The listing of a reference, and the bugs that it can have."""

    listing: str
    hunts: tuple[Hunt, ...]


def hunts(template: BuglineTemplate, references: References) -> Hunts:
    """Return the listing and every hunt that a template draws from.

    They are the same for all students, and are cached for all draws of a process.
    """
    answer, memo = template.answer, references.memo
    key = ("hunts", answer.reference, answer.rel_tol, *answer.inputs.items(), *template.slips)
    if key not in memo:
        source = listing(references.reference(answer.reference))
        named = ".".join(
            answer.reference.split(".")[-2:]
        )  # so that a module that moves to another folder keeps its draws
        pool = [dict(case.base) for case in cases(answer.inputs, (), Rng("mutants", named), drawn=8)]
        candidates = _slipped(source, template.slips) if template.slips else mutants(source)
        function = answer.reference.rpartition(".")[2]
        memo[key] = Hunts(source, killed(source, candidates, function, pool, rel_tol=answer.rel_tol))
    known: Hunts = memo[key]
    return known


def _slipped(source: str, slips: Sequence[Slip]) -> tuple[Mutant, ...]:
    """Return the mutants of the listed slips; slips that do not fit the listing are reported by `faults`."""
    made = [with_line(source, row, slip.reads, slip.say) for slip in slips if (row := _row(source, slip))]
    return tuple(mutant for mutant in made if mutant)


def _row(source: str, slip: Slip) -> int:
    """Return the number of the line that a slip changes; 0 if the listing has no such line, or several."""
    rows = [number for number, text in enumerate(source.split("\n"), start=1) if text.strip() == slip.line.strip()]
    return rows[0] if len(rows) == 1 else 0


def faults(template: BuglineTemplate, references: References) -> Iterator[str]:
    """Yield faults of the slips of a template, and a fault if there are too few hunts."""
    for name, given in template.answer.inputs.items():
        if all(isinstance(value, str) for value in given.values()):
            yield f"inputs: {name} has only strings, but the inputs of a hunt must be numbers"
            return
    known = hunts(template, references)
    exposed = {hunt.mutant.mutated_line.strip() for hunt in known.hunts}
    for number, slip in enumerate(template.slips, start=1):
        row = _row(known.listing, slip)
        if not row:
            yield f"slip {number}: {_no_such_line(known.listing, slip.line.strip())}"
        elif not with_line(known.listing, row, slip.reads, slip.say):
            yield f"slip {number}: Python cannot read the listing with “{slip.reads}”, or it reads as before"
        elif slip.reads.strip() not in exposed:
            yield (
                f"slip {number}: “{slip.reads}” is not a fair hunt: on the inputs it agrees with the right line, fails on "
                "all of them, does not end, or is over 100 times off"
            )
    fewest = FEWEST_SLIPS if template.slips else FEWEST_MUTATIONS
    if len(known.hunts) < fewest or len({hunt.mutant.line for hunt in known.hunts}) < FEWEST_LINES:
        what = "slips" if template.slips else "mutants"
        yield (
            f"only {len(known.hunts)} {what} of {template.answer.reference} are exposed by its inputs; "
            f"a hunt needs at least {fewest} on at least {FEWEST_LINES} lines"
        )


def _no_such_line(source: str, wanted: str) -> str:
    rows = [text.strip() for text in source.rstrip("\n").split("\n")]
    if wanted in rows:
        return f"the line “{wanted}” appears {rows.count(wanted)} times in the listing, but a slip changes only one"
    near = difflib.get_close_matches(wanted, rows, n=1)
    return f"the listing has no line “{wanted}”" + (f"; did you mean “{near[0]}”?" if near else "")
