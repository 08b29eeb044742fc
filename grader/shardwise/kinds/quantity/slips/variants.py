"""Variants: a reference with one thing gone wrong in it, and the words for what went wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, product
from operator import is_

from shardwise.kinds.quantity.slips.arguments import Known
from shardwise.kinds.quantity.slips.changes import OF_UNITS, changes
from shardwise.kinds.quantity.slips.expressions import ONE, TracedNode, node, number, traced_nodes
from shardwise.kinds.quantity.slips.phrases import (
    formula,
    is_short,
    names,
    part_in_words,
    ratio_in_words,
    term_in_words,
)

CHAINED = ("times", "over")
RATE = "[information] / [time]"
MOST_FACTORS = 6  # factors of the largest product in which two are omitted at once
FAR = 32  # arguments with a larger ratio are not confused
_WIDTH = re.compile(r"bytes_per_(?!s(_|$))")  # a width, not a rate
WIDTHS = (1, 2, 4, 8)  # bytes per number


@dataclass(frozen=True)
class WrongFormula:
    """A wrong expression, and what the student did: the sentence after “You”."""

    root: TracedNode
    how: str
    is_likely: bool = False  # likely slips are named first


def wrong_formulas(root: TracedNode, known: Known) -> list[WrongFormula]:
    """Return every expression that is one slip away, likely ones first."""
    found = list(_changed(root, known))
    found += _of_ratios(root, known)
    found += _everywhere(root, known)
    found += _whole_rings(root)
    found += _pairs(root, known)
    found += _twice_or_half(root, known)
    return sorted(found, key=lambda variant: not variant.is_likely)


def _changed(root: TracedNode, known: Known) -> Iterator[WrongFormula]:
    """Yield each change of each operation, applied to all equal parts and to one alone."""
    alike: dict[int, list[TracedNode]] = {}
    for here in traced_nodes(root):
        alike.setdefault(here.shape, []).append(here)
    for here in reversed(traced_nodes(root)):
        for changed, how, is_likely in changes(here, known):
            if len(same := alike[here.shape]) > 1:
                yield WrongFormula(rebuilt(root, {id(each): changed for each in same}), how)
            yield WrongFormula(_replaced(root, here, changed), how, is_likely)


def _twice_or_half(root: TracedNode, known: Known) -> Iterator[WrongFormula]:
    """Yield variants with a term doubled, or a term or an even number halved, as when one direction of two is forgotten."""
    for here in traced_nodes(root):
        for part in here.parts:
            if here.operation in ("plus", "minus") and part.operation not in ("plus", "argument") and names(part):
                said = term_in_words(part, known)
                for factor, times in ((number(2), "doubled"), (number(0.5), "halved")):
                    again = node("times", factor, part)
                    yield WrongFormula(_replaced(root, part, again), f"{times} {said}. Does it count once or twice?")
            elif here.operation == "times" and part.is_number and part.value in (4, 6, 8, 12):
                half = node("times", *(number(part.value / 2) if each is part else each for each in here.parts))
                yield WrongFormula(_replaced(root, here, half), "omitted a factor of 2")


def _pairs(root: TracedNode, known: Known) -> Iterator[WrongFormula]:
    """Yield the result without two of its factors or divisors."""
    factors = list(factors_of(root, 1))
    if len(factors) > MOST_FACTORS:
        return
    for first, second in combinations(factors, 2):
        lost = [part for part in (first, second) if not (part[1].is_number and part[1].value in OF_UNITS)]
        if len(lost) == 2 and all(is_short(part) for _, part in lost):
            changed = root
            for power, part in lost:
                changed = node("over" if power > 0 else "times", changed, part)
            yield WrongFormula(changed, f"did not {_two_omitted(lost, known)}")


def _two_omitted(lost: list[tuple[int, TracedNode]], known: Known) -> str:
    """Return what a student should have done with two factors or divisors, each with its power."""
    verbs = ["multiply by" if power > 0 else "divide by" for power, _ in lost]
    first, second = (part_in_words(part, known) for _, part in lost)
    return f"{verbs[0]} {first} or {second if verbs[0] == verbs[1] else f'{verbs[1]} {second}'}"


def _of_ratios(root: TracedNode, known: Known) -> Iterator[WrongFormula]:
    """Yield ratios inverted or to a wrong power, in every product that has both parts of one."""
    for here, tops, belows in fractions(root):
        for top, below in product(tops, belows):
            ratio = node("over", top, below)
            said = ratio_in_words(top, below, known)
            if _is_one_off(top, below) or _is_ratio(top, below, known):
                turned = node("over", node("over", here, ratio), ratio)
                yield WrongFormula(_replaced(root, here, turned), f"inverted {said}")
            if _is_ratio(top, below, known):
                squared = node("times", here, ratio)
                yield WrongFormula(_replaced(root, here, squared), f"squared {said}")
                yield WrongFormula(_replaced(root, here, node("times", squared, ratio)), f"cubed {said}")
                rooted = node("over", here, node("sqrt", ratio))
                yield WrongFormula(_replaced(root, here, rooted), f"took the square root of {said}")


def _whole_rings(root: TracedNode) -> Iterator[WrongFormula]:
    """Yield the expression without any 2 (N-1)/N of a ring, so that each GPU sends the whole message once."""
    new = {}
    for here, tops, belows in fractions(root):
        rings = [
            (top, count) for top in tops for count in belows if top.operation == "minus" and _is_one_off(top, count)
        ]
        if rings and any(part.is_number and part.value % 2 == 0 for part in tops):
            top, count = rings[0]
            new[id(here)] = node("over", node("over", node("times", here, count), top), number(2))
    if new:
        yield WrongFormula(
            rebuilt(root, new),
            "assumed that each GPU sends the whole message once. How much does it send in the two phases of a ring?",
        )


def _is_one_off(first: TracedNode, last: TracedNode) -> bool:
    """Return whether two factors are N and N-1 or N+1."""
    return any(
        each.operation in ("plus", "minus")
        and each.parts[0].shape == other.shape
        and each.parts[1].is_number
        and each.parts[1].value == 1
        for each, other in ((first, last), (last, first))
    )


def _is_ratio(first: TracedNode, last: TracedNode, known: Known) -> bool:
    """Return whether two factors are arguments of the same kind, so that their ratio means something."""
    if first.operation != "argument" or last.operation != "argument" or first.name == last.name:
        return False
    each, other = known[first.name], known[last.name]
    return (each.dimension, each.is_count) == (other.dimension, other.is_count)


def fractions(root: TracedNode) -> Iterator[tuple[TracedNode, list[TracedNode], list[TracedNode]]]:
    """Yield each maximal product or quotient in an expression, with its numerators and its denominators."""
    links = {id(part) for here in traced_nodes(root) if here.operation in CHAINED for part in here.parts}
    for here in traced_nodes(root):
        if here.operation in CHAINED and id(here) not in links:
            factors = list(factors_of(here, 1))
            tops, belows = ([part for power, part in factors if power == sign] for sign in (1, -1))
            yield here, tops, belows


def factors_of(here: TracedNode, power: int) -> Iterator[tuple[int, TracedNode]]:
    """Yield the numerators of a result, each with 1, and its denominators, each with -1."""
    if here.operation == "times":
        for part in here.parts:
            yield from factors_of(part, power)
    elif here.operation == "over":
        yield from factors_of(here.parts[0], power)
        yield from factors_of(here.parts[1], -power)
    else:
        yield power, here


def _everywhere(root: TracedNode, known: Known) -> Iterator[WrongFormula]:
    """Yield slips with an argument in every place, and with the result."""
    leaves = {here.name: here for here in traced_nodes(root) if here.operation == "argument"}
    for name, leaf in leaves.items():
        of = known[name]
        if of.shares:
            whose = "Does the question ask for one share or for the total?"
            yield WrongFormula(node("times", root, leaf), f"multiplied by {of.says} once too often. {whose}")
            yield WrongFormula(node("over", root, leaf), f"divided by {of.says} once too often. {whose}")
        if of.is_count and of.value <= 1000:
            for sign in ("minus", "plus"):
                off = node(sign, leaf, ONE)
                yield WrongFormula(exchanged(root, {name: off}), f"used `{formula(off, known)}` instead of {of.says}")
        if of.dimension == RATE:
            yield from _of_rate(root, leaf, of.says)
        if of.is_share:
            rest = node("minus", ONE, leaf)
            yield WrongFormula(exchanged(root, {name: rest}), f"used `{formula(rest, known)}` instead of {of.says}")
        if _WIDTH.match(name):
            for width in WIDTHS:
                yield WrongFormula(exchanged(root, {name: number(width)}), f"assumed {_bytes(width, of.says)}")
    for first, second in combinations(leaves, 2):
        if _are_alike(leaves[first], leaves[second], known):
            swapped = exchanged(root, {first: leaves[second], second: leaves[first]})
            yield WrongFormula(swapped, f"swapped {known[first].says} and {known[second].says}")


def _bytes(width: int, says: str) -> str:
    """Return a width such as "2 bytes per weight"."""
    return f"1 byte {says.removeprefix('the bytes ')}" if width == 1 else f"{width} {says.removeprefix('the ')}"


def _of_rate(root: TracedNode, leaf: TracedNode, says: str) -> Iterator[WrongFormula]:
    """Yield slips with a bandwidth: one direction counted for two or two for one, bits for bytes."""
    for factor, how in (
        (2, f"doubled {says}. Does one direction count, or both?"),
        (1 / 2, f"halved {says}. Is it already per direction?"),
        (8, f"multiplied {says} by 8. Is it in bits or bytes?"),
        (1 / 8, f"divided {says} by 8. Is it in bits or bytes?"),
    ):
        yield WrongFormula(exchanged(root, {leaf.name: node("times", number(factor), leaf)}), how)


def _are_alike(first: TracedNode, second: TracedNode, known: Known) -> bool:
    """Return whether a student may confuse two arguments."""
    each, other = known[first.name], known[second.name]
    is_near = each.value and other.value and 1 / FAR < each.value / other.value < FAR
    return bool(is_near) and (each.dimension, each.is_count) == (other.dimension, other.is_count)


def _replaced(root: TracedNode, old: TracedNode, new: TracedNode) -> TracedNode:
    """Return an expression with one part replaced."""
    return rebuilt(root, {id(old): new})


def exchanged(root: TracedNode, new: Mapping[str, TracedNode]) -> TracedNode:
    """Return an expression with some arguments replaced, by their names."""
    leaves = [here for here in traced_nodes(root) if here.operation == "argument"]
    return rebuilt(root, {id(leaf): new[leaf.name] for leaf in leaves if leaf.name in new})


def rebuilt(root: TracedNode, new: Mapping[int, TracedNode]) -> TracedNode:
    """Return an expression with some parts replaced, by their ids; unchanged parts are shared."""
    made = dict(new)
    for here in traced_nodes(root):
        if id(here) not in made:
            parts = tuple(made[id(part)] for part in here.parts)
            made[id(here)] = here if all(map(is_, parts, here.parts)) else node(here.operation, *parts)
    return made[id(root)]
