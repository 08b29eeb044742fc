"""Gradient accumulation: how a large batch is made of small passes, and what that saves and costs."""

from __future__ import annotations

import math

from ..facts.arguments import require_counts, require_not_negative, require_positive


def accumulation_steps(*, target_batch: int, micro_batch: int, dp: int) -> int:
    """Micro-batches that every GPU works through before the optimizer may step.

        steps = B / (b · dp)

    A batch that does not divide is refused, as Megatron-LM refuses it: a step would be too small or too large.

    Units:   every argument is a count; batches in samples, micro_batch per GPU.
    Raises:  ValueError if an argument is below 1 or target_batch is not a multiple of micro_batch · dp.
    Source:  Shoeybi et al. 2019, arXiv:1909.08053; Megatron-LM, core/num_microbatches_calculator.py.

    >>> accumulation_steps(target_batch=2048, micro_batch=4, dp=8)   # 32 samples a pass, 64 times short
    64
    >>> accumulation_steps(target_batch=2000, micro_batch=4, dp=7)
    Traceback (most recent call last):
    ValueError: target_batch 2000 is not a multiple of micro_batch * dp = 28
    """
    require_counts(target_batch=target_batch, micro_batch=micro_batch, dp=dp)
    samples_per_pass = micro_batch * dp
    if target_batch % samples_per_pass:
        raise ValueError(f"target_batch {target_batch} is not a multiple of micro_batch * dp = {samples_per_pass}")
    return target_batch // samples_per_pass


def effective_batch(*, micro_batch: int, accumulation_steps: int, dp: int) -> int:
    """Samples that one optimizer step learns from.

        B = b · a · dp

    dp counts replicas, not GPUs: the GPUs of one tensor- or pipeline-parallel group share their samples.

    Units:   every argument is a count.
    Raises:  ValueError if an argument is below 1.
    Source:  counting; Goyal et al. 2017, arXiv:1706.02677, section 3.

    >>> effective_batch(micro_batch=4, accumulation_steps=64, dp=8)
    2048
    """
    require_counts(micro_batch=micro_batch, accumulation_steps=accumulation_steps, dp=dp)
    return micro_batch * accumulation_steps * dp


def batch_tokens(*, micro_batch: int, accumulation_steps: int, dp: int, sequence_length: int) -> int:
    """Tokens that one optimizer step learns from, when a sample is a sequence.

        tokens = b · a · dp · s

    Units:   sequence_length in tokens; the rest are counts. Result in tokens.
    Raises:  ValueError if an argument is below 1.
    Source:  counting; Llama Team 2024, arXiv:2407.21783, Table 4.

    >>> batch_tokens(micro_batch=1, accumulation_steps=16, dp=128, sequence_length=8192)   # 16M in Llama 3's words
    16777216
    """
    require_counts(micro_batch=micro_batch, accumulation_steps=accumulation_steps)
    require_counts(dp=dp, sequence_length=sequence_length)
    samples = micro_batch * accumulation_steps * dp
    return samples * sequence_length


def batch_overshoot(*, target_batch: int, micro_batch: int, dp: int) -> int:
    """Samples by which a step exceeds its target when the accumulation steps are rounded up.

        overshoot = ⌈B / (b · dp)⌉ · b · dp - B

    Units:   every argument is a count; result in samples.
    Raises:  ValueError if an argument is below 1.
    Source:  counting.

    >>> batch_overshoot(target_batch=2048, micro_batch=4, dp=8)
    0
    >>> batch_overshoot(target_batch=2048, micro_batch=6, dp=8)
    16
    """
    require_counts(target_batch=target_batch, micro_batch=micro_batch, dp=dp)
    samples_per_pass = micro_batch * dp
    passes = math.ceil(target_batch / samples_per_pass)
    samples_done = passes * samples_per_pass
    return samples_done - target_batch


def dividing_micro_batch(*, target_batch: int, dp: int, largest_micro_batch: int) -> int:
    """Largest micro-batch that fits and fills the target in whole passes.

        b = max { b ≤ b_max : b · dp divides B }

    Units:   every argument and the result are counts; batches in samples, micro-batches per replica.
    Raises:  ValueError if an argument is below 1 or the replicas cannot share the target equally.
    Source:  Megatron-LM, core/num_microbatches_calculator.py (what does not divide is refused).

    >>> dividing_micro_batch(target_batch=1536, dp=64, largest_micro_batch=5)   # 24 a replica: 5 does not divide, 4 does
    4
    """
    require_counts(target_batch=target_batch, dp=dp, largest_micro_batch=largest_micro_batch)
    if target_batch % dp:
        raise ValueError(f"target_batch {target_batch} must be a multiple of dp = {dp}")
    share = target_batch // dp
    return max(size for size in range(1, min(share, largest_micro_batch) + 1) if share % size == 0)


def optimizer_steps(*, tokens: float, batch_tokens: float) -> float:
    """Optimizer steps of a run; also its gradient all-reduces if each step has one.

        steps = T / B

    Units:   tokens, both. Result is a count.
    Raises:  ValueError if an argument is not positive.
    Source:  counting.

    >>> optimizer_steps(tokens=1.5e12, batch_tokens=4e6)
    375000.0
    """
    require_positive(tokens=tokens, batch_tokens=batch_tokens)
    return tokens / batch_tokens


def micro_batch_that_fits(*, memory_bytes: float, state_bytes: float, sample_bytes: float) -> int:
    """Most samples whose activations fit next to the model states.

        b = ⌊(memory - states) / activations of a sample⌋

    Units:   bytes; result in samples per GPU.
    Raises:  ValueError if an argument is not positive or not even one sample fits.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, section 4 (activations are linear in the micro-batch).

    >>> micro_batch_that_fits(memory_bytes=72e9, state_bytes=24e9, sample_bytes=5e9)   # room for 9.6 samples
    9
    """
    require_positive(memory_bytes=memory_bytes, state_bytes=state_bytes, sample_bytes=sample_bytes)
    samples = math.floor((memory_bytes - state_bytes) / sample_bytes)
    if samples < 1:
        raise ValueError(f"a sample of {sample_bytes:g} bytes does not fit with {state_bytes:g} bytes of states")
    return samples


def recompute_overhead(*, layers: int, recomputed_layers: int, backward_per_forward: float) -> float:
    """What activation checkpointing adds to the compute of a step.

        overhead = (k / L) / (1 + r)

    A recomputed layer runs its forward pass a second time. With r = 2 that is 8/6 - 1 = 1/3 of the step.

    Units:   layers are counts; backward_per_forward is time over time. Result is a fraction of the compute time.
    Raises:  ValueError if layers is below 1, recomputed_layers is negative or above layers, or r is not positive.
    Source:  Chen et al. 2016, arXiv:1604.06174; Korthikanti et al. 2022, arXiv:2205.05198, section 5.

    >>> round(recompute_overhead(layers=80, recomputed_layers=80, backward_per_forward=2), 3)
    0.333
    """
    require_counts(layers=layers)
    require_not_negative(recomputed_layers=recomputed_layers)
    require_positive(backward_per_forward=backward_per_forward)
    if recomputed_layers > layers:
        raise ValueError(f"recomputed_layers {recomputed_layers} are more than the {layers} layers there are")
    return recomputed_layers / layers / (1 + backward_per_forward)


def affordable_layers(*, layers: int, largest_overhead: float, backward_per_forward: float) -> int:
    """Most layers that may be checkpointed before the compute of a step grows by more than a limit.

        k = min(L, ⌊f · L · (1 + r)⌋)

    Units:   layers are counts; largest_overhead is a fraction of the compute, backward_per_forward time over time.
    Raises:  ValueError if layers is below 1, or another argument is not positive.
    Source:  recompute_overhead of this module, solved for the layers.

    >>> affordable_layers(layers=32, largest_overhead=0.15, backward_per_forward=2)   # 14 cost 14.6 %, 15 cost 15.6 %
    14
    """
    require_counts(layers=layers)
    require_positive(largest_overhead=largest_overhead, backward_per_forward=backward_per_forward)
    return min(layers, math.floor(largest_overhead * layers * (1 + backward_per_forward) * (1 + 1e-12)))


def plan_seconds(
    *,
    target_batch: int,
    micro_batch: int,
    dp: int,
    sample_forward_s: float,
    sample_backward_s: float,
    fixed_s: float = 0.0,
    recomputed: bool = False,
) -> float:
    """Compute time of one optimizer step for a micro-batch size, with or without activation checkpointing.

        t = a · (t_0 + b · (forward + backward [+ forward]))   with  a = B / (b · dp)

    With t_0 = 0 the micro-batch cancels out: only the second forward pass is left to compare.

    Units:   fixed_s in seconds per micro-batch, the other times in seconds per sample. Result in seconds.
    Raises:  ValueError if the target does not divide, a sample's time is not positive, or fixed_s is negative.
    Source:  Chen et al. 2016, arXiv:1604.06174, section 4 (one extra forward pass).

    >>> case = {"target_batch": 2048, "dp": 8, "sample_forward_s": 0.1, "sample_backward_s": 0.2}
    >>> plain = plan_seconds(micro_batch=8, **case)
    >>> checkpointed = plan_seconds(micro_batch=16, recomputed=True, **case)
    >>> round(checkpointed / plain, 3)   # half the micro-batches, each more than twice as long
    1.333
    """
    require_positive(sample_forward_s=sample_forward_s, sample_backward_s=sample_backward_s)
    require_not_negative(fixed_s=fixed_s)
    passes = accumulation_steps(target_batch=target_batch, micro_batch=micro_batch, dp=dp)
    forwards = 2 if recomputed else 1
    sample_s = forwards * sample_forward_s + sample_backward_s
    return passes * (fixed_s + micro_batch * sample_s)


def faster_plan(
    *,
    target_batch: int,
    dp: int,
    plain_micro_batch: int,
    recomputed_micro_batch: int,
    sample_forward_s: float,
    sample_backward_s: float,
    fixed_s: float,
) -> str:
    """Which finishes a step first: a small micro-batch ("plain"), or a larger one with checkpointing ("recomputed").

    Larger micro-batches save only what each micro-batch costs whatever its size; checkpointing costs a forward pass.

    Units:   as in plan_seconds.
    Raises:  ValueError as plan_seconds does.
    Source:  plan_seconds of this module.

    >>> faster_plan(target_batch=2048, dp=8, plain_micro_batch=8, recomputed_micro_batch=16,
    ...             sample_forward_s=0.010, sample_backward_s=0.020, fixed_s=0.0)
    'plain'
    """
    plain = plan_seconds(
        target_batch=target_batch, micro_batch=plain_micro_batch, dp=dp, fixed_s=fixed_s,
        sample_forward_s=sample_forward_s, sample_backward_s=sample_backward_s,
    )  # fmt: skip
    recomputed = plan_seconds(
        target_batch=target_batch, micro_batch=recomputed_micro_batch, dp=dp, fixed_s=fixed_s,
        sample_forward_s=sample_forward_s, sample_backward_s=sample_backward_s, recomputed=True,
    )  # fmt: skip
    return "plain" if plain <= recomputed else "recomputed"


def tying_fixed_seconds(*, plain_micro_batch: int, recomputed_micro_batch: int, sample_forward_s: float) -> float:
    """The fixed time of a micro-batch at which a larger micro-batch with checkpointing is as fast as a smaller without.

        t_0 = forward · b_1 · b_2 / (b_2 - b_1)

    A sequence bears t_0/b of the fixed time. The larger micro-batch saves t_0/b_1 - t_0/b_2 of it and pays a forward pass.

    Units:   counts of samples; sample_forward_s in seconds per sample. Result in seconds per micro-batch.
    Raises:  ValueError if a count is below 1, recomputed_micro_batch is not the larger, or the time is not positive.
    Source:  plan_seconds of this module, with both plans set equal.

    >>> round(tying_fixed_seconds(plain_micro_batch=2, recomputed_micro_batch=8, sample_forward_s=0.030), 6)
    0.08
    """
    require_counts(plain_micro_batch=plain_micro_batch, recomputed_micro_batch=recomputed_micro_batch)
    require_positive(sample_forward_s=sample_forward_s)
    if recomputed_micro_batch <= plain_micro_batch:
        raise ValueError(f"recomputed_micro_batch must be more than {plain_micro_batch}, not {recomputed_micro_batch}")
    return sample_forward_s * plain_micro_batch * recomputed_micro_batch / (recomputed_micro_batch - plain_micro_batch)
