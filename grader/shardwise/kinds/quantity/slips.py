"""Slips: the wrong numbers that a draw's own parameters make, each with what went wrong.

They are worked out when a question is posed and stand in its key, so marking needs neither template nor reference. What
can be thought about once, the expressions and which of them are the same, is kept for each problem.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from shardwise.errors import ShardwiseError
from shardwise.kinds.quantity.arguments import UNSAID, arguments_of
from shardwise.kinds.quantity.expressions import Node, nodes
from shardwise.kinds.quantity.model import Answer, Mistake, QuantityTemplate, tolerance
from shardwise.kinds.quantity.program import Program, program
from shardwise.kinds.quantity.stops import Stops, filled, stops_of
from shardwise.kinds.quantity.tracing import traced
from shardwise.kinds.quantity.twins import is_another_cause
from shardwise.kinds.quantity.variants import Variant, variants
from shardwise.template.draw import Draw, values_of
from shardwise.template.expressions import prose, shown
from shardwise.template.rng import Rng
from shardwise.units import unit

MOST = 40  # slips in a key
MOST_NODES = 200  # of a trace that slips are looked for in
FARTHEST = 1e5  # times too high or too low: what is farther off is no slip with the question's numbers
SAME = 1e-9  # relative, between two results that are the same
ELSEWHERE = 4  # draws of the same problem by which a slip and a mistake are told apart for good
ENOUGH = 0.4  # of the draws must tell a likely slip from the key, or all are taken as they come
BITS = {"8", "0.125"}  # always this multiple of the key: said for every answer in bytes
SAMPLED = 25  # draws by which that share is found

Slip = tuple[float, str]  # the wrong value in base units, and what the student did


@dataclass(frozen=True)
class Plan:
    """What is known about the slips of an expression, whatever the numbers are."""

    program: Program  # gives the key, then each slip
    how: tuple[str, ...]
    demanded: tuple[int, ...]  # likely slips that a draw must tell from the key
    steady: tuple[bool, ...]  # of the recognised mistakes: whether each is the same multiple of the key in every draw
    listed: frozenset[int] = frozenset()  # slips that are a recognised mistake by another name, and not said again
    told: Mapping[tuple[int, str], frozenset[int]] = field(
        default_factory=dict
    )  # those that are so where its sentence is this
    stops: Stops | None = None  # the intermediate results, where they were looked for

    def run(self, values: Mapping[str, Any]) -> tuple[float, ...]:
        """The key and each slip."""
        return tuple(self.program.run(values))


def plan_of(template: QuantityTemplate, draw: Draw) -> Plan | None:
    """The plan of a draw; None where its reference cannot be traced."""
    answer = template.answer
    root = traced(draw.references, answer.reference, draw.values, answer.arguments)
    if root is None:
        return None
    kept = draw.references.memo.setdefault(
        ("slips", id(template)), (template, {})
    )  # the template, so that its id stays
    plans: dict[Any, Plan] = kept[1]
    if root.shape not in plans:
        plans[root.shape] = _planned(template, draw, root)
    return plans[root.shape]


def slips(
    plan: Plan, found: Sequence[float], allowed: float, template: QuantityTemplate, draw: Draw
) -> tuple[Slip, ...]:
    """The slips that are apart from the key by more than its tolerance, but for those that a mistake's sentence tells."""
    chosen = [(number, mistake) for number, mistake in enumerate(template.mistakes) if mistake.is_chosen]
    key = found[0]
    sentences = ((number, _sentence(mistake, template.answer, key, draw)) for number, mistake in chosen)
    told = plan.listed.union(*(plan.told.get(sentence, ()) for sentence in sentences))
    least = allowed + 1e-9 * abs(key)
    low, high = sorted((key / FARTHEST, key * FARTHEST))
    apart = [
        (value, filled(how, draw))
        for index, (value, how) in enumerate(zip(found[1:], plan.how, strict=True))
        if index not in told and low < value < high and abs(value - key) > least and UNSAID not in how
    ]
    return tuple(apart[:MOST])


def not_told(plan: Plan, found: Sequence[float], allowed: float) -> str | None:
    """A likely slip that this draw does not tell from the key, where other draws do."""
    for index in plan.demanded:
        if abs(found[1 + index] - found[0]) <= allowed:
            return plan.how[index]
    return None


def _planned(template: QuantityTemplate, draw: Draw, root: Node) -> Plan:
    if len(nodes(root)) > MOST_NODES:
        return Plan(program([root]), (), (), (True,) * len(template.mistakes))
    elsewhere = [values for values in (_elsewhere(draw, number) for number in range(SAMPLED)) if values is not None]
    usual = (
        elsewhere[0] if elsewhere else draw
    ).values  # so that a plan does not depend on the draw that was made first
    known = arguments_of(template, root, usual)
    options = [variant for variant in variants(root, known) if len(nodes(variant.root)) < 2 * len(nodes(root)) + 20]
    options = _different(root, options, usual, is_data="[information]" in unit(template.answer.unit).dimension)
    tried = program([root, *(variant.root for variant in options)])
    rows = [tried.run(values.values) for values in elsewhere]
    hows = [option.how for option in options]
    steady, said = _beside_mistakes(template, [*zip(elsewhere, rows, strict=True)][:ELSEWHERE], hows)
    kept = [index for index, option in enumerate(options) if index not in said or option.is_likely]
    options = [options[index] for index in kept]
    listed = frozenset(place for place, index in enumerate(kept) if index in said)
    final = program([root, *(variant.root for variant in options)])
    demanded = tuple(
        index
        for index, option in enumerate(options)
        if option.is_likely and _share_told(final, index, elsewhere, template.answer) >= ENOUGH
    )
    told = {
        sentence: frozenset(place for place, index in enumerate(kept) if index in its)
        for sentence, its in _by_sentence(template, [*zip(elsewhere, rows, strict=True)], hows if rows else [])
    }
    stops = stops_of(root, known)
    return Plan(final, tuple(option.how for option in options), demanded, steady, listed, told, stops)


def _share_told(final: Program, index: int, elsewhere: Sequence[Draw], answer: Answer) -> float:
    """The share of draws that tell a slip from the key."""
    is_relative = answer.abs_tol is None and answer.sig_figs is None
    apart = 0
    for drawn in elsewhere:
        found = final.run(drawn.values)
        allowed = tolerance(found[0], rel_tol=answer.rel_tol, abs_tol=None, sig_figs=None) if is_relative else 0.0
        apart += abs(found[1 + index] - found[0]) > allowed
    return apart / len(elsewhere) if elsewhere else 0.0


def _different(root: Node, options: Sequence[Variant], usual: Mapping[str, Any], *, is_data: bool) -> list[Variant]:
    """The variants that are not the same expression as the key, or as one before them, only written in another way."""
    tried = program([root, *(variant.root for variant in options)])
    rows = [tried.run(_disturbed({**dict(tried.arguments), **usual}, turn)) for turn in range(3)]
    seen = {tuple(f"{row[0]:.9g}" for row in rows)}
    found = []
    for place, option in enumerate(options, start=1):
        identity = tuple(f"{row[place]:.9g}" for row in rows)
        ratios = {f"{row[place] / row[0]:.9g}" for row in rows if row[0]}
        if identity not in seen and "nan" not in identity and not (is_data and len(ratios) == 1 and ratios <= BITS):
            seen.add(identity)
            found.append(option)
    return found


def _disturbed(values: Mapping[str, Any], turn: int) -> dict[str, float]:
    """Values that have nothing to do with each other any more."""
    return {
        name: value + 3 + 2 * turn + 5 * place if isinstance(value, int) else value * (1.1 + 0.3 * turn + 0.07 * place)
        for place, (name, value) in enumerate(values.items())
        if isinstance(value, int | float) and not isinstance(value, bool)
    }


def _elsewhere(draw: Draw, number: int) -> Draw | None:
    rng = Rng("elsewhere", draw.rng.problem, number)
    try:
        values = draw.complete(values_of(draw.params, rng, draw.references))
        return Draw(rng, draw.params, values, draw.references, draw.complete)
    except (ShardwiseError, ValueError, ArithmeticError):  # numbers that a constraint would have refused
        return None


def _beside_mistakes(
    template: QuantityTemplate, rows: Sequence[tuple[Draw, Sequence[float]]], hows: Sequence[str]
) -> tuple[tuple[bool, ...], set[int]]:
    """Which mistakes are a fixed multiple of the key, and which options are a mistake by another name."""
    steady, said = [], set()
    near = _near(template)
    for mistake in template.mistakes:
        pairs = [(found, value) for drawn, found in rows if (value := _value(mistake, found[0], drawn)) is not None]
        ratios = [value / found[0] for found, value in pairs if found[0]]
        steady.append(all(math.isclose(ratio, ratios[0], rel_tol=SAME) for ratio in ratios))
        said |= {
            index
            for index, how in enumerate(hows)
            if not is_another_cause(how, mistake.say) and _is_said(pairs, index, near)
        }
    return tuple(steady), said


def _near(template: QuantityTemplate) -> float:
    """How near a mistake is to the slip that it is: a key may be rounded, and a mistake's expression not."""
    return max(1e-6, (template.answer.rel_tol or 0.0) / 10)


def _by_sentence(
    template: QuantityTemplate, rows: Sequence[tuple[Draw, Sequence[float]]], hows: Sequence[str]
) -> Iterator[tuple[tuple[int, str], set[int]]]:
    """The options that are a mistake by another name in the draws in which its sentence is the same."""
    for number, mistake in enumerate(template.mistakes):
        if not mistake.is_chosen:
            continue
        groups: dict[str, list[tuple[Sequence[float], float]]] = {}
        for drawn, found in rows:
            if (value := _value(mistake, found[0], drawn)) is not None:
                sentence = _sentence(mistake, template.answer, found[0], drawn)
                groups.setdefault(sentence, []).append((found, value))
        for sentence, pairs in groups.items():
            if len(pairs) >= ELSEWHERE:
                yield (
                    (number, sentence),
                    {
                        index
                        for index, how in enumerate(hows)
                        if not is_another_cause(how, sentence) and _is_said(pairs, index, _near(template))
                    },
                )


def _sentence(mistake: Mistake, answer: Answer, key: float, draw: Draw) -> str:
    """What is said to a mistake, without its numbers."""
    names = {**draw.printed, "key": shown(key, answer.unit, answer.direction or "none")}
    return re.sub(r"\d+", "0", prose(mistake.say, names))


def _is_said(pairs: Sequence[tuple[Sequence[float], float]], index: int, near: float) -> bool:
    """Whether a mistake is what a slip gives, in each draw in which the slip makes a difference."""
    apart = [(row[1 + index], value) for row, value in pairs if not math.isclose(row[1 + index], row[0], rel_tol=SAME)]
    return bool(apart) and all(math.isclose(slip, value, rel_tol=near) for slip, value in apart)


def _value(mistake: Mistake, key: float, drawn: Draw) -> float | None:
    """A mistake's value, which is like no other where it is not known; None where it cannot be computed."""
    try:
        value = mistake.of(key, drawn)
        return math.nan if value is None else value
    except (ShardwiseError, ValueError, TypeError, ArithmeticError):
        return None
