"""Solving a case: its parts in order, each in its own draw that knows the earlier right results."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from shardwise.errors import Reject
from shardwise.kinds import kinds
from shardwise.kinds.base import NumericKind, Posed
from shardwise.kinds.case.carrying import AGREEMENT, CarriedBounds, ways_of
from shardwise.kinds.case.model import CasePart, CaseTemplate, FormulaBefore, Way
from shardwise.template.draw import Draw, whole
from shardwise.template.references import References
from shardwise.template.results import among
from shardwise.template.rng import Rng


@dataclass(frozen=True)
class SolvedPart:
    """A part of one draw: its own draw, what its kind solved and posed, and how its key follows from earlier results."""

    piece: CasePart
    draw: Draw
    solved: Any
    posed: Posed
    bounds: CarriedBounds | None = None  # of its result, if it has one

    def __repr__(self) -> str:
        return repr(self.solved)


@dataclass(frozen=True)
class Solved:
    """The parts of one draw."""

    parts: tuple[SolvedPart, ...]

    @property
    def known(self) -> dict[str, CarriedBounds]:
        """The right results of the parts that have one, with their plausible ranges."""
        return {part.piece.name: part.bounds for part in self.parts if part.bounds is not None}

    @property
    def places(self) -> list[str]:
        """The names of the parts in their order."""
        return [part.piece.name for part in self.parts]

    @cached_property
    def ways(self) -> tuple[tuple[Way, ...], ...]:
        """How the key of each part follows from results."""
        return tuple(ways_of(part.piece, part.draw, part.posed, self.known, self.places) for part in self.parts)


def formula_before(solved: Solved, place: int) -> FormulaBefore | None:
    """Return the earlier part whose formula gives the number of a part: it has the same reference, and all its symbols are known here."""
    part = solved.parts[place]
    answer: Any = part.piece.answer  # type: ignore[attr-defined]
    if part.bounds is None or part.piece.needs:
        return None
    given = {**part.draw.values, **{name: part.draw.evaluate(written) for name, written in answer.arguments.items()}}
    for before, other in enumerate(solved.parts[:place]):
        if getattr(other.piece.answer, "reference", None) != answer.reference:  # type: ignore[attr-defined]
            continue
        kind: Any = kinds()[other.piece.kind]
        found = kind.right_at(other.piece, other.posed.key, given)
        if found is not None and math.isclose(found[1], part.bounds.right, rel_tol=AGREEMENT):
            return FormulaBefore(place=before, point=found[0])
    return None


def solved_case(template: CaseTemplate, draw: Draw) -> Solved:
    """Solve and pose every part. Raises Reject, with the part's name, if a draw cannot be used."""
    parts: list[SolvedPart] = []
    for piece, its in list(_draws(template, draw)):
        kind: Any = kinds()[piece.kind]
        try:
            solved = kind.solve(piece, its)
        except Reject as reason:
            raise Reject(f"{piece.name}: {reason}") from None
        posed = kind.pose(piece, its, solved)
        bounds = _bounds(kind, piece, its, posed) if isinstance(kind, NumericKind) else None
        parts.append(SolvedPart(piece, its, solved, posed, bounds))
    return Solved(tuple(parts))


def _draws(template: CaseTemplate, draw: Draw) -> Iterator[tuple[CasePart, Draw]]:
    """Yield each part with its draw, which knows the earlier results. Raises Reject if a constraint of a part fails.

    Nothing else is computed here: most rejected draws fail a constraint, and solving a part is slow.
    """
    numbers: dict[str, Any] = {}
    for place, piece in enumerate(template.pieces):
        its = _its_draw(template, draw, place, numbers)
        if not all(map(its.is_true, piece.where)):
            raise Reject(f"{piece.name}: a constraint fails")
        yield piece, its
        if isinstance(kinds()[piece.kind], NumericKind):
            numbers[piece.name] = _result(piece, draw.references, its.values)


def _result(piece: CasePart, references: References, values: Mapping[str, Any]) -> Any:
    """Return the right result of a part for some values and earlier results."""
    kind: Any = kinds()[piece.kind]
    return whole(float(kind.recomputed(piece, references, values)))


def _its_draw(template: CaseTemplate, draw: Draw, place: int, numbers: Mapping[str, Any]) -> Draw:
    """Return the draw of a part: its own random streams, and the earlier results."""

    def complete(values: Mapping[str, Any]) -> Mapping[str, Any]:
        found: dict[str, Any] = {}
        for piece in template.pieces[:place]:
            if isinstance(kinds()[piece.kind], NumericKind):
                found[piece.name] = _result(piece, draw.references, among(values, found))
        return among(values, found)

    piece = template.pieces[place]
    rng = Rng(draw.rng.seed, f"{draw.rng.problem}/{piece.name}", draw.rng.attempt)
    return replace(draw, rng=rng, values=among(draw.values, numbers), complete=complete, where=template.where)


def _bounds(kind: Any, piece: CasePart, draw: Draw, posed: Posed) -> CarriedBounds:
    lowest, highest = (
        None if given is None else float(draw.evaluate(given))
        for given in (piece.plausible.lowest, piece.plausible.highest)
    )
    is_whole = kind.is_whole(posed.form, posed.key)
    return CarriedBounds(float(kind.number(posed.key)), piece.plausible.within, lowest, highest, is_whole)
