"""The range of a question's answers over all draws, which decides between the two readings of 39,375."""

from __future__ import annotations

import math

from shardwise.errors import ShardwiseError
from shardwise.kinds.quantity.model import Measured
from shardwise.kinds.quantity.slips.plan import other_draws
from shardwise.template import model as author
from shardwise.template.draw import Draw
from shardwise.units import from_base

MARGIN = 3  # factor, on either side: for draws that were not sampled, and for answers that are off by a factor of two


def usual_sizes(template: author.Template, answer: Measured, draw: Draw) -> tuple[float, float] | None:
    """Return the smallest and the largest size of an answer, in the required unit; None if no draw has one.

    They are the same for every draw of a template and have one digit, so they reveal little about a draw's key.
    """
    kept = draw.references.memo.setdefault(
        ("sizes", id(answer)), [answer]
    )  # the answer is kept, so that its id stays valid
    if len(kept) == 1:
        sizes = [size for other in other_draws(template, draw) if (size := _size(answer, other))]
        kept.append((_rounded(min(sizes) / MARGIN), _rounded(max(sizes) * MARGIN)) if sizes else None)
    usual: tuple[float, float] | None = kept[1]
    return usual


def example_number(usual: tuple[float, float] | None, *, is_whole: bool, beyond: float = 1) -> float:
    """Return a number for an example of an answer, this many times larger than the usual sizes.

    >>> example_number((0.3, 300), is_whole=True), example_number((30, 300), is_whole=False)
    (700, 2.5)
    """
    number: float = 7 if is_whole else 2.5
    if usual and usual[0] / beyond <= number <= usual[1] * beyond:
        number *= 10 ** math.ceil(math.log10(usual[1] * beyond / number) + 1e-9)
    return number


def _rounded(size: float) -> float:
    return float(f"{size:.0e}")


def _size(answer: Measured, draw: Draw) -> float:
    """Return the size of a draw's answer; 0 if it has none."""
    try:
        key = draw.references.key(answer.reference, draw.values, answer.arguments)
    except (ShardwiseError, ValueError, ArithmeticError):  # the reference refuses these numbers
        return 0.0
    size = abs(from_base(key, answer.unit, answer.direction or "none"))
    return size if math.isfinite(size) else 0.0
