"""Batches dealt sequence by sequence as a sampler deals them, and steps written down as traces of forward and backward passes."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction

from ..search import bisect

Trace = Counter[str]  # how often each kind of work was done


def dealt(*, micro_batch: int, dp: int) -> Iterator[list[int]]:
    """After each pass: the sequences of the dataset, by number, whose gradients are in the buffers of all replicas.

    Every replica strides over the dataset on its own, as PyTorch's DistributedSampler does: the first takes 0, dp,
    2 dp, ..., the second 1, dp + 1, and so on.
    """
    strides = [itertools.count(replica, dp) for replica in range(dp)]
    held: list[int] = []
    while True:
        for stride in strides:
            held.extend(itertools.islice(stride, micro_batch))
        yield held


def counted_accumulation_steps(*, target_batch: int, micro_batch: int, dp: int) -> int:
    """Passes until exactly the first sequences of the dataset are held; ValueError if a pass jumps over the target."""
    for passes, held in enumerate(dealt(micro_batch=micro_batch, dp=dp), start=1):
        if len(held) >= target_batch:
            if set(held) != set(range(target_batch)):
                break
            return passes
    raise ValueError(f"{target_batch} samples are jumped over")


def counted_effective_batch(*, micro_batch: int, accumulation_steps: int, dp: int) -> int:
    """Different sequences that are held after the last pass."""
    passes = dealt(micro_batch=micro_batch, dp=dp)
    return len(set(next(itertools.islice(passes, accumulation_steps - 1, None))))


def counted_batch_tokens(*, micro_batch: int, accumulation_steps: int, dp: int, sequence_length: int) -> int:
    """Where the last of the dealt sequences ends in the stream of tokens, if they cover it without a gap."""
    held = sorted(next(itertools.islice(dealt(micro_batch=micro_batch, dp=dp), accumulation_steps - 1, None)))
    end = 0
    for number in held:
        if number * sequence_length != end:
            raise AssertionError("the sequences overlap or leave a gap")
        end += sequence_length
    return end


def counted_overshoot(*, target_batch: int, micro_batch: int, dp: int) -> int:
    """Sequences beyond the target that are held when the target is reached."""
    for held in dealt(micro_batch=micro_batch, dp=dp):
        if len(held) >= target_batch:
            return sum(1 for number in held if number >= target_batch)
    raise AssertionError("passes add sequences without end")


def cut_micro_batch(*, target_batch: int, dp: int, largest_micro_batch: int) -> int:
    """Deal the target to the replicas, and cut a replica's sequences into ever smaller pieces until no piece is shorter."""
    shares = [range(replica, target_batch, dp) for replica in range(dp)]
    if len({len(share) for share in shares}) > 1:
        raise ValueError("some replicas have a sequence more than others, so the batch must be another")
    for size in range(largest_micro_batch, 0, -1):
        pieces = [shares[0][start : start + size] for start in range(0, len(shares[0]), size)]
        if all(len(piece) == size for piece in pieces):
            return size
    raise ValueError("a replica must have a sequence")


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


def packed_micro_batch(*, memory_bytes: float, state_bytes: float, sample_bytes: float) -> int:
    """Put the states into memory, and then one sample after the other, until the next does not fit."""
    left, samples = Fraction(memory_bytes) - Fraction(state_bytes), 0
    while left >= Fraction(sample_bytes):
        left -= Fraction(sample_bytes)
        samples += 1
    return samples


def traced(layers: int, checkpointed: int) -> Trace:
    """What a model does for one micro-batch. A backward pass that misses its layer's activations runs the layer again."""
    trace, saved = Trace(), set()
    for layer in range(layers):
        trace["forward"] += 1
        if layer >= checkpointed:
            saved.add(layer)
    for layer in reversed(range(layers)):
        if layer not in saved:
            trace["forward"] += 1
            saved.add(layer)
        trace["backward"] += 1
        saved.remove(layer)
    return trace


def _growth(layers: int, checkpointed: int, ratio: Fraction) -> Fraction:
    price = {"forward": Fraction(1), "backward": ratio}
    plain, longer = (
        sum((price[kind] * times for kind, times in traced(layers, count).items()), Fraction(0))
        for count in (0, checkpointed)
    )
    return longer / plain - 1


def clocked_recompute_overhead(*, layers: int, recomputed_layers: int, backward_per_forward: float) -> float:
    """Trace a step with and without checkpoints, and compare what the traces cost."""
    return float(_growth(layers, recomputed_layers, Fraction(backward_per_forward)))


def tried_affordable_layers(*, layers: int, largest_overhead: float, backward_per_forward: float) -> int:
    """Checkpoint one layer more after the other, and trace each, until the step has grown too much."""
    ratio, limit = Fraction(repr(backward_per_forward)), Fraction(repr(largest_overhead))
    checkpointed = 0
    while checkpointed < layers and _growth(layers, checkpointed + 1, ratio) <= limit:
        checkpointed += 1
    return checkpointed


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
    """Write down all that the first replica does until the target is held, and price the list."""
    work = Trace()
    for held in dealt(micro_batch=micro_batch, dp=dp):
        work["fixed"] += 1
        for _sequence in range(micro_batch):
            work += traced(layers=1, checkpointed=int(recomputed))
        if len(held) >= target_batch:
            if len(held) > target_batch:
                raise ValueError(f"{target_batch} samples are jumped over")
            break
    price = {"fixed": fixed_s, "forward": sample_forward_s, "backward": sample_backward_s}
    return sum(price[kind] * times for kind, times in work.items())


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


def searched_tie(*, plain_micro_batch: int, recomputed_micro_batch: int, sample_forward_s: float) -> float:
    """Raise the fixed time until the plan with checkpoints is as fast as the other, by bisection."""
    target = plain_micro_batch * recomputed_micro_batch

    def lead(fixed_s: float) -> float:
        plain, recomputed = (
            clocked_plan_seconds(
                target_batch=target, micro_batch=size, dp=1, sample_forward_s=sample_forward_s,
                sample_backward_s=2 * sample_forward_s, fixed_s=fixed_s, recomputed=again,
            )
            for size, again in ((plain_micro_batch, False), (recomputed_micro_batch, True))
        )  # fmt: skip
        return plain - recomputed

    return bisect(lead, 0.0, 10 * target * sample_forward_s)
