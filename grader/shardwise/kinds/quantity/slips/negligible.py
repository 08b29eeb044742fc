"""Negligible: the omissions that every draw must detect, those that draws need not detect, and those that too few can.

An omission that enough draws detect must be detected by each: a draw that does not detect it is rejected. An omission
that too few draws detect is a fault of the template, unless its author says why the part may be omitted.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from shardwise.kinds.quantity.model import Answer, QuantityTemplate, allowed
from shardwise.kinds.quantity.slips.arguments import reference_arguments
from shardwise.kinds.quantity.slips.expressions import TracedNode, number, traced_nodes
from shardwise.kinds.quantity.slips.omissions import Omission, omissions, unrounded
from shardwise.kinds.quantity.slips.program import disturbed, program
from shardwise.kinds.quantity.slips.sources import Cut, cuts
from shardwise.kinds.quantity.slips.tracing import traced_expression
from shardwise.kinds.quantity.slips.variants import rebuilt
from shardwise.template.draw import Draw
from shardwise.units import show_number, unit

ENOUGH = 0.2  # of the draws must detect everything that each draw must detect
MOST = 0.6  # of the draws, for omissions that do not matter if counts are large
SAME = 1e-9  # relative, between two results that are the same
LARGEST = 600  # nodes of the largest trace that is searched for omissions
DEEPEST = 8  # derived parameters of derived parameters
_PRINTED = re.compile(r"\{[{%].*?[%}]\}", re.DOTALL)


@dataclass(frozen=True)
class LeftOut:
    """The omissions of an expression, sorted by their consequences."""

    demanded: tuple[Omission, ...] = ()  # a draw that does not detect one of them is rejected
    untold: Mapping[str, tuple[float, str]] = field(
        default_factory=dict
    )  # omissions that too few draws detect: the share that does not, and the fault
    neglected: frozenset[str] = frozenset()  # the entries of `negligible` that are needed
    is_sampled: bool = True  # whether other draws have this expression


def with_derived(root: TracedNode, template: QuantityTemplate, draw: Draw) -> TracedNode:
    """Return an expression with derived parameters expanded, except those shown in the prompt."""
    printed = set(re.findall(r"\w+", " ".join(_PRINTED.findall(template.prompt))))
    for _ in range(DEEPEST):
        new = {}
        for leaf in traced_nodes(root):
            parameter = template.params.get(leaf.name) if leaf.operation == "argument" else None
            if parameter is not None and parameter.derived is not None and leaf.name not in printed:
                inside = traced_expression(draw.references, str(parameter.derived), draw.values)
                if inside is not None:
                    new[id(leaf)] = inside
        if not new:
            break
        root = rebuilt(root, new)
    return root


def sorted_out(
    template: QuantityTemplate, root: TracedNode, elsewhere: Sequence[Draw], usual: Mapping[str, Any]
) -> LeftOut:
    """Sort the omissions of an expression by the number of draws that detect them."""
    if len(traced_nodes(root)) > LARGEST:
        return LeftOut()
    answer = template.answer
    found = {omission.root.shape: omission for omission in omissions(root, reference_arguments(template, root, usual))}
    every = _different(root, [*found.values()], usual)
    tried = program([root, *(omission.root for omission in every), *(omission.idle for omission in every)])
    rows = [row for drawn in elsewhere if (row := tried.run(drawn.values)) and _is_key(row[0], answer, drawn)]
    tolerances = [allowed(answer, row[0]) for row in rows]
    telling = {
        place: {turn for turn, row in enumerate(rows) if not abs(row[place] - row[0]) <= tolerances[turn]}
        for place in range(1, 1 + len(every))
        if not (rows and all(abs(row[place + len(every)]) < SAME for row in rows))
    }
    return _sorted(every, telling, len(rows), answer)


def cut_out(template: QuantityTemplate, draw: Draw, elsewhere: Sequence[Draw]) -> tuple[LeftOut, tuple[Cut, ...]]:
    """Return the omissions of an untraceable reference, sorted likewise, and those that draws must detect."""
    answer, references = template.answer, draw.references
    every = cuts(references.reference(answer.reference))
    rows = []
    for drawn in elsewhere:
        try:
            rows.append((drawn, references.key(answer.reference, drawn.values, answer.arguments)))
        except Exception:  # a reference may refuse numbers in any way
            continue
    telling = {}
    for place, cut in enumerate(every, start=1):
        if all(cut.is_idle(references, drawn.values, answer.arguments) for drawn, _ in rows):
            continue
        values = [cut.value(references, drawn.values, answer.arguments) for drawn, _ in rows]
        telling[place] = {
            turn
            for turn, (value, (_, key)) in enumerate(zip(values, rows, strict=True))
            if not abs(value - key) <= allowed(answer, key)
        }
    leaves = [number(place) for place in range(len(every))]
    named = [Omission(leaf, cut.what, cut.lost, leaf, leaf, leaf) for leaf, cut in zip(leaves, every, strict=True)]
    left_out = _sorted(named, telling, len(rows), answer)
    whole = {*left_out.untold, *left_out.neglected}
    outer = {lost: fault for lost, fault in left_out.untold.items() if not _is_inside(lost, whole)}
    demanded = [omission for omission in left_out.demanded if not _is_inside(omission.lost, whole)]
    return replace(left_out, untold=outer), tuple(every[int(omission.root.value)] for omission in demanded)


def _is_inside(lost: str, others: Collection[str]) -> bool:
    """Return whether one source range is inside another."""
    return any(lost != other and re.search(rf"(?<!\w){re.escape(lost)}(?!\w)", other) for other in others)


def _sorted(every: Sequence[Omission], telling: Mapping[int, set[int]], rows: int, answer: Answer) -> LeftOut:
    """Sort omissions by the number of draws that detect each; a part of a negligible part is negligible too."""
    demanded: list[Omission] = []
    untold: dict[str, tuple[float, str]] = {}
    neglected: set[str] = set()
    covered: set[int] = set()  # operations inside of what is omitted anyway
    left = set(range(rows))  # draws that detect everything demanded so far
    for place in sorted(telling, key=lambda place: (-len(telling[place]), -len(traced_nodes(every[place - 1].part)))):
        omission, told = every[place - 1], telling[place]
        if omission.lost in answer.negligible and len(told) < rows:
            neglected.add(omission.lost)
        elif len(left & told) >= (MOST if omission.is_one_less else ENOUGH) * rows:
            demanded.append(omission)
            left &= told
            continue
        elif omission.may_be_fine(len(told)):
            continue
        elif id(omission.here) not in covered:
            share = 1 - len(told) / rows
            untold.setdefault(omission.lost, (share, _fault(omission, share, answer)))
        covered |= {id(inside) for inside in traced_nodes(omission.part)}
    demanded = [omission for omission in demanded if id(omission.here) not in covered]
    return LeftOut(tuple(demanded), untold, frozenset(neglected), is_sampled=rows > 0)


def _different(root: TracedNode, every: Sequence[Omission], usual: Mapping[str, Any]) -> list[Omission]:
    """Return the omissions that change the expression: a factor omitted everywhere may cancel."""
    tried = program([unrounded(root), *(unrounded(omission.root) for omission in every)])
    rows = [tried.run(disturbed({**dict(tried.arguments), **usual}, turn)) for turn in range(3)]
    return [
        omission
        for place, omission in enumerate(every, start=1)
        if omission.is_rounding or not all(math.isclose(row[place], row[0], rel_tol=SAME) for row in rows)
    ]


def _is_key(value: float, answer: Answer, drawn: Draw) -> bool:
    """Return whether the expression gives a draw's key; with other numbers the reference may take another branch."""
    try:
        key = drawn.references.key(answer.reference, drawn.values, answer.arguments)
    except Exception:  # a reference may refuse numbers in any way
        return False
    return math.isclose(value, key, rel_tol=SAME)


def _fault(omission: Omission, share: float, answer: Answer) -> str:
    return (
        f"omitting {omission.what} gives the key within its tolerance of {_tolerance(answer)} in {share:.0%} of the "
        f"draws; tighten it, narrow the parameters, or write why it may be omitted: "
        f'answer.negligible: {{"{omission.lost}": ...}}'
    )


def _tolerance(answer: Answer) -> str:
    if answer.sig_figs is not None:
        return f"{answer.sig_figs} significant figures"
    if answer.abs_tol is not None:
        return f"{show_number(answer.abs_tol)} {unit(answer.unit).text}".strip()
    return f"{100 * (answer.rel_tol or 0.01):g} %"
