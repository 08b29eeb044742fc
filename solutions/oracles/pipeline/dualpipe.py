"""DualPipe's schedule, as the eight phases of deepseek-ai/DualPipe (dualpipe/dualpipe.py), and a clock that runs it.

The simulator of the problems has this schedule too, but its pairs run one pass after the other. Here a pair is one operation,
which can take less time than both passes, as Table 2 of DeepSeek-AI 2024, arXiv:2412.19437, counts it. solutions/ does not
import the simulator.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

Pass = tuple[int, int]  # direction of a micro-batch, and its number
Operation = tuple[str, tuple[Pass, ...]]
# Kinds: "F" forward, "B" backward, "I" input gradient, "W" weight gradient, "FB" a forward and a backward as a pair


def orders(stages: int, micro_batches: int) -> list[list[Operation]]:
    """List the operations of every GPU."""
    return [list(order(gpu, stages, micro_batches)) for gpu in range(stages)]


def order(gpu: int, stages: int, micro_batches: int) -> Iterator[Operation]:
    """Yield the operations of one GPU; side 0 is the direction whose first stage is nearer to it."""
    half, near = stages // 2, min(gpu, stages - 1 - gpu)
    turned = gpu >= half
    forwards, backwards, waiting = [0, 0], [0, 0], list[Pass]()

    def count(passes: list[int], side: int) -> Pass:
        way = side ^ turned
        passes[way] += 1
        return way, passes[way] - 1

    def forward(side: int) -> Operation:
        return "F", (count(forwards, side),)

    def backward(side: int) -> Operation:
        return "B", (count(backwards, side),)

    def split(side: int) -> Operation:
        waiting.append(count(backwards, side))
        return "I", (waiting[-1],)

    def pair(there: int, back: int) -> Operation:
        return "FB", (count(forwards, there), count(backwards, back))

    for _ in range(2 * (half - near - 1)):
        yield forward(0)
    for _ in range(near + 1):
        yield forward(0)
        yield forward(1)
    for _ in range(half - near - 1):
        yield split(1)
        yield "W", (waiting.pop(0),)
        yield forward(1)
    for turn in range(micro_batches // 2 - stages + near + 1):
        if turn == 0 and near == half - 1:  # the two middle GPUs wait for each other in the first pair
            yield forward(0)
            yield backward(1)
        else:
            yield pair(0, 1)
        yield pair(1, 0)
    for _ in range(half - near - 1):
        yield backward(1)
        yield pair(1, 0)
    for turn in range(near + 1):
        first, second = 2 * turn, 2 * turn + 1
        yield split(1) if first > near else backward(1)
        yield split(0) if second > near else backward(0)
    for _ in range(half - near - 1):
        yield "W", (waiting.pop(0),)
        yield split(0)
    for late in waiting:
        yield "W", (late,)


def most_held(line: Sequence[Operation]) -> int:
    """Return the most micro-batches that a GPU holds at a time, each from its forward pass to its weight gradient."""
    held = most = 0
    for kind, _ in line:
        held += kind in ("F", "FB")
        most = max(most, held)
        held -= kind in ("B", "W", "FB")
    return most


def run(lines: Sequence[Sequence[Operation]], times: Mapping[str, Fraction]) -> Fraction:
    """Start each operation as soon as its GPU is free and its inputs are there; return the end of the last."""
    stages = len(lines)
    clocks, turns = [Fraction(0)] * stages, [0] * stages
    forward: dict[tuple[Pass, int], Fraction] = {}
    backward: dict[tuple[Pass, int], Fraction] = {}
    while any(turn < len(line) for turn, line in zip(turns, lines, strict=True)):
        before = list(turns)
        for gpu, line in enumerate(lines):
            while turns[gpu] < len(line):
                kind, passes = line[turns[gpu]]
                there = (passes[0], _stage(passes[0], gpu, stages)) if kind in ("F", "FB") else None
                back = (passes[-1], _stage(passes[-1], gpu, stages)) if kind in ("B", "I", "FB") else None
                needs: list[Fraction | None] = []
                if there and there[1]:
                    needs.append(forward.get((there[0], there[1] - 1)))
                if back:
                    last = back[1] == stages - 1
                    needs.append(forward.get(back) if last else backward.get((back[0], back[1] + 1)))
                if None in needs:
                    break
                clocks[gpu] = max([clocks[gpu], *(need for need in needs if need is not None)]) + times[kind]
                if there:
                    forward[there] = clocks[gpu]
                if back:
                    backward[back] = clocks[gpu]
                turns[gpu] += 1
        if turns == before:
            raise RuntimeError("the GPUs wait for each other")
    return max(clocks)


def _stage(work: Pass, gpu: int, stages: int) -> int:
    return gpu if work[0] == 0 else stages - 1 - gpu
