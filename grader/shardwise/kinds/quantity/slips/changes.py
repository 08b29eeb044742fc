"""Changes: what can go wrong in one operation of an expression, and the words for it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping

from shardwise.kinds.quantity.slips.arguments import Known
from shardwise.kinds.quantity.slips.expressions import FUNCTIONS, ONE, TracedNode, node, number, traced_nodes
from shardwise.kinds.quantity.slips.phrases import (
    formula,
    is_short,
    names,
    part_in_words,
    ratio_in_words,
    term_in_words,
)
from shardwise.kinds.quantity.slips.words import pronoun

# Numbers that convert units or prefixes. `general` finds their omission in every question, and names the units.
OF_UNITS = frozenset((8, 24, 60, 100, 365, 1000, 1024, 3600, 86_400, 10**6, 10**9, 10**12, 2**20, 2**30))

# What becomes of the operation, what the student did (the sentence after “You”), and whether that is likely.
Change = tuple[TracedNode, str, bool]


def changes(here: TracedNode, known: Known) -> Iterator[Change]:
    """Yield everything that can go wrong in one operation."""
    slips = _SLIPS.get(here.operation)
    if slips is not None:
        yield from slips(here, known)


def _plus(here: TracedNode, known: Known) -> Iterator[Change]:
    for kept, lost in (here.parts, here.parts[::-1]):
        if is_short(lost):
            lacks = "did not add" if lost.is_number else "omitted"
            yield kept, f"{lacks} {term_in_words(lost, known)}", False
    yield from _shared_out(here, known)


def _shared_out(here: TracedNode, known: Known) -> Iterator[Change]:
    """Yield sums in which a term is multiplied or divided by a count that belongs to another term only."""
    leaves = [leaf for leaf in traced_nodes(here) if leaf.operation == "argument"]
    for place, part in enumerate(here.parts):
        if part.operation in ("plus", "minus", "number"):
            continue
        inside = set(names(part))
        for leaf in leaves:
            name = leaf.name
            if known[name].shares and name not in inside:
                for operation, said in (("over", "divided"), ("times", "multiplied")):
                    parts = [*here.parts]
                    parts[place] = node(operation, part, leaf)
                    how = f"also {said} {term_in_words(part, known)} by {known[name].says}"
                    yield node(here.operation, *parts), how, False


def _minus(here: TracedNode, known: Known) -> Iterator[Change]:
    first, last = here.parts
    if last.is_number and last.value == 1:
        if first.operation == "argument":
            less, more = (f"`{formula(node(sign, first, ONE), known)}`" for sign in ("minus", "plus"))
            kept, raised = f"used {part_in_words(first, known)} instead of {less}", f"used {more} instead of {less}"
        else:
            is_ratio = first.operation == "over"
            part = ratio_in_words(first.parts[0], first.parts[1], known) if is_ratio else part_in_words(first, known)
            kept, raised = f"did not subtract 1 from {part}", f"added 1 to {part} instead of subtracting it"
        yield first, kept, True
        yield node("plus", first, ONE), raised, False
        return
    yield first, f"did not subtract {term_in_words(last, known)}", False
    yield node("plus", first, last), _added(term_in_words(last, known)), False
    yield (
        last,
        f"omitted {term_in_words(first, known)}, and kept only the term subtracted from {pronoun(term_in_words(first, known))}",
        False,
    )


def _added(term: str) -> str:
    return f"added {term} instead of subtracting {pronoun(term)}"


def _times(here: TracedNode, known: Known) -> Iterator[Change]:
    for kept, lost in (here.parts, here.parts[::-1]):
        if (name := _only_argument(lost)) is not None:
            yield kept, f"did not multiply by {known[name].says}", False
        elif lost.is_number and lost.value not in OF_UNITS:
            yield kept, f"omitted a factor of {part_in_words(lost, known)}", False
            if lost.value == 2:
                yield node("over", kept, lost), "divided by 2 instead of multiplying by it", False
        elif lost.operation not in ("times", "over", "number") and is_short(lost):
            yield kept, f"did not multiply by {part_in_words(lost, known)}", False
            if lost.operation == "argument":
                yield (
                    node("over", kept, lost),
                    f"divided by {(said := known[lost.name].says)} instead of multiplying by {pronoun(said)}",
                    False,
                )


def _over(here: TracedNode, known: Known) -> Iterator[Change]:
    above, below = here.parts
    if not (below.is_number and below.value in OF_UNITS) and is_short(below):
        said = part_in_words(below, known)
        yield above, f"did not divide by {said}", False
        if below.operation == "argument" and _may_divide(below, known):
            yield node("times", above, below), f"multiplied by {said} instead of dividing by {pronoun(said)}", False
    if not below.is_number:
        yield node("over", below, above), "inverted a fraction. Which of the two numbers is the numerator?", False


def _rounded(here: TracedNode, known: Known) -> Iterator[Change]:
    right = _ROUNDED[here.operation]
    for other, way in _ROUNDED.items():
        if other not in (here.operation, "round"):
            yield node(other, here.parts[0]), f"rounded {way} instead of {right}", False
    yield here.parts[0], "did not round", False


def _function(here: TracedNode, known: Known) -> Iterator[Change]:
    inside = here.parts[0]
    name = _CALLED.get(here.operation, "the logarithm")
    yield inside, f"omitted {name}", False
    angles = {known[leaf.name].dimension for leaf in traced_nodes(inside) if leaf.operation == "argument"}
    if "[angle]" in angles and (other := {"sin": "cos", "cos": "sin", "tan": "sin"}.get(here.operation)):
        yield node(other, inside), f"used {_CALLED[other]} instead of {name}", False
        in_degrees = node("times", inside, number(180 / math.pi))
        yield node(here.operation, in_degrees), "typed degrees into a calculator that was set to radians", False
    if here.operation == "sqrt":
        yield (
            node("times", inside, inside),
            f"squared {part_in_words(inside, known)} instead of taking its square root",
            False,
        )
    if here.operation == "log2":
        yield node("log", inside), "used the natural logarithm instead of the base-2 logarithm", False
        yield node("log10", inside), "used the base-10 logarithm instead of the base-2 logarithm", False


def _power(here: TracedNode, known: Known) -> Iterator[Change]:
    base, exponent = here.parts
    yield base, f"did not raise {part_in_words(base, known)} to a power", False
    if exponent.is_number and exponent.value == 2:
        yield node("times", base, exponent), f"doubled {part_in_words(base, known)} instead of squaring it", False
        yield node("sqrt", base), f"took the square root of {part_in_words(base, known)} instead of squaring it", False


def _only_argument(here: TracedNode) -> str | None:
    """Return the only argument of a factor whose other numbers convert units, as days in days * 24."""
    leaves = [leaf for leaf in traced_nodes(here) if not leaf.parts]
    names = [leaf.name for leaf in leaves if not leaf.is_number]
    is_scaled = here.operation in ("times", "over") and all(leaf.value in OF_UNITS for leaf in leaves if leaf.is_number)
    return names[0] if is_scaled and len(names) == 1 else None


def _may_divide(here: TracedNode, known: Known) -> bool:
    """Return whether a student may multiply by an argument instead of dividing by it."""
    return known[here.name].dimension == "dimensionless" and not here.name.startswith("bytes_per_")


_CALLED = {"sqrt": "the square root", "exp": "the exponential", "sin": "the sine", "cos": "the cosine", "tan": "the tangent",
           "asin": "the inverse sine", "acos": "the inverse cosine", "atan": "the inverse tangent", "sinh": "the hyperbolic sine",
           "cosh": "the hyperbolic cosine", "tanh": "the hyperbolic tangent"}  # fmt: skip
_ROUNDED = {"floor": "down", "ceil": "up", "round": "to the nearest"}
_SLIPS: Mapping[str, Callable[[TracedNode, Known], Iterator[Change]]] = {
    "plus": _plus, "minus": _minus, "times": _times, "over": _over, "ceil": _rounded, "floor": _rounded, "round": _rounded,
    "power": _power, **dict.fromkeys(FUNCTIONS, _function),
}  # fmt: skip
