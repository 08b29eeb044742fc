"""Profiler traces: how long a GPU only communicates, and how long it is idle."""

from __future__ import annotations

from collections.abc import Sequence

Kernels = Sequence[Sequence[float]]


def merged_spans(kernels: Kernels) -> list[tuple[float, float]]:
    """Return the spans in which at least one kernel runs, merged where they touch or overlap.

    Units:   each kernel is (start, duration), in seconds. Result in pairs of start and end.
    Raises:  ValueError for a negative start, or a duration that is not positive.
    Source:  facebookresearch/HolisticTraceAnalysis, communication computation overlap.

    >>> merged_spans([(5.0, 2.0), (0.0, 3.0), (2.0, 2.0)])
    [(0.0, 4.0), (5.0, 7.0)]
    """
    spans: list[tuple[float, float]] = []
    for start, duration in sorted((float(start), float(duration)) for start, duration in kernels):
        if start < 0 or duration <= 0:
            raise ValueError(f"a kernel starts at 0 or later and takes time, not ({start}, {duration})")
        if spans and start <= spans[-1][1]:
            spans[-1] = spans[-1][0], max(spans[-1][1], start + duration)
        else:
            spans.append((start, start + duration))
    return spans


def exposed_communication(*, compute: Kernels, communication: Kernels) -> float:
    """Return the time in which communication kernels run and no compute kernel does.

        exposed = |any kernel| - |compute|

    Units:   each kernel is (start, duration), in seconds; kernels of a kind may overlap. Result in seconds.
    Raises:  ValueError as merged_spans.
    Source:  facebookresearch/HolisticTraceAnalysis, communication computation overlap, solved for the exposed part.

    >>> exposed_communication(compute=[(0.0, 4.0), (6.0, 2.0)], communication=[(3.0, 2.0), (7.0, 3.0)])
    3.0
    """

    def length(kernels: Kernels) -> float:
        return sum(end - start for start, end in merged_spans(kernels))

    return length([*compute, *communication]) - length(compute)
