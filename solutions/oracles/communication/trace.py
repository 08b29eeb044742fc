"""A trace, scanned from edge to edge of its kernels."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction


def exposed_communication(*, compute: Sequence[Sequence[float]], communication: Sequence[Sequence[float]]) -> float:
    """Look at every stretch between two edges: does a kernel communicate in its middle, and does none compute?"""
    exact = [[(Fraction(s), Fraction(s) + Fraction(d)) for s, d in kernels] for kernels in (compute, communication)]
    edges = sorted({edge for spans in exact for span in spans for edge in span})
    exposed = Fraction(0)
    for start, end in itertools.pairwise(edges):
        middle = (start + end) / 2
        computes, communicates = (any(s < middle < e for s, e in spans) for spans in exact)
        exposed += (end - start) if communicates and not computes else 0
    return float(exposed)
