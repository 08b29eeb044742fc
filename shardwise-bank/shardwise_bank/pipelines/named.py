"""Schedules that have a name: GPipe, 1F1B, interleaved 1F1B, ZB-H1 and ZB-H2, one micro-batch after another, and what is there first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil

from shardwise.errors import ShardwiseError
from shardwise_bank.pipelines.pipeline import BACKWARD, FORWARD, WEIGHT, Operation, Pipeline, Place, Schedule


def _with_weights(pipeline: Pipeline, line: Sequence[Operation]) -> tuple[Operation, ...]:
    """A line with each W right behind its B, as an unsplit backward has it; the line itself where nothing is split."""
    if not pipeline.weight:
        return tuple(line)
    return tuple(
        part
        for operation in line
        for part in (operation, *([operation._replace(letter=WEIGHT)] if operation.letter == BACKWARD else []))
    )


def _visits(pipeline: Pipeline) -> tuple[list[Operation], list[Operation]]:
    """The forwards and the backwards of a stage in the order in which interleaving takes them: groups of `stages` micro-batches."""
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
    """So many forwards, then a backward and a forward in turn, and the backwards that are left."""
    ahead = min(ahead, len(forwards))
    line = list(forwards[:ahead])
    for place, backward in enumerate(backwards):
        line.append(backward)
        line += forwards[ahead + place : ahead + place + 1]
    return line


def serial(pipeline: Pipeline) -> Schedule:
    """One micro-batch after another: the next one's forward starts when the one before it is done."""
    chunks = range(1, pipeline.chunks + 1)
    line = [
        operation
        for micro_batch in range(1, pipeline.micro_batches + 1)
        for operation in (
            *(Operation(FORWARD, micro_batch, chunk) for chunk in chunks),
            *(Operation(BACKWARD, micro_batch, chunk) for chunk in reversed(chunks)),
        )
    ]
    return (_with_weights(pipeline, line),) * pipeline.stages


def gpipe(pipeline: Pipeline) -> Schedule:
    """All forwards, then all backwards (Huang et al. 2019, arXiv:1811.06965, section 2.3)."""
    forwards, backwards = _visits(pipeline)
    return (_with_weights(pipeline, [*forwards, *backwards]),) * pipeline.stages


def one_f_one_b(pipeline: Pipeline) -> Schedule:
    """Each stage runs as many forwards as there are stages from it to the end, then backward and forward in turn.

    Source: Narayanan et al. 2021, arXiv:2104.04473, section 2.2.1, figure 4.
    """
    return limited(pipeline, pipeline.stages)


def limited(pipeline: Pipeline, most: int) -> Schedule:
    """1F1B with at most so many micro-batches in flight on each stage."""
    forwards, backwards = _visits(pipeline)
    return tuple(
        _with_weights(pipeline, _alternating(forwards, backwards, min(most, pipeline.stages - stage + 1)))
        for stage in range(1, pipeline.stages + 1)
    )


def eager_one_f_one_b(pipeline: Pipeline) -> Schedule:
    """1F1B with as many more forwards ahead as a stage can run while results are on their way between stages.

    So many are in flight as a micro-batch's way to the last stage and back takes, counted in this stage's own slots for each.
    Source: Zhuang et al. 2022, arXiv:2211.05322, whose eager 1F1B sends forwards off earlier for the same purpose.
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
    """1F1B over chunks, in groups of as many micro-batches as there are stages.

    A stage runs 2 (stages - stage) + (chunks - 1) · stages forwards before it begins to alternate with a forward.
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
    """1F1B whose weight gradients wait until every stage holds as many micro-batches as the first one of 1F1B does.

    Stage s, counted from 1, is s - 1 weight gradients behind its backwards.
    Source: Qi et al. 2023, arXiv:2401.10241, section 2 (ZB-H1).
    """
    return _split(pipeline, 1)


def zb_h2(pipeline: Pipeline) -> Schedule:
    """ZB-H1 with twice as many forwards ahead, and twice as many weight gradients behind: hardly a stage waits between its first and last.

    Source: Qi et al. 2023, arXiv:2401.10241, section 2 (ZB-H2).
    """
    return _split(pipeline, 2)


def _split(pipeline: Pipeline, times: int) -> Schedule:
    """Forwards ahead, then a forward, a backward and a weight gradient in turn, these so many behind as there are stages before."""
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
    """Whenever a stage is free it runs what is there: a backward first, then a forward if there is room, then a weight gradient."""
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
            raise ShardwiseError("there is too little room for any schedule")
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
}
SPLIT = frozenset({"zb-h1", "zb-h2"})  # those whose backward pass is in two parts
NAMES = (*NAMED, "greedy", "shortest")  # and those that depend on the memory; the last is in search.py
