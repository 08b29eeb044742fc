"""The plan of a problem's slips, and the slips of a draw: wrong numbers, each with what went wrong.

They are computed when a question is posed and are in its key, so marking needs neither template nor reference. What
does not depend on the draw, the expressions and which of them are the same, is cached for each problem.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, NamedTuple

from shardwise.errors import ShardwiseError
from shardwise.kinds.quantity.model import Answer, Mistake, QuantityTemplate
from shardwise.kinds.quantity.slips.arguments import UNSAID, reference_arguments
from shardwise.kinds.quantity.slips.expressions import TracedNode, traced_nodes
from shardwise.kinds.quantity.slips.negligible import LeftOut, cut_out, sorted_out, with_derived
from shardwise.kinds.quantity.slips.program import Program, disturbed, program
from shardwise.kinds.quantity.slips.sources import Cuts
from shardwise.kinds.quantity.slips.stops import Stops, stops_of, with_numbers
from shardwise.kinds.quantity.slips.tracing import traced
from shardwise.kinds.quantity.slips.twins import is_another_cause
from shardwise.kinds.quantity.slips.variants import WrongFormula, wrong_formulas
from shardwise.template import model as author
from shardwise.template.draw import Draw, values_of
from shardwise.template.expressions import number_in_unit, prose
from shardwise.template.references import References
from shardwise.template.rng import Rng
from shardwise.units import unit

MOST = 40  # slips in a key
MOST_NODES = 200  # nodes of the largest trace that is searched for slips
FARTHEST = 1e5  # a factor; a number that is farther off is not a slip with the question's numbers
SAME = 1e-9  # relative, between two results that are the same
ELSEWHERE = 4  # draws with the same sentence after which a slip and a mistake count as the same
BITS = {"8", "0.125"}  # multiples of the key that `general` reports for every answer in bytes
SAMPLED = 25  # draws that are sampled to find how often they detect an omission
MOST_TRIED = 10 * SAMPLED  # attempts to find that many draws

Rows = Sequence[tuple[Draw, Sequence[float]]]  # some draws, each with the results of a program
Slip = tuple[float, str]  # the wrong value in base units, and what the student did


class Demanded(NamedTuple):
    """An omission that a draw must detect."""

    place: int  # the index of its value among the results
    what: str
    idle: int | None = None  # the index of a result that is 0 if the omission has no effect; None if that is known


@dataclass(frozen=True)
class SlipPlan:
    """The slips of an expression, independently of the draw."""

    program: Program | Cuts  # gives the key, then each slip, and each omission
    left_out: LeftOut
    demanded: tuple[Demanded, ...]
    how: tuple[str, ...] = ()
    mistakes_by_sentence: Mapping[tuple[int, str], frozenset[int]] = field(
        default_factory=dict
    )  # the slips that a mistake equals, by its sentence
    unsteady: frozenset[int] = (
        frozenset()
    )  # the recognised mistakes that are not the same multiple of the key in every draw
    stops: Stops | None = None  # the intermediate results, unless the trace was too large


def plan_of(template: QuantityTemplate, draw: Draw) -> SlipPlan:
    """Return the slip plan of a draw; for an untraceable reference it has only omissions found in the source."""
    answer = template.answer
    root = traced(draw.references, answer.reference, draw.values, answer.arguments)
    plans = _plans(template, draw.references)
    if root is None:
        if None not in plans:
            plans[None] = _cut(template, draw)
        return plans[None]
    full = with_derived(root, template, draw)
    same = root.shape, full.shape
    if same not in plans:
        plans[same] = _planned(template, draw, root, full)
    return plans[same]


def _plans(template: QuantityTemplate, references: References) -> dict[Any, SlipPlan]:
    """Return the plans of a template so far. The template is kept with them, so that its id stays valid."""
    _, plans = references.memo.setdefault(("slips", id(template)), (template, {}))
    return plans  # type: ignore[no-any-return]


def omission_faults(template: QuantityTemplate, references: References) -> Iterator[str]:
    """Yield omissions that no draw detects, and entries of `negligible` that are not needed."""
    plans = _plans(template, references).values()
    untold: dict[str, tuple[float, str]] = {}
    for plan in plans:
        untold |= {lost: max(found, untold.get(lost, found)) for lost, found in plan.left_out.untold.items()}
    yield from (fault for _, fault in untold.values())
    for lost in template.answer.negligible:
        if plans and not any(lost in plan.left_out.neglected for plan in plans):
            yield (f"answer.negligible names `{lost}`, but no such omission is within the tolerance; delete it")


def slips(
    plan: SlipPlan, found: Sequence[float], allowed: float, template: QuantityTemplate, draw: Draw
) -> tuple[Slip, ...]:
    """Return the slips outside the key's tolerance, except those that a listed mistake already explains."""
    key = found[0]
    told = frozenset[int]().union(
        *(
            plan.mistakes_by_sentence.get((number, sentence), ())
            for number, mistake in enumerate(template.mistakes)
            if mistake.when is None or draw.evaluate(mistake.when, key=key)
            for sentence in _sentences(mistake, template.answer, key, draw)
        )
    )
    least = allowed + 1e-9 * abs(key)
    low, high = sorted((key / FARTHEST, key * FARTHEST))
    apart = [
        (value, with_numbers(how, draw))
        for index, (value, how) in enumerate(zip(found[1:], plan.how, strict=False))
        if index not in told and low < value < high and abs(value - key) > least and UNSAID not in how
    ]
    return tuple(apart[:MOST])


def not_told(plan: SlipPlan, found: Sequence[float], allowed: float) -> str | None:
    """Return the omissions that this draw cannot detect and other draws can."""
    for place, what, idle in plan.demanded:
        if abs(found[place] - found[0]) <= allowed and (idle is None or found[idle]):
            return what
    return None


def _cut(template: QuantityTemplate, draw: Draw) -> SlipPlan:
    left_out, demanded = cut_out(template, draw, other_draws(template, draw))
    places = tuple(Demanded(place, cut.what) for place, cut in enumerate(demanded, start=1))
    run = Cuts(template.answer.reference, template.answer.arguments, draw.references, demanded)
    return SlipPlan(run, left_out, places)


def _places(left_out: LeftOut, before: int) -> tuple[Demanded, ...]:
    """Return the indices of the demanded omissions among results, after an offset."""
    last = before + len(left_out.demanded)
    return tuple(
        Demanded(before + place, omission.what, None if left_out.is_sampled else last + place)
        for place, omission in enumerate(left_out.demanded)
    )


def _roots(left_out: LeftOut) -> list[TracedNode]:
    idle = [] if left_out.is_sampled else [omission.idle for omission in left_out.demanded]
    return [*(omission.root for omission in left_out.demanded), *idle]


def _planned(template: QuantityTemplate, draw: Draw, root: TracedNode, full: TracedNode) -> SlipPlan:
    elsewhere = other_draws(template, draw)
    usual = (elsewhere[0] if elsewhere else draw).values  # so that a plan does not depend on which draw was made first
    left_out = sorted_out(template, full, elsewhere, usual)
    if len(traced_nodes(root)) > MOST_NODES:
        return SlipPlan(program([root, *_roots(left_out)]), left_out, _places(left_out, 1))
    known = reference_arguments(template, root, usual)
    options = [
        variant
        for variant in wrong_formulas(root, known)
        if len(traced_nodes(variant.root)) < 2 * len(traced_nodes(root)) + 20
    ]
    options = _different(root, options, usual, is_data="[information]" in unit(template.answer.unit).dimension)
    final = program([root, *(variant.root for variant in options), *_roots(left_out)])
    rows = [(drawn, final.run(drawn.values)) for drawn in elsewhere]
    how = tuple(option.how for option in options)
    told = dict(_told_by_mistakes(template, rows, how)) if rows else {}
    unsteady = frozenset(number for number, mistake in enumerate(template.mistakes) if not _is_steady(mistake, rows))
    return SlipPlan(final, left_out, _places(left_out, 1 + len(how)), how, told, unsteady, stops_of(root, known))


def _different(
    root: TracedNode, options: Sequence[WrongFormula], usual: Mapping[str, Any], *, is_data: bool
) -> list[WrongFormula]:
    """Return the variants that are equivalent neither to the key nor to an earlier variant."""
    tried = program([root, *(variant.root for variant in options)])
    rows = [tried.run(disturbed({**dict(tried.arguments), **usual}, turn)) for turn in range(3)]
    seen = {tuple(f"{row[0]:.9g}" for row in rows)}
    found = []
    for place, option in enumerate(options, start=1):
        identity = tuple(f"{row[place]:.9g}" for row in rows)
        ratios = {f"{row[place] / row[0]:.9g}" for row in rows if row[0]}
        if identity not in seen and "nan" not in identity and not (is_data and len(ratios) == 1 and ratios <= BITS):
            seen.add(identity)
            found.append(option)
    return found


def other_draws(template: author.Template, draw: Draw) -> Sequence[Draw]:
    """Return some more draws of the same problem, independent of this draw."""
    memo, key = draw.references.memo, ("elsewhere", id(template))
    if key not in memo:
        thrown = (_another_draw(draw, template.where, number) for number in range(MOST_TRIED))
        memo[key] = (template, [*islice((drawn for drawn in thrown if drawn is not None), SAMPLED)])  # keeps its id
    return memo[key][1]  # type: ignore[no-any-return]


def _another_draw(draw: Draw, where: Sequence[str], number: int) -> Draw | None:
    """Return another draw of the same problem; None if the constraints reject it."""
    rng = Rng("elsewhere", draw.rng.problem, number)
    try:
        drawn = replace(draw, rng=rng, values=values_of(draw.params, rng, draw.references))
        if not all(map(drawn.is_true, draw.where)):
            return None
        drawn = replace(drawn, values=draw.complete(drawn.values))
        return drawn if all(map(drawn.is_true, where)) else None
    except (ShardwiseError, ValueError, ArithmeticError):  # numbers that a constraint would have rejected
        return None


def _is_steady(mistake: Mistake, rows: Rows) -> bool:
    """Return whether a mistake is a fixed multiple of the key."""
    ratios = [
        value / found[0]
        for drawn, found in rows
        if found[0] and (value := _value(mistake, found[0], drawn)) is not None
    ]
    return all(math.isclose(ratio, ratios[0], rel_tol=SAME) for ratio in ratios)


def _told_by_mistakes(
    template: QuantityTemplate, rows: Rows, hows: Sequence[str]
) -> Iterator[tuple[tuple[int, str], frozenset[int]]]:
    """Yield the options that are the same as a mistake, in draws in which its sentence is the same.

    A key may be rounded although the expression of a mistake is not, so the two need not agree in the last digit.
    """
    near = max(1e-6, (template.answer.rel_tol or 0.0) / 10)
    for number, mistake in enumerate(template.mistakes):
        groups: dict[str, list[tuple[Sequence[float], float]]] = {}
        for drawn, found in rows:
            if (value := _value(mistake, found[0], drawn)) is not None:
                for sentence in _sentences(mistake, template.answer, found[0], drawn):
                    groups.setdefault(sentence, []).append((found, value))
        for sentence, pairs in groups.items():
            if len(pairs) >= ELSEWHERE or not sentence:
                options = (
                    place for place, how in enumerate(hows) if not is_another_cause(how, sentence or mistake.say)
                )
                yield (number, sentence), frozenset(place for place in options if _is_said(pairs, place, near))


def _sentences(mistake: Mistake, answer: Answer, key: float, draw: Draw) -> Iterator[str]:
    """Yield the feedback on a mistake in a draw, without its numbers; "" if the mistake applies in every draw."""
    if mistake.when is None:
        yield ""
    if mistake.depends:
        names = {**draw.printed, "key": number_in_unit(key, answer.unit, answer.direction or "none")}
        yield re.sub(r"\d+", "0", prose(mistake.say, names))


def _is_said(pairs: Sequence[tuple[Sequence[float], float]], index: int, near: float) -> bool:
    """Return whether a mistake equals a slip in each draw in which the slip makes a difference."""
    apart = [(row[1 + index], value) for row, value in pairs if not math.isclose(row[1 + index], row[0], rel_tol=SAME)]
    return bool(apart) and all(math.isclose(slip, value, rel_tol=near) for slip, value in apart)


def _value(mistake: Mistake, key: float, drawn: Draw) -> float | None:
    """Return a mistake's value; nan if it does not apply, and None if it cannot be computed."""
    try:
        value = mistake.of(key, drawn)
        return math.nan if value is None else value
    except (ShardwiseError, ValueError, TypeError, ArithmeticError):
        return None
