"""Points: where formulas are compared, chosen so that every known wrong formula differs at one of them at least."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, islice, product
from typing import Any

from shardwise.kinds.formula import compare as formulas
from shardwise.kinds.formula.compare import AGREEMENT, ParsedFormula
from shardwise.kinds.formula.tree import Node
from shardwise.kinds.formula.values import value_at
from shardwise.kinds.formula.variants import nearby_formulas
from shardwise.kinds.inputs import Input, cases
from shardwise.template.parameters import Scalar
from shardwise.template.rng import Rng

DRAWN = 6  # points that the seed draws
MOST_TRIED = 600  # further points that are tried
MOST_VALUES = 8  # values of a symbol with many
SMALL = 10_000  # a symbol whose values are whole and at most this is a count

Point = Mapping[str, float]
parse = lru_cache(maxsize=4096)(formulas.parse_formula)


@dataclass(frozen=True)
class Telling:
    """Points that distinguish wrong formulas from the right one, and the formulas that no point distinguishes."""

    values: tuple[tuple[Scalar, ...], ...]  # of the symbols, as the author wrote them
    untold: tuple[str, ...]


def points_of(
    texts: Sequence[str], symbols: Mapping[str, Input], rng: Rng
) -> tuple[list[dict[str, float]], list[dict[str, Any]]]:
    """Return the points of a question, by symbol and as arguments of the reference: those of the seed, and those that distinguish formulas.

    `texts` are our formula and the recognised mistakes.
    """
    bases: list[Mapping[str, Any]] = [case.base for case in cases(symbols, (), rng, drawn=DRAWN)]
    for values in telling(tuple(texts), tuple(symbols.items())).values:
        base = {
            spec.argument or name: spec.base(value) for (name, spec), value in zip(symbols.items(), values, strict=True)
        }
        if base not in bases:
            bases.append(base)
    points = [{name: float(base[spec.argument or name]) for name, spec in symbols.items()} for base in bases]
    return points, [dict(base) for base in bases]


@lru_cache(maxsize=256)
def telling(texts: tuple[str, ...], symbols: tuple[tuple[str, Input], ...]) -> Telling:
    """Return the points that distinguish the first formula from the others and from its variants, and the others from each other."""
    names = tuple(name for name, _ in symbols)
    ours, *mistakes = (parse(text, names) for text in texts)
    wrong = [
        *(mistake.tree for mistake in mistakes),
        *(slip.tree for slip in nearby_formulas(ours.tree, _counts(symbols))),
    ]
    wrong += [
        Node("times", (ours.tree, parse(name, names).tree)) for name in names
    ]  # also for a symbol that does not occur
    pending = [(ours.tree, tree) for tree in wrong]
    pending += [(first.tree, second.tree) for place, first in enumerate(mistakes) for second in mistakes[:place]]
    chosen = []
    for values in chain(islice(_grid(symbols), MOST_TRIED), _one_by_one(symbols)):
        point = {name: float(spec.base(value)) for (name, spec), value in zip(symbols, values, strict=True)}
        left = [pair for pair in pending if not _differ(*pair, point)]
        if len(left) < len(pending):
            chosen.append(values)
        if not (pending := left):
            break
    return Telling(tuple(chosen), tuple(str(wrong) for right, wrong in pending if right is ours.tree))


def are_told_apart(texts: Sequence[str], symbols: Sequence[str], points: Sequence[Point]) -> bool:
    """Return whether the points distinguish all of these formulas."""
    read = [parse(text, tuple(symbols)) for text in texts]
    return all(_told(first, second, points) for place, first in enumerate(read) for second in read[:place])


def _told(first: ParsedFormula, second: ParsedFormula, points: Sequence[Point]) -> bool:
    return first.fingerprint != second.fingerprint and any(_differ(first.tree, second.tree, point) for point in points)


def _differ(first: Node, second: Node, point: Point) -> bool:
    each, other = value_at(first, point), value_at(second, point)
    if not (math.isfinite(each) or math.isfinite(other)):
        return False
    return not math.isclose(each, other, rel_tol=AGREEMENT)


def _counts(symbols: Sequence[tuple[str, Input]]) -> tuple[str, ...]:
    """Return the symbols for small whole numbers, for which N-1 matters."""
    return tuple(
        name for name, spec in symbols if all(isinstance(value, int) and 0 < value <= SMALL for value in spec.values())
    )


def _grid(symbols: Sequence[tuple[str, Input]]) -> Iterator[tuple[Scalar, ...]]:
    """Yield every combination of the symbols' values, simple ones first; of many values only some, evenly spaced."""
    spread = []
    for _, spec in symbols:
        values = spec.values()
        step = max(1, math.ceil(len(values) / MOST_VALUES))
        spread.append(values[::step])
    return product(*spread)


def _one_by_one(symbols: Sequence[tuple[str, Input]]) -> Iterator[tuple[Scalar, ...]]:
    """Yield every value of each symbol with the others at their last: points that the grid reaches late, or never."""
    last = [spec.values()[-1] for _, spec in symbols]
    for place, (_, spec) in enumerate(symbols):
        for value in spec.values()[:MOST_VALUES]:
            yield *last[:place], value, *last[place + 1 :]
