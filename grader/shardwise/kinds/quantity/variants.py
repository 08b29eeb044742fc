"""Variants: what a reference gives when one thing in it goes wrong, and how that is said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, product
from operator import is_

from shardwise.kinds.quantity.arguments import Known
from shardwise.kinds.quantity.changes import OF_UNITS, changes
from shardwise.kinds.quantity.expressions import ONE, Node, node, nodes, number
from shardwise.kinds.quantity.phrases import factor_in_words, is_short, part_in_words

CHAINED = ("times", "over")
RATE = "[information] / [time]"
MOST_FACTORS = 6  # of a product in which two are left out at once
FAR = 32  # times: two arguments further apart are not taken for each other
WIDTHS = (1, 2, 4, 8)  # bytes of a number


@dataclass(frozen=True)
class Variant:
    """A wrong expression, and what went wrong, to follow “that is what comes out”."""

    root: Node
    how: str
    is_likely: bool = False  # it is named before others


def variants(root: Node, known: Known) -> list[Variant]:
    """Every expression that is one slip away, likely ones first."""
    found = [
        Variant(_replaced(root, here, changed), how, is_likely)
        for here in reversed(nodes(root))
        for changed, how, is_likely in changes(here, known)
    ]
    found += _of_ratios(root, known)
    found += _everywhere(root, known)
    found += _pairs(root, known)
    return sorted(found, key=lambda variant: not variant.is_likely)


def _pairs(root: Node, known: Known) -> Iterator[Variant]:
    """Two factors of the result left out at once."""
    factors = list(factors_of(root, 1))
    if len(factors) > MOST_FACTORS:
        return
    for first, second in combinations(factors, 2):
        lost = [part for part in (first, second) if not (part[1].is_number and part[1].value in OF_UNITS)]
        if len(lost) == 2 and all(is_short(part) for _, part in lost):
            changed = root
            for power, part in lost:
                changed = node("over" if power > 0 else "times", changed, part)
            said = " and ".join(factor_in_words(power, part, known) for power, part in lost)
            yield Variant(changed, f"with {said} left out")


def _of_ratios(root: Node, known: Known) -> Iterator[Variant]:
    """Ratios to a wrong power, and N over N-1 for N-1 over N, wherever a product has both parts of one."""
    links = {id(part) for here in nodes(root) if here.operation in CHAINED for part in here.parts}
    for here in nodes(root):
        if here.operation not in CHAINED or id(here) in links:
            continue
        factors = list(factors_of(here, 1))
        for top, below in product(*([part for power, part in factors if power == sign] for sign in (1, -1))):
            ratio = node("over", top, below)
            said = f"{part_in_words(top, known)} over {part_in_words(below, known)}"
            if _is_one_off(top, below) or _is_ratio(top, below, known):
                turned = node("over", node("over", here, ratio), ratio)
                yield Variant(_replaced(root, here, turned), f"with {said} upside down")
            if _is_ratio(top, below, known):
                squared = node("times", here, ratio)
                yield Variant(_replaced(root, here, squared), f"with the square of {said}")
                yield Variant(_replaced(root, here, node("times", squared, ratio)), f"with the cube of {said}")
                rooted = node("over", here, node("sqrt", ratio))
                yield Variant(_replaced(root, here, rooted), f"with the square root of {said}")


def _is_one_off(first: Node, last: Node) -> bool:
    """Whether two factors are N and N-1 or N+1."""
    return any(
        one.operation in ("plus", "minus")
        and other.operation == "argument"
        and one.parts[0].name == other.name
        and one.parts[1].is_number
        and one.parts[1].value == 1
        for one, other in ((first, last), (last, first))
    )


def _is_ratio(first: Node, last: Node, known: Known) -> bool:
    """Whether two factors are arguments of one kind, so that their ratio means something."""
    if first.operation != "argument" or last.operation != "argument" or first.name == last.name:
        return False
    one, other = known[first.name], known[last.name]
    return (one.dimension, one.is_count) == (other.dimension, other.is_count)


def factors_of(here: Node, power: int) -> Iterator[tuple[int, Node]]:
    """What a result multiplies, with 1, and what it divides by, with -1."""
    if here.operation == "times":
        for part in here.parts:
            yield from factors_of(part, power)
    elif here.operation == "over":
        yield from factors_of(here.parts[0], power)
        yield from factors_of(here.parts[1], -power)
    else:
        yield power, here


def _everywhere(root: Node, known: Known) -> Iterator[Variant]:
    """Slips with an argument wherever it stands, and with the result."""
    leaves = {here.name: here for here in nodes(root) if here.operation == "argument"}
    for name, leaf in leaves.items():
        of = known[name]
        if of.shares:
            whose = "is it asked for one of them, or for all together?"
            yield Variant(node("times", root, leaf), f"with {of.says} as one factor too many: {whose}")
            yield Variant(node("over", root, leaf), f"with one division by {of.says} too many: {whose}")
        if of.is_count and of.value <= 1000:
            yield Variant(exchanged(root, {name: node("minus", leaf, ONE)}), f"with one less than {of.says}")
            yield Variant(exchanged(root, {name: node("plus", leaf, ONE)}), f"with one more than {of.says}")
        if of.dimension == RATE:
            yield from _of_rate(root, leaf, of.says)
        if of.is_share:
            yield Variant(exchanged(root, {name: node("minus", ONE, leaf)}), f"with what {of.says} leaves of the whole")
        if name.startswith("bytes_per_"):
            for width in WIDTHS:
                yield Variant(exchanged(root, {name: number(width)}), f"with {width} for {of.says}")
    for first, second in combinations(leaves, 2):
        if _are_alike(leaves[first], leaves[second], known):
            swapped = exchanged(root, {first: leaves[second], second: leaves[first]})
            yield Variant(swapped, f"with {known[first].says} and {known[second].says} swapped")


def _of_rate(root: Node, leaf: Node, says: str) -> Iterator[Variant]:
    """Slips with a bandwidth: the other direction counted or not, bits for bytes."""
    for factor, how in (
        (2, f"with {says} of both directions where one direction counts, or twice {says}"),
        (1 / 2, f"with half of {says}, as if it were of both directions together"),
        (8, f"with {says} 8 times too large: bits or bytes?"),
        (1 / 8, f"with {says} 8 times too small: bits or bytes?"),
    ):
        yield Variant(exchanged(root, {leaf.name: node("times", number(factor), leaf)}), how)


def _are_alike(first: Node, second: Node, known: Known) -> bool:
    """Whether two arguments may be taken for each other."""
    one, other = known[first.name], known[second.name]
    is_near = one.value and other.value and 1 / FAR < one.value / other.value < FAR
    return bool(is_near) and (one.dimension, one.is_count) == (other.dimension, other.is_count)


def _replaced(root: Node, old: Node, new: Node) -> Node:
    """An expression with another part in the place of one."""
    return rebuilt(root, {id(old): new})


def exchanged(root: Node, new: Mapping[str, Node]) -> Node:
    """An expression with other parts in the places of some arguments, by their names."""
    leaves = [here for here in nodes(root) if here.operation == "argument"]
    return rebuilt(root, {id(leaf): new[leaf.name] for leaf in leaves if leaf.name in new})


def rebuilt(root: Node, new: Mapping[int, Node]) -> Node:
    """An expression with other parts in the places of some, by their ids; what stays the same is shared."""
    made = dict(new)
    for here in nodes(root):
        if id(here) not in made:
            parts = tuple(made[id(part)] for part in here.parts)
            made[id(here)] = here if all(map(is_, parts, here.parts)) else node(here.operation, *parts)
    return made[id(root)]
