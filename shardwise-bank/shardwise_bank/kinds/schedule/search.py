"""The shortest schedule of a small pipeline, found by a breadth-first search, slot by slot.

Micro-batches are interchangeable, so each stage can take them in order: its state is the number of forwards, backwards and
weight gradients that it has started. The search drops states that it has seen before, and states that can no longer beat
a known schedule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from shardwise.errors import ShardwiseError
from shardwise_bank.pipelines.named import NAMED, PLACED, SPLIT, limited
from shardwise_bank.pipelines.pipeline import Operation, Pipeline, Schedule
from shardwise_bank.pipelines.simulate import simulate

MOST_STATES = 400_000
MOST_STAGES = 12  # each of which may start an operation or wait in every slot
_FREE = -1


class _Stage(NamedTuple):
    """The operations that a stage has started, and the results still on their way."""

    started: tuple[int, ...]  # operations of each letter
    running: int = _FREE  # index of the running letter
    rest: int = 0  # its remaining slots
    on_the_way: tuple[tuple[int, int], ...] = ()  # index of a letter, and the slots until its result arrives

    def ended(self, letter: int) -> int:
        """Return the number of finished operations of a letter."""
        return self.started[letter] - (self.running == letter)

    def arrived(self, letter: int) -> int:
        """Return the number of results of a letter that have arrived at the next stage."""
        return self.ended(letter) - sum(place == letter for place, _ in self.on_the_way)


_State = tuple[_Stage, ...]


@lru_cache(maxsize=256)
def shortest(pipeline: Pipeline, room: tuple[int | None, ...] = ()) -> Schedule:
    """Return a shortest schedule within the memory. Raises ShardwiseError when there are too many to try."""
    if pipeline.chunks > 1:
        raise ShardwiseError("cannot search for the shortest schedule: stages have several chunks. Use one chunk")
    if pipeline.stages > MOST_STAGES:
        raise ShardwiseError(
            f"cannot search for the shortest schedule of more than {MOST_STAGES} stages; use at most {MOST_STAGES} stages"
        )
    room = room or (None,) * pipeline.stages
    best = _best_known(pipeline, room)
    most = simulate(pipeline, best).makespan
    start: _State = (_Stage((0,) * len(pipeline.letters)),) * pipeline.stages
    before: dict[_State, _State | None] = {start: None}
    layer = [start]
    for time in range(1, most):
        following = []
        for state in layer:
            for chosen in product(*_choices(pipeline, room, state)):
                after = tuple(_one_slot(stage, pipeline.hop) for stage in chosen)
                if after in before or time + _rest(pipeline, after) >= most:
                    continue
                before[after] = state
                following.append(after)
                if _is_done(pipeline, after):
                    return _schedule(pipeline, before, after)
            if len(before) > MOST_STATES:
                raise ShardwiseError("this pipeline has too many schedules to try them all; use fewer stages")
        layer = following
    return best


def _best_known(pipeline: Pipeline, room: Sequence[int | None]) -> Schedule:
    """Return the shortest named schedule that fits into the memory; one micro-batch after another always does."""
    known = [
        make(pipeline) for name, make in NAMED.items() if name not in PLACED and (name not in SPLIT or pipeline.weight)
    ]
    known += [limited(pipeline, most) for most in range(1, pipeline.stages)]
    runs = [(simulate(pipeline, schedule, room), schedule) for schedule in known]
    return min((run.makespan, schedule) for run, schedule in runs if run.is_sound)[1]


def _choices(pipeline: Pipeline, room: Sequence[int | None], state: _State) -> Iterator[list[_Stage]]:
    """Yield the states that each stage can have after starting one operation or none."""
    last = len(pipeline.letters) - 1
    for place, stage in enumerate(state):
        found = [stage]
        if stage.running == _FREE:
            from_before = state[place - 1].arrived(0) if place else pipeline.micro_batches
            from_behind = state[place + 1].arrived(1) if place + 1 < len(state) else pipeline.micro_batches
            most = room[place]
            has_room = most is None or stage.started[0] - stage.ended(last) < most
            ready = [from_before if has_room else 0, min(from_behind, stage.ended(0)), stage.ended(1)]
            found += [
                _started(pipeline, place, stage, letter)
                for letter in range(last + 1)
                if stage.started[letter] < ready[letter]
            ]
        yield found


def _started(pipeline: Pipeline, place: int, stage: _Stage, letter: int) -> _Stage:
    """Return a stage that has just started an operation."""
    started = tuple(count + (at == letter) for at, count in enumerate(stage.started))
    return stage._replace(started=started, running=letter, rest=pipeline.slots(place + 1, pipeline.letters[letter]))


def _one_slot(stage: _Stage, hop: int) -> _Stage:
    """Return a stage one slot later."""
    on_the_way = tuple((letter, slots - 1) for letter, slots in stage.on_the_way if slots > 1)
    if stage.rest > 1:
        return stage._replace(rest=stage.rest - 1, on_the_way=on_the_way)
    if hop and stage.running in (0, 1):
        on_the_way = (*on_the_way, (stage.running, hop))
    return _Stage(stage.started, on_the_way=on_the_way)


def _rest(pipeline: Pipeline, state: _State) -> int:
    """Return a lower bound on the remaining slots: a stage's work, and the backwards of earlier stages that follow its last one."""
    longest = tail = 0
    for place, stage in enumerate(state):
        work = stage.rest + sum(
            (pipeline.micro_batches - count) * pipeline.slots(place + 1, letter)
            for letter, count in zip(pipeline.letters, stage.started, strict=True)
        )
        longest = max(longest, work + (tail if work and not pipeline.weight else 0))
        tail += pipeline.slots(place + 1, pipeline.letters[1]) + pipeline.hop
    return longest


def _is_done(pipeline: Pipeline, state: _State) -> bool:
    return all(stage.running == _FREE and set(stage.started) == {pipeline.micro_batches} for stage in state)


def _schedule(pipeline: Pipeline, before: dict[_State, _State | None], last: _State) -> Schedule:
    """Return the lines that lead to a state, from the counts that grew in each slot."""
    path: list[_State] = [last]
    while (earlier := before[path[-1]]) is not None:
        path.append(earlier)
    lines: list[list[Operation]] = [[] for _ in last]
    for old_state, new_state in zip(path[:0:-1], path[-2::-1], strict=True):
        for line, old, new in zip(lines, old_state, new_state, strict=True):
            for letter, low, high in zip(pipeline.letters, old.started, new.started, strict=True):
                if high > low:
                    line.append(Operation(letter, high))
    return tuple(map(tuple, lines))
