"""A training step, played micro-batch by micro-batch: samples are counted, and every event has a start and an end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction


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
    clock, samples = 0.0, 0
    for number in range(1, passes + 1):
        samples += _samples_of_a_pass(micro_batch, dp)
        events.append(Event("micro-batch", clock, clock + micro_batch_s, samples))
        clock += micro_batch_s
        if every_pass or number == passes:
            events.append(Event("all-reduce", clock, clock + all_reduce_s, samples))
            clock += all_reduce_s
    return tuple(events)


def _samples_of_a_pass(micro_batch: int, dp: int) -> int:
    samples = 0
    for _replica in range(dp):
        samples += micro_batch
    return samples


def _filling(micro_batch: int, dp: int) -> Iterator[tuple[int, int]]:
    """After each pass: how many passes were made, and how many samples the gradient holds."""
    per_pass, passes, samples = _samples_of_a_pass(micro_batch, dp), 0, 0
    while True:
        passes += 1
        samples += per_pass
        yield passes, samples


def counted_accumulation_steps(*, target_batch: int, micro_batch: int, dp: int) -> int:
    """Passes made until the gradient holds exactly the target; ValueError if a pass jumps over it."""
    for passes, samples in _filling(micro_batch, dp):
        if samples == target_batch:
            return passes
        if samples > target_batch:
            break
    raise ValueError(f"{target_batch} samples are jumped over")


def counted_effective_batch(*, micro_batch: int, accumulation_steps: int, dp: int) -> int:
    """Samples in the gradient at the all-reduce."""
    events = walk(passes=accumulation_steps, micro_batch=micro_batch, dp=dp, micro_batch_s=1.0, all_reduce_s=1.0)
    return events[-1].samples


def counted_batch_tokens(*, micro_batch: int, accumulation_steps: int, dp: int, sequence_length: int) -> int:
    """Tokens in the gradient at the all-reduce, replica by replica and pass by pass."""
    tokens = 0
    for _pass in range(accumulation_steps):
        for _replica in range(dp):
            tokens += sum([sequence_length] * micro_batch)
    return tokens


def filled_steps(*, target_batch: int, micro_batch: int, dp: int) -> tuple[int, int]:
    """Passes made until the gradient holds the target or more, and what it holds then."""
    for passes, samples in _filling(micro_batch, dp):
        if samples >= target_batch:
            return passes, samples
    raise AssertionError("passes add samples without end")


def counted_overshoot(*, target_batch: int, micro_batch: int, dp: int) -> int:
    """Samples in the gradient beyond the target, counted one by one."""
    _, samples = filled_steps(target_batch=target_batch, micro_batch=micro_batch, dp=dp)
    return sum(1 for sample in range(samples) if sample >= target_batch)


def counted_optimizer_steps(*, tokens: float | Fraction, batch_tokens: float) -> float:
    """Take batches from the tokens until less than a batch is left, which counts as a fraction of a step.

    There may be millions of batches. So they are taken in groups of 1, 2, 4, ... batches, the largest group first.
    """
    left, steps = Fraction(tokens), 0
    groups = [Fraction(batch_tokens)]
    while groups[-1] * 2 <= left:
        groups.append(groups[-1] * 2)
    for power in range(len(groups) - 1, -1, -1):
        if groups[power] <= left:
            left -= groups[power]
            steps += 2**power
    return float(steps + left / groups[0])


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


def packed_micro_batch(*, memory_bytes: float, state_bytes: float, sample_bytes: float) -> int:
    """Put the states into memory, and then one sample after the other, until the next does not fit."""
    left, samples = Fraction(memory_bytes) - Fraction(state_bytes), 0
    while left >= Fraction(sample_bytes):
        left -= Fraction(sample_bytes)
        samples += 1
    return samples


def clocked_recompute_overhead(*, layers: int, recomputed_layers: int, backward_per_forward: float) -> float:
    """Walk through the layers forward and backward, with and without recomputing the first few, and compare the times."""
    clocks = []
    for again in (range(recomputed_layers), range(0)):
        clock = float(layers)  # the forward pass, a unit of time a layer
        for layer in reversed(range(layers)):
            clock += 1.0 if layer in again else 0.0
            clock += backward_per_forward
        clocks.append(clock)
    return clocks[0] / clocks[1] - 1


def clocked_plan_seconds(
    *,
    target_batch: int,
    micro_batch: int,
    dp: int,
    sample_forward_s: float,
    sample_backward_s: float,
    fixed_s: float = 0.0,
    recomputed: bool = False,
) -> float:
    """Time that one replica needs for its samples, micro-batch by micro-batch and sample by sample."""
    clock, samples = 0.0, 0
    while samples < target_batch:
        clock += fixed_s
        for _sample in range(micro_batch):
            clock += sample_forward_s
            clock += sample_forward_s if recomputed else 0.0
            clock += sample_backward_s
        samples += _samples_of_a_pass(micro_batch, dp)
    if samples != target_batch:
        raise ValueError(f"{target_batch} samples are jumped over")
    return clock


def raced_plans(
    *,
    target_batch: int,
    dp: int,
    plain_micro_batch: int,
    recomputed_micro_batch: int,
    sample_forward_s: float,
    sample_backward_s: float,
    fixed_s: float,
) -> str:
    """The plan that finishes a step first."""
    race = {
        name: clocked_plan_seconds(
            target_batch=target_batch, micro_batch=micro_batch, dp=dp, sample_forward_s=sample_forward_s,
            sample_backward_s=sample_backward_s, fixed_s=fixed_s, recomputed=name == "recomputed",
        )
        for name, micro_batch in (("plain", plain_micro_batch), ("recomputed", recomputed_micro_batch))
    }  # fmt: skip
    return min(race, key=lambda name: race[name])
