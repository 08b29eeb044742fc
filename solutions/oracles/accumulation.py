"""A training step, walked through micro-batch by micro-batch: samples are counted, and every event is clocked."""

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
    """Passes and samples so far, pass by pass."""
    per_pass, passes, samples = _samples_of_a_pass(micro_batch, dp), 0, 0
    while True:
        passes += 1
        samples += per_pass
        yield passes, samples


def counted_accumulation_steps(*, target_batch: int, micro_batch: int, dp: int) -> int:
    """Passes made until the gradient holds exactly the target; ValueError if it is jumped over."""
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
    """Samples that were in the gradient and not in the target, one by one."""
    _, samples = filled_steps(target_batch=target_batch, micro_batch=micro_batch, dp=dp)
    return sum(1 for sample in range(samples) if sample >= target_batch)


def counted_optimizer_steps(*, tokens: float, batch_tokens: float) -> float:
    """Batches taken from the tokens, in heaps that double and then halve again; what is left counts in part."""
    left, heap, steps = Fraction(tokens), Fraction(batch_tokens), 0
    heaps = [heap]
    while heaps[-1] * 2 <= left:
        heaps.append(heaps[-1] * 2)
    for power in range(len(heaps) - 1, -1, -1):
        if heaps[power] <= left:
            left -= heaps[power]
            steps += 2**power
    return float(steps + left / heap)


def clocked_communication_saved(*, accumulation_steps: int, all_reduce_s: float) -> float:
    """All-reduce time of a step that reduces after every micro-batch, less that of one that reduces once."""
    spent = []
    for every_pass in (True, False):
        events = walk(passes=accumulation_steps, micro_batch=1, dp=1, micro_batch_s=0.0,
                      all_reduce_s=all_reduce_s, every_pass=every_pass)  # fmt: skip
        spent.append(sum(all_reduce_s for one in events if one.what == "all-reduce"))
    return spent[0] - spent[1]


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
    """Time of the all-reduces in a step's log, over the time of all events."""
    events = walk(passes=accumulation_steps, micro_batch=1, dp=1, micro_batch_s=micro_batch_s,
                  all_reduce_s=all_reduce_s)  # fmt: skip
    reducing = sum(one.seconds for one in events if one.what == "all-reduce")
    return reducing / sum(one.seconds for one in events)


def clocked_communication_overhead(*, accumulation_steps: int, micro_batch_s: float, all_reduce_s: float) -> float:
    """How much longer the log is than that of a step whose all-reduce takes no time."""
    with_it, without = (
        clocked_step_seconds(accumulation_steps=accumulation_steps, micro_batch_s=micro_batch_s, all_reduce_s=one)
        for one in (all_reduce_s, 0.0)
    )
    return (with_it - without) / without


def tried_steps_for_share(*, micro_batch_s: float, all_reduce_s: float, largest_share: float) -> int:
    """One more micro-batch at a time, until the all-reduce is a small enough part of the clock."""
    passes, clock = 0, Fraction(repr(all_reduce_s))
    wait, step = Fraction(repr(all_reduce_s)), Fraction(repr(micro_batch_s))
    limit = Fraction(repr(largest_share))
    while passes == 0 or wait > limit * clock:
        passes += 1
        clock += step
    return passes


def packed_steps(*, target_batch: int, dp: int, memory_bytes: float, state_bytes: float, sample_bytes: float) -> int:
    """Passes to the target, with a micro-batch that is doubled for as long as its samples can be allocated."""
    micro_batch, candidate = 0, 1
    while _allocates(candidate, memory_bytes - state_bytes, sample_bytes):
        micro_batch, candidate = candidate, 2 * candidate
    return counted_accumulation_steps(target_batch=target_batch, micro_batch=micro_batch, dp=dp)


def _allocates(samples: int, free_bytes: float, sample_bytes: float) -> bool:
    for _sample in range(samples):
        free_bytes -= sample_bytes
    return free_bytes >= 0


def clocked_recompute_overhead(*, layers: int, recomputed_layers: int, backward_per_forward: float) -> float:
    """A pass through the layers, down and up, clocked with and without a second forward of the first few."""
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
    """The clock of one replica that works through its samples, micro-batch by micro-batch."""
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
    """The plan whose clock stands at less when both have done a step."""
    race = {
        name: clocked_plan_seconds(
            target_batch=target_batch, micro_batch=micro_batch, dp=dp, sample_forward_s=sample_forward_s,
            sample_backward_s=sample_backward_s, fixed_s=fixed_s, recomputed=name == "recomputed",
        )
        for name, micro_batch in (("plain", plain_micro_batch), ("recomputed", recomputed_micro_batch))
    }  # fmt: skip
    return min(race, key=lambda name: race[name])
