"""Named schedules: one micro-batch after another, GPipe, 1F1B and its variants, ZB-H1, ZB-H2, and a greedy schedule."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil

from shardwise.errors import ShardwiseError
from shardwise_bank.pipelines.paired import dualpipe, dualpipev
from shardwise_bank.pipelines.pipeline import BACKWARD, FORWARD, WEIGHT, Operation, Pipeline, Place, Schedule


def _with_weights(pipeline: Pipeline, line: Sequence[Operation]) -> tuple[Operation, ...]:
    """Insert each W right after its B, as in an unsplit backward pass; return the line unchanged when nothing is split."""
    if not pipeline.weight:
        return tuple(line)
    return tuple(
        part
        for operation in line
        for part in (operation, *([operation._replace(letter=WEIGHT)] if operation.letter == BACKWARD else []))
    )


def _visits(pipeline: Pipeline) -> tuple[list[Operation], list[Operation]]:
    """Return the forwards and backwards of a stage in the order of interleaving: groups of `stages` micro-batches."""
    size = pipeline.stages if pipeline.chunks > 1 else pipeline.micro_batches
    total = pipeline.micro_batches
    turns = [
        (chunk, micro_batch)
        for first in range(1, total + 1, size)
        for chunk in range(1, pipeline.chunks + 1)
        for micro_batch in range(first, min(first + size, total + 1))
    ]
    forwards = [Operation(FORWARD, micro_batch, chunk) for chunk, micro_batch in turns]
    backwards = [Operation(BACKWARD, micro_batch, pipeline.chunks + 1 - chunk) for chunk, micro_batch in turns]
    return forwards, backwards


def _alternating(forwards: Sequence[Operation], backwards: Sequence[Operation], ahead: int) -> list[Operation]:
    """Return `ahead` forwards, then a backward and a forward in turn, then the remaining backwards."""
    ahead = min(ahead, len(forwards))
    line = list(forwards[:ahead])
    for place, backward in enumerate(backwards):
        line.append(backward)
        line += forwards[ahead + place : ahead + place + 1]
    return line


def serial(pipeline: Pipeline) -> Schedule:
    """Run one micro-batch after another: the next forward starts when the previous micro-batch is done."""
    line = []
    for micro_batch in range(1, pipeline.micro_batches + 1):
        chunks = [chunk for chunk in range(1, pipeline.chunks + 1) if micro_batch in pipeline.batches(chunk)]
        line += [Operation(FORWARD, micro_batch, chunk) for chunk in chunks]
        line += [Operation(BACKWARD, micro_batch, chunk) for chunk in reversed(chunks)]
    return (_with_weights(pipeline, line),) * pipeline.stages


def gpipe(pipeline: Pipeline) -> Schedule:
    """Run all forwards, then all backwards (Huang et al. 2019, arXiv:1811.06965, section 2.3)."""
    forwards, backwards = _visits(pipeline)
    return (_with_weights(pipeline, [*forwards, *backwards]),) * pipeline.stages


def one_f_one_b(pipeline: Pipeline) -> Schedule:
    """Run as many forwards as there are stages from this one to the end, then a backward and a forward in turn.

    Source: Narayanan et al. 2021, arXiv:2104.04473, section 2.2.1, figure 4.
    """
    return limited(pipeline, pipeline.stages)


def limited(pipeline: Pipeline, most: int) -> Schedule:
    """Run 1F1B with at most `most` micro-batches in flight on each stage."""
    forwards, backwards = _visits(pipeline)
    return tuple(
        _with_weights(pipeline, _alternating(forwards, backwards, min(most, pipeline.stages - stage + 1)))
        for stage in range(1, pipeline.stages + 1)
    )


def eager_one_f_one_b(pipeline: Pipeline) -> Schedule:
    """Run 1F1B with more forwards ahead, enough to fill the time in which results travel between stages.

    The number in flight is the round trip of a micro-batch to the last stage, divided by this stage's own slots per micro-batch.
    Source: Zhuang et al. 2022, arXiv:2211.05322, whose eager 1F1B starts forwards earlier for the same purpose.
    """
    forwards, backwards = _visits(pipeline)
    lines = []
    for stage in range(1, pipeline.stages + 1):
        behind = pipeline.stages - stage
        own = sum(pipeline.slots(stage, letter) for letter in pipeline.letters)
        ahead = behind + 1 + ceil(2 * behind * pipeline.hop / own)
        lines.append(_with_weights(pipeline, _alternating(forwards, backwards, ahead)))
    return tuple(lines)


def interleaved(pipeline: Pipeline) -> Schedule:
    """Run 1F1B over chunks, in groups of as many micro-batches as there are stages.

    A stage runs 2 (stages - stage) + (chunks - 1) · stages forwards before it starts to alternate with a forward.
    Source: Narayanan et al. 2021, arXiv:2104.04473, section 2.2.2, figure 4.
    """
    forwards, backwards = _visits(pipeline)
    return tuple(
        _with_weights(
            pipeline,
            _alternating(
                forwards, backwards, 2 * (pipeline.stages - stage) + (pipeline.chunks - 1) * pipeline.stages + 1
            ),
        )
        for stage in range(1, pipeline.stages + 1)
    )


def zb_h1(pipeline: Pipeline) -> Schedule:
    """Run 1F1B with weight gradients delayed until every stage holds as many micro-batches as the first stage of 1F1B.

    Stage s, counted from 1, runs its weight gradients s - 1 micro-batches after its backwards.
    Source: Qi et al. 2023, arXiv:2401.10241, section 2 (ZB-H1).
    """
    return _split(pipeline, 1)


def zb_h2(pipeline: Pipeline) -> Schedule:
    """Run ZB-H1 with twice as many forwards ahead and twice the delay of weight gradients, which removes nearly all waiting.

    Source: Qi et al. 2023, arXiv:2401.10241, section 2 (ZB-H2).
    """
    return _split(pipeline, 2)


def _split(pipeline: Pipeline, times: int) -> Schedule:
    """Run forwards ahead, then a forward, a backward and a weight gradient in turn, the latter delayed by the number of earlier stages."""
    forwards, backwards = _visits(pipeline)
    lines = []
    for stage in range(1, pipeline.stages + 1):
        ahead, behind = times * (pipeline.stages - stage) + 1, times * (stage - 1)
        weights = [backward._replace(letter=WEIGHT) for backward in backwards]
        line = list(forwards[:ahead])
        for place, backward in enumerate(backwards):
            line.append(backward)
            line += weights[place - behind : place - behind + 1] if place >= behind else []
            line += forwards[ahead + place : ahead + place + 1]
        lines.append((*line, *weights[max(0, len(weights) - behind) :]))
    return tuple(lines)


def greedy(pipeline: Pipeline, room: Sequence[int | None]) -> Schedule:
    """Run what is ready whenever a stage is free: a backward first, then a forward if there is room, then a weight gradient."""
    lines: list[list[Operation]] = [[] for _ in range(pipeline.stages)]
    waiting = [pipeline.operations() for _ in lines]
    for line in waiting:
        line.sort(
            key=lambda step: (
                "BFW".index(step.letter),
                step.micro_batch,
                step.chunk if step.letter == FORWARD else -step.chunk,
            )
        )
    ended: dict[Place, int] = {}
    free = [0] * pipeline.stages
    time = 0
    while any(waiting):
        for place, line in enumerate(lines):
            if free[place] > time:
                continue
            held = sum((step.letter == FORWARD) - (step.letter == pipeline.last_letter) for step in line)
            most = room[place] if room else None
            for step in waiting[place]:
                if step.letter == FORWARD and most is not None and held >= most:
                    continue
                needs = pipeline.needs(place + 1, step)
                hops = [pipeline.hop if need[0] != place + 1 else 0 for need in needs]
                if all(need in ended and ended[need] + hop <= time for need, hop in zip(needs, hops, strict=True)):
                    line.append(step)
                    waiting[place].remove(step)
                    free[place] = ended[place + 1, step] = time + pipeline.slots(place + 1, step.letter)
                    break
        later = [
            *(end for end in free if end > time),
            *(end + pipeline.hop for end in ended.values() if end + pipeline.hop > time),
        ]
        if not later:
            raise ShardwiseError("no schedule fits into this memory")
        time = min(later)
    return tuple(map(tuple, lines))


NAMED: Mapping[str, Callable[[Pipeline], Schedule]] = {
    "serial": serial,
    "gpipe": gpipe,
    "1f1b": one_f_one_b,
    "eager-1f1b": eager_one_f_one_b,
    "interleaved": interleaved,
    "zb-h1": zb_h1,
    "zb-h2": zb_h2,
    "dualpipe": dualpipe,
    "dualpipev": dualpipev,
}
SPLIT = frozenset({"zb-h1", "zb-h2", "dualpipe", "dualpipev"})  # those with a split backward pass
PLACED = {"dualpipe": "both", "dualpipev": "v"}  # those that need another placement of chunks than the loop
NAMES = (*NAMED, "greedy", "shortest")  # these two depend on the memory; the last is in search.py
