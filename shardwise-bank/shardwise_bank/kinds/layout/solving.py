"""Solving a draw: the reference evaluates every combination of the author's choices, and the right ones are counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from shardwise.errors import Reject, ShardwiseError
from shardwise.template.draw import Draw
from shardwise.template.expressions import BadExpression, is_true, prose
from shardwise_bank.kinds.layout import grid
from shardwise_bank.kinds.layout.axes import form_of
from shardwise_bank.kinds.layout.grid import Layout
from shardwise_bank.kinds.layout.judging import Names, column_of, judge_of, shown_limit
from shardwise_bank.kinds.layout.model import MOST_ROWS, JudgedConstraint, LayoutForm, LayoutTemplate
from shardwise_bank.kinds.layout.verdicts import hangs, holds_at, is_close, is_right, layout_credit
from shardwise_bank.kinds.layout.words import one_line

FEWEST_RIGHT, MOST_RIGHT = 0.01, 0.30  # of all combinations


@dataclass(frozen=True)
class Solved:
    """The axes of a draw, and the findings for every combination."""

    form: LayoutForm
    solution: int
    right: int  # number of right combinations
    guessed: float  # mean credit of a random combination
    constraints: Mapping[str, JudgedConstraint] = field(repr=False)
    wrong: tuple[int | None, ...] = field(repr=False)  # the mistake of each combination
    contradicted: tuple[int, ...]  # mistakes that a right combination also makes
    measures: Names = field(repr=False)  # what the reference returns for the solution


def solve(template: LayoutTemplate, draw: Draw) -> Solved:
    """Evaluate every combination of a draw, with a cache. Raises Reject and ShardwiseError."""
    memo = draw.references.memo
    key = ("layout", draw.rng.problem, template.written, repr(draw.values))
    if key not in memo:
        try:
            memo[key] = _solved(template, draw)
        except Reject as reason:
            memo[key] = str(reason)
    found: Solved | str = memo[key]
    if isinstance(found, str):
        raise Reject(found)
    return found


def _solved(template: LayoutTemplate, draw: Draw) -> Solved:
    answer, form = template.answer, form_of(template, draw)
    rows = grid.combinations(form)
    if not rows:
        raise Reject("no combination of the options has the product")
    if len(rows) > MOST_ROWS:
        raise ShardwiseError(
            f"there are {len(rows):,} combinations, but a key holds at most {MOST_ROWS:,}; offer fewer options"
        )
    named = list(map(judge_of(draw, answer, form, is_oracle=False), rows))
    constraints = judged_constraints(template, draw, named)
    columns = tuple(constraints.values())
    right = [place for place in range(len(rows)) if is_right(columns, place)]
    _reject_unfit(columns, right, len(rows))
    solution = _solution(template, draw, form, named, right)
    mistakes = [mistake.when for mistake in template.mistakes]
    for when in mistakes:
        is_true(when, {**draw.values, **draw.references.helpers, **named[solution]})  # reports unknown names
    shows = [[_shows(draw, when, names) for when in mistakes] for names in named]
    asks = (
        prose(each.asks, {**draw.printed, "limit": shown_limit(constraints[each.id])}) for each in answer.constraints
    )
    return Solved(
        form=form.model_copy(update={"asks": tuple(asks)}),
        solution=solution,
        right=len(right),
        guessed=sum(layout_credit(columns, place) for place in range(len(rows))) / len(rows),
        constraints=constraints,
        wrong=tuple(
            None if place in right else next((number for number, it in enumerate(row) if it), None)
            for place, row in enumerate(shows)
        ),
        contradicted=tuple(number for number in range(len(mistakes)) if any(shows[place][number] for place in right)),
        measures=named[solution],
    )


def judged_constraints(template: LayoutTemplate, draw: Draw, named: Sequence[Names]) -> dict[str, JudgedConstraint]:
    """Evaluate each constraint for every combination, in the template's order.

    When a combination breaks a hard constraint, the remaining constraints are not evaluated.
    """
    running = list(range(len(named)))
    found: dict[str, JudgedConstraint] = {}
    ordered = sorted(template.answer.constraints, key=lambda constraint: (not constraint.hard, constraint.is_relative))
    for constraint in ordered:
        column = column_of(draw, template, constraint, named, running, tuple(found.values()))
        found[constraint.id] = column
        if constraint.hard:
            running = [place for place in running if is_right((column,), place) or is_close(column, column.seen[place])]
    return {constraint.id: found[constraint.id] for constraint in template.answer.constraints}


def _reject_unfit(columns: Sequence[JudgedConstraint], right: Sequence[int], rows: int) -> None:
    """Reject a draw in which nothing or nearly everything is right, the example is right, or rounding decides."""
    if not FEWEST_RIGHT * rows <= len(right) <= MOST_RIGHT * rows or not right:
        raise Reject(f"{len(right)} of {rows} combinations are right, not {FEWEST_RIGHT:.0%} to {MOST_RIGHT:.0%}")
    if right[0] == 0:
        raise Reject("the first combination, which the example shows, is right")
    if any(hangs(columns, place) for place in range(rows)):
        raise Reject("a combination is right or wrong by a close call")


def _solution(
    template: LayoutTemplate, draw: Draw, form: LayoutForm, named: Sequence[Names], right: Sequence[int]
) -> int:
    """Return the index of the published solution, whether right or not."""
    written = template.answer.solution
    for name, sign in (("lowest", 1), ("highest", -1)):
        if name in written and name not in template.answer.axes:
            return min(right, key=lambda place: sign * float(draw.evaluate(written[name], **named[place])))
    layout: dict[str, Any] = {name: draw.evaluate(value) for name, value in written.items()}
    if words := [name for name in form.of if isinstance(layout.get(name), str)]:
        raise ShardwiseError(f"the solution has a word for {', '.join(words)}, which is an axis of the product")
    missing = [axis.name for axis in form.axes if axis.name not in layout]
    if missing == [form.follows]:
        layout[missing[0]] = grid.remaining(form, layout, missing[0])
    elif missing:
        raise ShardwiseError(f"the solution has no value for {', '.join(missing)}")
    picked: Layout = tuple(layout[axis.name] for axis in form.axes)
    place = grid.place_in_grid(form, picked)
    if place is None:
        raise ShardwiseError(f"the solution {layout} is not a combination of the options, or breaks the product rule")
    return place


def _shows(draw: Draw, when: str | bool, names: Names) -> bool:
    """Return whether a combination makes a mistake. After a broken hard constraint, the condition may use missing names."""
    try:
        return is_true(when, {**draw.values, **draw.references.helpers, **names})
    except BadExpression:
        return False


def compare(template: LayoutTemplate, draw: Draw, solved: Solved) -> tuple[list[str], bool]:
    """Return the first disagreement of oracle and reference for each constraint, and whether all constraints were compared.

    An oracle that returns only some measures is compared only in the constraints that need no others.
    """
    answer, form = template.answer, solved.form
    rows = grid.combinations(form)
    counted = list(map(judge_of(draw, answer, form, is_oracle=True), rows))
    faults, compared = [], True
    for constraint in answer.constraints:
        ours = solved.constraints[constraint.id]
        looked = [place for place, seen in enumerate(ours.seen) if seen is not None]
        rest = tuple(solved.constraints[other.id] for other in answer.constraints if not other.is_relative)
        try:
            theirs = column_of(draw, template, constraint, counted, looked, rest)
        except (BadExpression, KeyError):
            compared = False
            continue
        for place in looked:
            verdicts = [holds_at(column, place) for column in (ours, theirs)]
            if verdicts[0] != verdicts[1]:
                verdict = "holds" if verdicts[0] else "does not hold"
                faults.append(
                    f"{constraint.id} {verdict} for {one_line(form, rows[place])} by {answer.reference} ({ours.seen[place]}), but "
                    f"{answer.oracle} ({theirs.seen[place]}) disagrees; one of the two is wrong"
                )
                break
    return faults, compared
