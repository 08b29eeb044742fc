"""Phrases: a part of an expression as it is called in a sentence, by the arguments that are in it."""

from __future__ import annotations

from shardwise.kinds.quantity.slips.arguments import UNSAID, Known
from shardwise.kinds.quantity.slips.expressions import TracedNode, traced_nodes
from shardwise.units import show_number

MOST_LEAVES = 4  # arguments and numbers of a part whose computation is told
MOST_NAMED = 3  # arguments of a part that is named by them
_CALLS = {"sqrt": "the square root of {}", "log": "the logarithm of {}", "log2": "the logarithm of {}", "log10": "the logarithm of {}",
          "exp": "the exponential of {}", "cos": "the cosine of {}", "ceil": "{} rounded up", "floor": "{} rounded down",
          "round": "{} rounded", "negative": "minus {}"}  # fmt: skip
_BETWEEN = {
    "plus": "plus",
    "minus": "minus",
    "times": "times",
    "over": "divided by",
    "power": "to the power of",
    "rest": "modulo",
}


def names(here: TracedNode) -> list[str]:
    """Return the arguments in a part, each once."""
    return list(dict.fromkeys(leaf.name for leaf in reversed(traced_nodes(here)) if leaf.operation == "argument"))


def is_short(here: TracedNode) -> bool:
    """Return whether a part can be named in a few words."""
    return len(names(here)) <= MOST_NAMED


def term_in_words(here: TracedNode, known: Known) -> str:
    """Return a term in words; one of many names by what is in it, so that the formula is not recited."""
    return _by_names(here, known) if len(names(here)) >= MOST_NAMED else part_in_words(here, known)


def part_in_words(here: TracedNode, known: Known) -> str:
    """Return a part in words: as it is computed, where that is short, or by what is in it.

    >>> from shardwise.kinds.quantity.slips.expressions import argument, node, number
    >>> part_in_words(node("times", number(2), node("minus", number(8), number(1))), {})
    '2 times (8 minus 1)'
    """
    if _size(here) <= MOST_LEAVES:
        return computed_in_words(here, known)
    return _by_names(here, known)


def _by_names(here: TracedNode, known: Known) -> str:
    says = [known[name].says for name in names(here)]
    if len(says) > MOST_NAMED:
        return "one of the terms"
    return f"the part with {' and '.join([', '.join(says[:-1]), says[-1]] if says[1:] else says)}" if says else UNSAID


def computed_in_words(here: TracedNode, known: Known) -> str:
    """Return how a part is computed, with brackets around sums in products."""
    if here.operation == "argument":
        return known[here.name].says
    if here.is_number:
        return show_number(here.value, 6) if _is_round(here.value) else UNSAID
    if here.operation in _CALLS:
        return _CALLS[here.operation].format(_inside(here.parts[0], known, here))
    return f" {_BETWEEN[here.operation]} ".join(_inside(part, known, here) for part in here.parts)


def _inside(part: TracedNode, known: Known, around: TracedNode) -> str:
    said = computed_in_words(part, known)
    is_apart = part.operation in ("plus", "minus") or (part.operation == "over" and part is not around.parts[0])
    return f"({said})" if is_apart and around.operation != "plus" else said


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


def factor_in_words(power: int, part: TracedNode, known: Known) -> str:
    """Return a factor that is omitted in words, or the division by it where its power is negative."""
    said = part_in_words(part, known)
    return f"the division by {said}" if power < 0 else f"the factor {said}" if part.is_number else said
