"""Phrases: parts of an expression as a sentence names them, in words if they are arguments and as formulas otherwise."""

from __future__ import annotations

from shardwise.kinds.quantity.slips.arguments import UNSAID, Known
from shardwise.kinds.quantity.slips.expressions import TracedNode, traced_nodes
from shardwise.units import show_number

MOST_LEAVES = 4  # arguments and numbers of a part that is written as a formula
MOST_NAMED = 3  # arguments of a part that is described by its arguments
_SIGNS = {"plus": "+", "minus": "−", "times": "×", "over": "/", "rest": "mod"}
_STRENGTH = {"plus": 1, "minus": 1, "times": 2, "over": 2, "rest": 2, "negative": 2, "power": 3}


def names(here: TracedNode) -> list[str]:
    """Return the arguments in a part, each once."""
    return list(dict.fromkeys(leaf.name for leaf in reversed(traced_nodes(here)) if leaf.operation == "argument"))


def is_short(here: TracedNode) -> bool:
    """Return whether a part has few enough arguments to be named."""
    return len(names(here)) <= MOST_NAMED


def term_in_words(here: TracedNode, known: Known) -> str:
    """Return a term in words. A long one is described by its arguments, so that feedback does not recite the formula."""
    if len(names(here)) >= MOST_NAMED or _size(here) > MOST_LEAVES:
        return _by_names("term", here, known)
    said = part_in_words(here, known)
    return said if said.startswith("the ") or here.is_number else f"the term {said}"


def part_in_words(here: TracedNode, known: Known) -> str:
    """Return a part in words: an argument by its name, a short formula as such, and a long one by its arguments.

    >>> from shardwise.kinds.quantity.slips.expressions import argument, node, number
    >>> part_in_words(node("times", number(2), node("minus", number(8), number(1))), {})
    '`2 × (8 − 1)`'
    """
    if not here.parts:
        return _leaf(here, known)
    if _size(here) > MOST_LEAVES:
        return _by_names("expression", here, known)
    return f"`{formula(here, known)}`"


def ratio_in_words(above: TracedNode, below: TracedNode, known: Known) -> str:
    """Return a ratio in words, without its parts if they are too long to be named."""
    if not (is_short(above) and is_short(below)):
        return "a ratio"
    return f"the ratio of {part_in_words(above, known)} to {part_in_words(below, known)}"


def _by_names(what: str, here: TracedNode, known: Known) -> str:
    says = [known[name].says for name in names(here)]
    if len(says) > MOST_NAMED:
        return "one of the terms"
    said = f"{', '.join(says[:-1])} and {says[-1]}" if says[1:] else "".join(says)
    return f"the {what} that contains {said}" if says else UNSAID


def formula(here: TracedNode, known: Known, *, least: int = 0) -> str:
    """Return a part as a formula, in brackets if its operation binds less strongly than `least`."""
    if not here.parts:
        return _leaf(here, known).removeprefix("the ")
    operation, strength = here.operation, _STRENGTH.get(here.operation)
    if strength is None:
        return f"{operation}({formula(here.parts[0], known)})"
    if operation == "negative":
        text = f"−{formula(here.parts[0], known, least=strength)}"
    else:
        first, last = here.parts
        if operation == "power":
            base = formula(first, known, least=strength + 1)
            if base.startswith("{") and known[first.name].dimension != "dimensionless":
                base = f"({base})"  # a number with a unit
            text = f"{base}^{formula(last, known, least=strength + 1)}"
        else:
            after = strength + (
                operation in ("minus", "over", "rest")
            )  # a − (b + c) needs brackets, and a + (b − c) none
            text = f"{formula(first, known, least=strength)} {_SIGNS[operation]} {formula(last, known, least=after)}"
    return f"({text})" if strength < least else text


def _leaf(here: TracedNode, known: Known) -> str:
    if here.operation == "argument":
        return known[here.name].says
    return show_number(here.value, 6) if _is_round(here.value) else UNSAID


def nesting(here: TracedNode) -> int:
    """Return how many sums and divisors are inside other operations of a part: the more, the harder it is to read."""
    return sum(
        part.operation in ("plus", "minus") or (part.operation == "over" and part is not around.parts[0])
        for around in _occurrences(here)
        if around.operation != "plus"
        for part in around.parts
    )


def _occurrences(here: TracedNode) -> list[TracedNode]:
    """Return every operation of a part as often as it occurs."""
    return [here, *(inside for part in here.parts for inside in _occurrences(part))] if here.parts else []


def _size(here: TracedNode) -> int:
    """Return the number of arguments and constants in a part, counting repetitions."""
    sizes: dict[int, int] = {}
    for part in traced_nodes(here):
        sizes[id(part)] = sum(sizes[id(inside)] for inside in part.parts) or 1
    return sizes[id(here)]


def _is_round(value: float) -> bool:
    """Return whether a constant of a reference is a familiar number rather than a computed one."""
    return len(f"{abs(value):.10g}") <= 3 or (
        float(value).is_integer() and value in (1000, 1024, 3600, 86_400, 10**6, 10**9, 10**12, 2**20, 2**30)
    )
