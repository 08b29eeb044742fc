"""Profiler traces, scanned from one start or end of a kernel to the next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import pairwise

Kernels = Sequence[Sequence[float]]


def _stretches(*kinds: Kernels) -> Iterator[tuple[Fraction, Fraction, list[bool]]]:
    """Yield the intervals between starts and ends of kernels, with the kinds of kernels that run in each."""
    exact = [[(Fraction(s), Fraction(s) + Fraction(d)) for s, d in kernels] for kernels in kinds]
    edges = sorted({edge for spans in exact for span in spans for edge in span})
    for start, end in pairwise(edges):
        middle = (start + end) / 2
        yield start, end, [any(s < middle < e for s, e in spans) for spans in exact]


def merged_spans(kernels: Kernels) -> list[tuple[float, float]]:
    """Join the intervals in which a kernel runs."""
    spans: list[tuple[float, float]] = []
    for start, end, (runs,) in _stretches(kernels):
        if runs and spans and spans[-1][1] == start:
            spans[-1] = spans[-1][0], float(end)
        elif runs:
            spans.append((float(start), float(end)))
    return spans


def exposed_communication(*, compute: Kernels, communication: Kernels) -> float:
    """Add up the intervals in which a kernel communicates and none computes."""
    exposed = Fraction(0)
    for start, end, (computes, communicates) in _stretches(compute, communication):
        exposed += (end - start) if communicates and not computes else 0
    return float(exposed)
