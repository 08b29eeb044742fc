"""Changes: what can go wrong in one operation of an expression, and how that is reported."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from shardwise.kinds.quantity.slips.arguments import Known
from shardwise.kinds.quantity.slips.expressions import ONE, TracedNode, node, traced_nodes
from shardwise.kinds.quantity.slips.phrases import is_short, names, part_in_words, term_in_words
from shardwise.kinds.quantity.slips.words import pronoun

# Numbers that stand for a unit or a prefix: leaving them out is reported in those words, for every question.
OF_UNITS = frozenset((8, 24, 60, 100, 365, 1000, 1024, 3600, 86_400, 10**6, 10**9, 10**12, 2**20, 2**30))

Change = tuple[
    TracedNode, str, bool
]  # what becomes of the operation, what the student did (to follow “You”), and whether that is likely


def changes(here: TracedNode, known: Known) -> Iterator[Change]:
    """What can go wrong in one operation."""
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
    """A term that is multiplied or divided by a count that does not are in it."""
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
                    how = f"{said} {term_in_words(part, known)} by {known[name].says} too"
                    yield node(here.operation, *parts), how, False


def _minus(here: TracedNode, known: Known) -> Iterator[Change]:
    first, last = here.parts
    if last.is_number and last.value == 1:
        part = part_in_words(first, known)
        if first.operation == "argument":
            kept, raised = (
                f"used {part} instead of one less",
                f"used one more than {part} instead of one less",
            )
        else:
            of = _ratio_in_words(first, known) if first.operation == "over" else part
            kept = f"did not subtract 1 from {of}"
            raised = f"added 1 to {part} instead of subtracting it"
        yield first, kept, True
        yield node("plus", first, ONE), raised, False
        return
    yield first, f"did not subtract {term_in_words(last, known)}", False
    yield node("plus", first, last), _added(term_in_words(last, known)), False
    yield last, f"kept only the term to be subtracted from {term_in_words(first, known)}", False


def _added(term: str) -> str:
    return f"added {term} instead of subtracting {pronoun(term)}"


def _ratio_in_words(here: TracedNode, known: Known) -> str:
    above, below = here.parts
    return f"the ratio of {part_in_words(above, known)} to {part_in_words(below, known)}"


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
        yield node("over", below, above), "inverted a fraction: which of the two belongs on top?", False


def _rounded(here: TracedNode, known: Known) -> Iterator[Change]:
    right = _ROUNDED[here.operation]
    for other, way in _ROUNDED.items():
        if other not in (here.operation, "round"):
            yield node(other, here.parts[0]), f"rounded {way} instead of {right}", False
    yield here.parts[0], "did not round", False


def _function(here: TracedNode, known: Known) -> Iterator[Change]:
    inside = here.parts[0]
    name = {"sqrt": "the square root", "exp": "the exponential", "cos": "the cosine"}.get(
        here.operation, "the logarithm"
    )
    yield inside, f"omitted {name}", False
    if here.operation == "sqrt":
        yield (
            node("times", inside, inside),
            f"squared {part_in_words(inside, known)} instead of taking its root",
            False,
        )
    if here.operation == "log2":
        yield node("log", inside), "used the natural logarithm instead of the one to base 2", False
        yield node("log10", inside), "used the logarithm to base 10 instead of the one to base 2", False


def _power(here: TracedNode, known: Known) -> Iterator[Change]:
    base, exponent = here.parts
    yield base, f"did not raise {part_in_words(base, known)} to a power", False
    if exponent.is_number and exponent.value == 2:
        yield node("times", base, exponent), f"doubled {part_in_words(base, known)} instead of squaring it", False
        yield node("sqrt", base), f"took the root of {part_in_words(base, known)} instead of its square", False


def _only_argument(here: TracedNode) -> str | None:
    """The one argument in a factor that is otherwise made of units alone, as days in days * 24."""
    leaves = [leaf for leaf in traced_nodes(here) if not leaf.parts]
    names = [leaf.name for leaf in leaves if not leaf.is_number]
    is_scaled = here.operation in ("times", "over") and all(leaf.value in OF_UNITS for leaf in leaves if leaf.is_number)
    return names[0] if is_scaled and len(names) == 1 else None


def _may_divide(here: TracedNode, known: Known) -> bool:
    """Whether a product with it and a division by it may be taken for each other."""
    return known[here.name].dimension == "dimensionless" and not here.name.startswith("bytes_per_")


_ROUNDED = {"floor": "down", "ceil": "up", "round": "to the nearest"}
_SLIPS: Mapping[str, Callable[[TracedNode, Known], Iterator[Change]]] = {
    "plus": _plus, "minus": _minus, "times": _times, "over": _over, "ceil": _rounded, "floor": _rounded, "round": _rounded,
    "sqrt": _function, "exp": _function, "cos": _function, "log": _function, "log2": _function, "log10": _function,
    "power": _power,
}  # fmt: skip
