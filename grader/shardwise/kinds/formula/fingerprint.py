"""Fingerprints: the exact value of a formula at random points modulo a prime, and the bounds on its numbers.

A formula is a rational function of its symbols and of its calls, such as log2(N). Each symbol, and each call of the
same function with equal arguments, gets a number drawn from its name, and the formula is evaluated with these modulo
PRIME. Multiplying out could take for ever; this takes one step per operation.

Equal rational functions have equal fingerprints. Different ones share one with a probability of degree / PRIME, below
1e-14, in each of two draws; only coefficients made to measure, such as PRIME + 2 for 2, do so by design.
"""

from __future__ import annotations

import hashlib
import math
from dataclasses import dataclass
from functools import lru_cache

from shardwise.kinds.formula.tree import ARITHMETIC, LARGEST_EXPONENT, Node, bare, refused
from shardwise.kinds.formula.values import value_at

PRIME = 2**61 - 1
HEAVIEST = 4096  # bits of numbers and exponents of symbols, taken together
_HALF = (PRIME + 1) // 2

Fingerprint = tuple[int, ...]  # the value modulo PRIME in each of two draws

_MODULO = {**ARITHMETIC, "over": lambda above, below: above * pow(below, -1, PRIME)}


def fingerprint(tree: Node, text: str) -> Fingerprint:
    """Return the fingerprint of a formula. Raises FormulaError if its numbers get too large, or if it divides by zero."""
    return _exact(tree, text).residues


@dataclass(frozen=True)
class _Exact:
    """A part of a formula modulo PRIME, and its weight: a bound on the bits of any number that arithmetic needs."""

    residues: Fingerprint
    weight: int


def _exact(node: Node, text: str) -> _Exact:
    node = bare(node)
    if node.kind == "number":
        above, below = node.value.numerator, node.value.denominator
        residue = above * pow(below, -1, PRIME) % PRIME
        return _Exact((residue, residue), above.bit_length() + below.bit_length())
    if node.kind == "symbol":
        return _Exact(_drawn(node.name), 1)
    parts = [_exact(part, text) for part in node.parts]
    whole = None
    weight = 1 + sum(part.weight for part in parts)
    if node.kind == "power":
        whole = _whole(parts[1].residues)
        _check_power(node.parts[1], parts[1].residues, zero=0 in parts[0].residues, text=text)
        if whole is not None:
            weight = parts[0].weight * max(1, abs(whole)) + 1
    if weight > HEAVIEST:
        raise refused(text, "its numbers get too large", "Nothing here needs powers like that. Write smaller ones.")
    if node.kind == "over" and 0 in parts[1].residues:
        raise refused(text, "it divides by zero", "Check the denominator.")
    return _Exact(_combined(node, [part.residues for part in parts], whole), weight)


def _whole(residues: Fingerprint) -> int | None:
    """Return the small whole number that a formula equals for all values of its symbols; None if it is not one."""
    value = residues[0] if residues[0] <= PRIME // 2 else residues[0] - PRIME
    return value if residues[0] == residues[1] and abs(value) <= HEAVIEST else None


def _check_power(exponent: Node, residues: Fingerprint, *, zero: bool, text: str) -> None:
    """Raise FormulaError if a constant exponent is large, or negative with a base of zero."""
    value = value_at(exponent, {}) if residues[0] == residues[1] else math.nan
    if math.isnan(value):  # its symbols may cancel, as in M-M+2
        value = _whole(residues) or 0
    if abs(value) > LARGEST_EXPONENT:
        advice = f"I read constant powers up to {LARGEST_EXPONENT}. Write a smaller one."
        raise refused(text, "I saw too large a power", advice)
    if zero and value < 0:
        raise refused(text, "it divides by zero", "Check the base of the power.")


def _combined(node: Node, parts: list[Fingerprint], whole: int | None) -> Fingerprint:
    if node.kind in _MODULO:
        return tuple(_MODULO[node.kind](*residues) % PRIME for residues in zip(*parts, strict=True))
    if whole is not None:
        return tuple(pow(residue, whole, PRIME) for residue in parts[0])
    if node.kind == "power" and parts[1] == (_HALF, _HALF):
        return _drawn("sqrt", parts[0])
    if node.name in ("min", "max"):
        parts = sorted(parts)
    return _drawn(node.name or "pow", *parts)


@lru_cache(maxsize=1024)
def _drawn(name: str, *parts: Fingerprint) -> Fingerprint:
    """Return a number for each draw, the same in every process for a symbol, or for a function and its arguments."""
    return tuple(
        int.from_bytes(hashlib.sha256(repr((draw, name, parts)).encode()).digest()) % PRIME for draw in range(2)
    )
