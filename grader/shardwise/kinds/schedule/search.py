"""The shortest schedule of a small pipeline, found by trying all of them slot by slot.

Micro-batches are alike, so on each stage they may be taken in their order: what a stage has run is told by how many forwards,
backwards and weight gradients it has started. States that were met before are not gone on with, nor are those from which
a known schedule cannot be beaten any more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product

from shardwise.errors import ShardwiseError
from shardwise.kinds.schedule.named import NAMED, limited
from shardwise.kinds.schedule.pipeline import Operation, Pipeline, Schedule
from shardwise.kinds.schedule.simulate import simulate

MOST_STATES = 400_000

_Stage = tuple[
    int, ...
]  # how many of each letter were started, the place of the letter that runs, and the slots it still takes
_State = tuple[_Stage, ...]
_FREE = -1


@lru_cache(maxsize=256)
def shortest(pipeline: Pipeline, room: tuple[int | None, ...] = ()) -> Schedule:
    """A schedule within the memory that no other beats. Raises ShardwiseError where there are too many to try."""
    if pipeline.chunks > 1 or pipeline.hop:
        raise ShardwiseError("the shortest schedule is searched only with one chunk a stage, and without a hop")
    room = room or (None,) * pipeline.stages
    best = _best_known(pipeline, room)
    most = simulate(pipeline, best).makespan
    letters = len(pipeline.letters)
    start: _State = ((*(0,) * letters, _FREE, 0),) * pipeline.stages
    before: dict[_State, _State | None] = {start: None}
    layer = [start]
    for time in range(most):
        following = []
        for state in layer:
            for chosen in product(*_choices(pipeline, room, state)):
                after = tuple(map(_one_slot, chosen))
                if after in before or _rest(pipeline, after) > most - 1 - (time + 1):
                    continue
                before[after] = state
                following.append(after)
                if _is_done(pipeline, after):
                    return _schedule(pipeline, before, after)
            if len(before) > MOST_STATES:
                raise ShardwiseError("this pipeline has too many schedules to try them all; take fewer stages")
        layer = following
    return best


def _best_known(pipeline: Pipeline, room: Sequence[int | None]) -> Schedule:
    """The shortest of those schedules with a name that keep to the memory; one after another always does."""
    known = [make(pipeline) for make in NAMED.values() if make is not NAMED["zb-h1"] or pipeline.weight]
    known += [limited(pipeline, most) for most in range(1, pipeline.stages)]
    runs = [(simulate(pipeline, schedule, room), schedule) for schedule in known]
    return min((run.makespan, schedule) for run, schedule in runs if run.is_sound)[1]


def _choices(pipeline: Pipeline, room: Sequence[int | None], state: _State) -> Iterator[list[_Stage]]:
    """What each stage may be after it has started something, or nothing."""
    letters = pipeline.letters
    ended = [[count - (place == stage[-2]) for place, count in enumerate(stage[:-2])] for stage in state]
    for place, stage in enumerate(state):
        found = [stage]
        if stage[-2] == _FREE:
            started = stage[:-2]
            if started[0] < pipeline.micro_batches:
                is_there = place == 0 or ended[place - 1][0] > started[0]
                most = room[place]
                if is_there and (most is None or started[0] - ended[place][-1] < most):
                    found.append(_begun(pipeline, place, stage, 0))
            above = ended[place + 1][1] if place + 1 < pipeline.stages else pipeline.micro_batches
            if started[1] < min(above, ended[place][0]):
                found.append(_begun(pipeline, place, stage, 1))
            if len(letters) == 3 and started[2] < ended[place][1]:
                found.append(_begun(pipeline, place, stage, 2))
        yield found


def _begun(pipeline: Pipeline, place: int, stage: _Stage, letter: int) -> _Stage:
    """A stage that has just started an operation."""
    counts = tuple(count + (at == letter) for at, count in enumerate(stage[:-2]))
    return (*counts, letter, pipeline.slots(place + 1, pipeline.letters[letter]))


def _one_slot(stage: _Stage) -> _Stage:
    """A stage one slot later."""
    if stage[-2] == _FREE:
        return stage
    return (*stage[:-1], stage[-1] - 1) if stage[-1] > 1 else (*stage[:-2], _FREE, 0)


def _rest(pipeline: Pipeline, state: _State) -> int:
    """Slots that are needed at least: a stage's own work, and the backwards of the stages before it that follow its last one."""
    longest = tail = 0
    for place, stage in enumerate(state):
        work = stage[-1] + sum(
            (pipeline.micro_batches - count) * pipeline.slots(place + 1, letter)
            for letter, count in zip(pipeline.letters, stage[:-2], strict=True)
        )
        longest = max(longest, work + (tail if work and not pipeline.weight else 0))
        tail += pipeline.slots(place + 1, pipeline.letters[1])
    return longest


def _is_done(pipeline: Pipeline, state: _State) -> bool:
    return all(stage[-2] == _FREE and set(stage[:-2]) == {pipeline.micro_batches} for stage in state)


def _schedule(pipeline: Pipeline, before: dict[_State, _State | None], last: _State) -> Schedule:
    """The lines that lead to a state: which counts grew, slot by slot."""
    path: list[_State] = [last]
    while (earlier := before[path[-1]]) is not None:
        path.append(earlier)
    lines: list[list[Operation]] = [[] for _ in last]
    for earlier, later in zip(path[:0:-1], path[-2::-1], strict=True):
        for line, old, new in zip(lines, earlier, later, strict=True):
            for letter, low, high in zip(pipeline.letters, old[:-2], new[:-2], strict=True):
                if high > low:
                    line.append(Operation(letter, high))
    return tuple(map(tuple, lines))
