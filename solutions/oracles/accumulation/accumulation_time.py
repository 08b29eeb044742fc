"""A training step as a list of events, each with a start and an end; searches turn measured times round."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from fractions import Fraction

from ..search import bisect
from .accumulation import dealt


@dataclass(frozen=True)
class Event:
    """Something that a replica does: what, from when to when, and how many samples are in the gradient after it."""

    what: str  # "micro-batch" or "all-reduce"
    start_s: float
    end_s: float
    samples: int  # over all replicas, since the last optimizer step

    @property
    def seconds(self) -> float:
        """How long it took."""
        return self.end_s - self.start_s


def walk(
    *, passes: int, micro_batch: int, dp: int, micro_batch_s: float, all_reduce_s: float, every_pass: bool = False
) -> tuple[Event, ...]:
    """The events of one optimizer step. The all-reduce comes after the last micro-batch, or after each."""
    events: list[Event] = []
    clock = 0.0
    batches = itertools.islice(dealt(micro_batch=micro_batch, dp=dp), passes)
    for number, held in enumerate(batches, start=1):
        events.append(Event("micro-batch", clock, clock + micro_batch_s, len(held)))
        clock += micro_batch_s
        if every_pass or number == passes:
            events.append(Event("all-reduce", clock, clock + all_reduce_s, len(held)))
            clock += all_reduce_s
    return tuple(events)


def _reducing_seconds(events: tuple[Event, ...]) -> float:
    return sum(event.seconds for event in events if event.what == "all-reduce")


def clocked_step_seconds(*, accumulation_steps: int, micro_batch_s: float, all_reduce_s: float) -> float:
    """When the last event of a step ends."""
    events = walk(passes=accumulation_steps, micro_batch=1, dp=1, micro_batch_s=micro_batch_s,
                  all_reduce_s=all_reduce_s)  # fmt: skip
    return events[-1].end_s


def clocked_samples_per_second(
    *, micro_batch: int, accumulation_steps: int, dp: int, micro_batch_s: float, all_reduce_s: float
) -> float:
    """Samples in the gradient over the time at which its all-reduce ended."""
    events = walk(passes=accumulation_steps, micro_batch=micro_batch, dp=dp, micro_batch_s=micro_batch_s,
                  all_reduce_s=all_reduce_s)  # fmt: skip
    return events[-1].samples / events[-1].end_s


def clocked_communication_share(*, accumulation_steps: int, micro_batch_s: float, all_reduce_s: float) -> float:
    """Time of the all-reduces among a step's events, over the time of all events."""
    events = walk(passes=accumulation_steps, micro_batch=1, dp=1, micro_batch_s=micro_batch_s,
                  all_reduce_s=all_reduce_s)  # fmt: skip
    return _reducing_seconds(events) / sum(event.seconds for event in events)


def clocked_communication_overhead(*, accumulation_steps: int, micro_batch_s: float, all_reduce_s: float) -> float:
    """How much longer a step takes than a step whose all-reduce takes no time, as a fraction of the latter."""
    with_it, without = (
        clocked_step_seconds(accumulation_steps=accumulation_steps, micro_batch_s=micro_batch_s, all_reduce_s=seconds)
        for seconds in (all_reduce_s, 0.0)
    )
    return (with_it - without) / without


def tried_steps_for_share(*, micro_batch_s: float, all_reduce_s: float, largest_share: float) -> int:
    """Add micro-batches one by one, until the all-reduce is a small enough share of the step."""
    passes, clock = 0, Fraction(repr(all_reduce_s))
    wait, step = Fraction(repr(all_reduce_s)), Fraction(repr(micro_batch_s))
    limit = Fraction(repr(largest_share))
    while passes == 0 or wait > limit * clock:
        passes += 1
        clock += step
    return passes


def replayed_share(*, share: float, accumulation_steps: int, other_steps: int) -> float:
    """Find an all-reduce that has the share next to micro-batches of one second, and play the other step with it."""

    def excess(all_reduce_s: float) -> float:
        return share_of(accumulation_steps, all_reduce_s) - share

    def share_of(steps: int, all_reduce_s: float) -> float:
        return clocked_communication_share(accumulation_steps=steps, micro_batch_s=1.0, all_reduce_s=all_reduce_s)

    return share_of(other_steps, bisect(excess, 0.0, accumulation_steps / (1 - share)))


def searched_waiting_seconds(*, few_steps: int, few_step_s: float, many_steps: int, many_step_s: float) -> float:
    """Guess the wait, take the micro-batch from the short step, play the long one, and guess again, by bisection."""

    def lead(wait_s: float) -> float:
        micro_batch_s = (few_step_s - wait_s) / few_steps
        return many_step_s - clocked_step_seconds(
            accumulation_steps=many_steps, micro_batch_s=micro_batch_s, all_reduce_s=wait_s
        )

    return bisect(lead, 0.0, few_step_s)


def raced_sites(
    *, near_micro_batch_s: float, near_all_reduce_s: float, far_micro_batch_s: float, far_all_reduce_s: float
) -> int:
    """Let both sites compute one micro-batch after the other, until the far one would be through first."""
    near, far = Fraction(repr(near_all_reduce_s)), Fraction(repr(far_all_reduce_s))
    for passes in itertools.count(1):
        near += Fraction(repr(near_micro_batch_s))
        far += Fraction(repr(far_micro_batch_s))
        if far < near:
            return passes
    raise AssertionError("itertools.count has no end")
