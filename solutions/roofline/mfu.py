"""Throughput as a share of the peak: achieved FLOP/s, MFU and HFU, tokens per second, and what a run loses on the way."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

from ..facts.arguments import require_counts, require_fraction, require_not_negative, require_positive


def achieved_flop_per_s(*, flop_per_token: float, tokens_per_s: float, gpus: int) -> float:
    """Rate that a GPU achieves, in the FLOP that one chooses to count for a token.

        achieved = FLOP per token · tokens/s / gpus

    Units:   tokens_per_s of the whole cluster. Result in FLOP/s of one GPU.
    Raises:  ValueError if an argument is not positive.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, section 5.1 (achieved teraFLOP/s per GPU).

    >>> round(achieved_flop_per_s(flop_per_token=6 * 8.03e9, tokens_per_s=600e3, gpus=64) / 1e12)   # Llama-3-8B, 64 GPUs
    452
    """
    require_positive(flop_per_token=flop_per_token, tokens_per_s=tokens_per_s)
    require_counts(gpus=gpus)
    return flop_per_token * tokens_per_s / gpus


def share_of_peak(*, achieved_flop_per_s: float, peak_flop_per_s: float) -> float:
    """What a rate is of the peak. Whether it is an MFU or an HFU depends on what the rate counted.

        share = achieved / peak

    Units:   both in FLOP/s of one GPU; the peak dense. Result as a fraction.
    Raises:  ValueError if an argument is not positive.
    Source:  Narayanan et al. 2021, arXiv:2104.04473, Table 1 ("percentage of theoretical peak").

    >>> round(share_of_peak(achieved_flop_per_s=163e12, peak_flop_per_s=312e12), 2)    # 1T parameters, an HFU
    0.52
    """
    require_positive(achieved_flop_per_s=achieved_flop_per_s, peak_flop_per_s=peak_flop_per_s)
    return achieved_flop_per_s / peak_flop_per_s


def utilisation(*, flop_per_token: float, tokens_per_s: float, gpus: int, peak_flop_per_s: float) -> float:
    """Share of the peak that a token count amounts to. The FLOP that are counted decide what the share is called.

        share = FLOP per token · tokens/s / (gpus · peak)

    With the model's own forward and backward pass it is the MFU, with recomputation as well the HFU.

    Units:   tokens_per_s of the whole cluster; peak in FLOP/s of one GPU, dense. Result as a fraction.
    Raises:  ValueError if an argument is not positive.
    Source:  Chowdhery et al. 2022, arXiv:2204.02311, section 4.1 and appendix B.

    >>> peak = 275e12                                             # TPU v4
    >>> round(utilisation(flop_per_token=3.278e12, tokens_per_s=238.3e3, gpus=6144, peak_flop_per_s=peak), 3)
    0.462
    >>> round(utilisation(flop_per_token=4.10e12, tokens_per_s=238.3e3, gpus=6144, peak_flop_per_s=peak), 3)
    0.578
    """
    require_positive(peak_flop_per_s=peak_flop_per_s)
    achieved = achieved_flop_per_s(flop_per_token=flop_per_token, tokens_per_s=tokens_per_s, gpus=gpus)
    return share_of_peak(achieved_flop_per_s=achieved, peak_flop_per_s=peak_flop_per_s)


def mfu_of_step(
    *, sequences: int, sequence_length: int, step_s: float, gpus: int, peak_flop_per_s: float, layers: int, hidden: int,
    ffn_hidden: int, heads: int, kv_heads: int, vocabulary: int,
) -> float:  # fmt: skip
    """MFU of a training step of a decoder with grouped queries and SwiGLU, from its shape and its measured time.

        MFU = tokens · 3 · (L · (2·weights of a layer + 4·s·d) + 2·d·V) / (gpus · peak · step time)

    Units:   sequences of the global batch; step_s in seconds; peak in FLOP/s of one GPU, dense. Result as a fraction.
    Raises:  ValueError if a count is below 1, a rate is not positive, or the heads do not divide.
    Source:  Chowdhery et al. 2022, arXiv:2204.02311, appendix B; Korthikanti et al. 2022, arXiv:2205.05198, appendix A.

    >>> mfu = mfu_of_step(sequences=512, sequence_length=8192, step_s=9.0, gpus=64, peak_flop_per_s=989e12, layers=32,
    ...                   hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, vocabulary=128256)
    >>> round(mfu, 3)
    0.426
    """
    require_counts(sequences=sequences, sequence_length=sequence_length, gpus=gpus, layers=layers, hidden=hidden)
    require_counts(ffn_hidden=ffn_hidden, heads=heads, kv_heads=kv_heads, vocabulary=vocabulary)
    require_positive(step_s=step_s, peak_flop_per_s=peak_flop_per_s)
    if hidden % heads or heads % kv_heads:
        raise ValueError(f"{heads} heads must divide the width {hidden}, and {kv_heads} KV heads the heads")
    kv_width = hidden // heads * kv_heads
    attention_weights = 2 * hidden * hidden + 2 * hidden * kv_width
    mlp_weights = 3 * hidden * ffn_hidden
    score_flop = 4 * sequence_length * hidden
    layer_flop = 2 * (attention_weights + mlp_weights) + score_flop
    forward_flop = layers * layer_flop + 2 * hidden * vocabulary
    tokens_per_s = sequences * sequence_length / step_s
    achieved_flop_per_s = 3 * forward_flop * tokens_per_s / gpus
    return achieved_flop_per_s / peak_flop_per_s


def step_utilisation(*, step_flop: float, step_s: float, gpus: int, peak_flop_per_s: float) -> float:
    """Share of the peak from a step's FLOP and its time.

        share = FLOP of the step / (gpus · peak · step time)

    Units:   step_flop of all GPUs; step_s in seconds; peak in FLOP/s of one GPU, dense. Result as a fraction.
    Raises:  ValueError if an argument is not positive.
    Source:  Korthikanti et al. 2022, arXiv:2205.05198, section 6.3.

    >>> round(step_utilisation(step_flop=1.417e17, step_s=13.75, gpus=64, peak_flop_per_s=312e12), 3)
    0.516
    """
    require_positive(step_flop=step_flop, step_s=step_s, peak_flop_per_s=peak_flop_per_s)
    require_counts(gpus=gpus)
    return step_flop / (gpus * peak_flop_per_s * step_s)


def tokens_per_s_at_mfu(*, mfu: float, flop_per_token: float, gpus: int, peak_flop_per_s: float) -> float:
    """Tokens that a cluster works off in a second, from its MFU.

        tokens/s = MFU · gpus · peak / FLOP per token

    Units:   MFU as a fraction, in the same convention as flop_per_token; peak in FLOP/s of one GPU. Result in tokens/s.
    Raises:  ValueError if an argument is not positive or the MFU is above 1.
    Source:  Chowdhery et al. 2022, arXiv:2204.02311, appendix B, solved for the throughput.

    >>> round(tokens_per_s_at_mfu(mfu=0.45, flop_per_token=6 * 8.03e9, gpus=64, peak_flop_per_s=989e12) / 64)   # a GPU
    9237
    """
    require_fraction(mfu=mfu)
    require_positive(flop_per_token=flop_per_token, peak_flop_per_s=peak_flop_per_s)
    require_counts(gpus=gpus)
    return mfu * gpus * peak_flop_per_s / flop_per_token


def gpus_in_time(*, work_flop: float, achieved_flop_per_s: float, run_s: float) -> int:
    """Fewest GPUs that do a run's work in a given time, at the rate that one GPU was measured to sustain.

        gpus = ⌈work / (achieved · time)⌉

    A sustained rate has the utilisation in it, so no MFU appears next to it.

    Units:   FLOP; FLOP/s of one GPU; seconds. Result is a count.
    Raises:  ValueError if an argument is not positive.
    Source:  Chowdhery et al. 2022, arXiv:2204.02311, section 4.1.

    >>> gpus_in_time(work_flop=6 * 70e9 * 1.5e12, achieved_flop_per_s=400e12, run_s=40 * 86400)
    456
    """
    require_positive(work_flop=work_flop, achieved_flop_per_s=achieved_flop_per_s, run_s=run_s)
    return ceil(work_flop / (achieved_flop_per_s * run_s))


def seconds_for_tokens(*, training_tokens: float, tokens_per_s: float) -> float:
    """Time of a run from its throughput, whatever an MFU says about it.

        seconds = tokens / (tokens/s)

    Units:   tokens_per_s of the whole cluster. Result in seconds.
    Raises:  ValueError if an argument is not positive.
    Source:  arithmetic.

    >>> round(seconds_for_tokens(training_tokens=780e9, tokens_per_s=238.3e3) / 86400, 1)    # PaLM 540B: days
    37.9
    """
    require_positive(training_tokens=training_tokens, tokens_per_s=tokens_per_s)
    return training_tokens / tokens_per_s


def hfu_from_mfu(*, mfu: float, model_flop: float, hardware_flop: float) -> float:
    """Hardware utilisation from the model's: what the GPUs really computed, recomputation included.

        HFU = MFU · hardware FLOP / model FLOP

    Units:   mfu as a fraction; both FLOP for the same tokens. Result as a fraction.
    Raises:  ValueError if an argument is not positive, or the hardware does less than the model needs.
    Source:  Chowdhery et al. 2022, arXiv:2204.02311, appendix B.

    >>> round(hfu_from_mfu(mfu=0.462, model_flop=3.28, hardware_flop=4.10), 3)    # PaLM 540B
    0.578
    """
    require_fraction(mfu=mfu)
    require_positive(model_flop=model_flop, hardware_flop=hardware_flop)
    if hardware_flop < model_flop:
        raise ValueError(f"{hardware_flop:g} FLOP on the hardware are fewer than the {model_flop:g} of the model")
    return mfu * (hardware_flop / model_flop)


def mfu_from_profile(
    *, kernel_efficiency: float, step_shares_lost: Sequence[float], recompute_ratio: float = 1.0
) -> float:
    """MFU that a profile of a step leads to expect: what products reach of the peak, in the time that is theirs.

        MFU = efficiency · (1 - Σ lost) / ratio

    The lost shares are all of the same step, so they add up: kernels that wait for memory, the pipeline's bubble,
    communication that nothing hides. What is computed again keeps the GPUs busy and does not count, so its ratio divides.

    Units:   every argument is a fraction; recompute_ratio is hardware FLOP over model FLOP. Result as a fraction.
    Raises:  ValueError if an efficiency or a share is not a fraction, the shares reach 1, or the ratio is below 1.
    Source:  arithmetic; measured maxima of matrix products: Bekman, Machine Learning Engineering, compute/accelerator,
             table of maximum achievable matmul FLOPS.

    >>> round(mfu_from_profile(kernel_efficiency=0.803, step_shares_lost=[0.09, 0.10, 0.15]), 3)
    0.53
    """
    require_fraction(kernel_efficiency=kernel_efficiency)
    require_not_negative(**{f"share_{place}": share for place, share in enumerate(step_shares_lost)})
    require_fraction(share_left=1 - sum(step_shares_lost))
    _require_ratio(recompute_ratio)
    return kernel_efficiency * (1 - sum(step_shares_lost)) / recompute_ratio


def share_that_may_be_lost(
    *, mfu: float, kernel_efficiency: float, lost_elsewhere: float, recompute_ratio: float = 1.0
) -> float:
    """Largest share of a step that one more loss may take before the MFU falls below a target.

        lost = 1 - elsewhere - MFU · ratio / efficiency

    Units:   lost_elsewhere in total, as a fraction of the step; the others as fractions of the peak and a ratio. Result as a
             fraction of the step.
    Raises:  ValueError as mfu_from_profile, or if the target is out of reach without the loss.
    Source:  arithmetic, as mfu_from_profile.

    >>> round(share_that_may_be_lost(mfu=0.45, kernel_efficiency=0.803, lost_elsewhere=0.19), 3)
    0.25
    """
    require_fraction(mfu=mfu)
    best = mfu_from_profile(
        kernel_efficiency=kernel_efficiency, step_shares_lost=[lost_elsewhere], recompute_ratio=recompute_ratio
    )
    if best < mfu:
        raise ValueError(f"even without that loss the MFU is {best:.3f}, below {mfu}")
    return 1 - lost_elsewhere - mfu * recompute_ratio / kernel_efficiency


def mfu_before_speedup(*, mfu: float, speedup: float) -> float:
    """MFU of a baseline that a new stack has left behind by a factor, on the same GPUs and with the same count.

        baseline = MFU / speedup

    Units:   mfu as a fraction; speedup as a ratio of throughputs. Result as a fraction.
    Raises:  ValueError if the MFU is no fraction or the speedup is below 1.
    Source:  Jiang et al. 2024 (MegaScale), arXiv:2402.15627, abstract: 55.2 % and 1.34 times the MFU of Megatron-LM.

    >>> round(mfu_before_speedup(mfu=0.552, speedup=1.34), 3)
    0.412
    """
    require_fraction(mfu=mfu)
    require_positive(speedup=speedup)
    if speedup < 1:
        raise ValueError(f"speedup must be at least 1, not {speedup!r}")
    return mfu / speedup


def paced_tokens_per_s(*, tokens_per_s_per_gpu: float, slowdowns: Sequence[float]) -> float:
    """Throughput of a synchronous job, in which every step waits for the slowest GPU.

        tokens/s = gpus · tokens/s of a healthy GPU / max(slowdown)

    Units:   tokens/s of one healthy GPU; a slowdown is a GPU's step time over a healthy one's (1.05 for 5 % longer).
             Result in tokens/s of the cluster.
    Raises:  ValueError if the rate is not positive, no GPU is given, or a slowdown is below 1.
    Source:  Llama Team 2024, arXiv:2407.21783, section 3.3.4 (one straggler slows thousands of GPUs).

    >>> round(paced_tokens_per_s(tokens_per_s_per_gpu=9000, slowdowns=[1.0] * 63 + [1.05]))   # 63 wait for one
    548571
    """
    require_positive(tokens_per_s_per_gpu=tokens_per_s_per_gpu)
    if not slowdowns or min(slowdowns) < 1:
        raise ValueError("slowdowns need one GPU at least, each at least 1")
    return len(slowdowns) * tokens_per_s_per_gpu / max(slowdowns)


def keep_or_drop(*, gpus: int, slow_gpus: int, slowdown: float, gpus_per_replica: int) -> str:
    """Whether a synchronous job is faster with its slow GPUs or without: whole replicas leave, and the others stop waiting.

        "drop" if  (gpus - dropped) > gpus / slowdown, else "keep";   dropped = slow GPUs rounded up to whole replicas

    The global batch shrinks with the replicas, so that every GPU keeps its work.

    Units:   slowdown is a slow GPU's step time over a healthy one's; the rest are counts. Result is a word.
    Raises:  ValueError if a count is below 1, slowdown below 1, or the GPUs are not a whole number of replicas.
    Source:  arithmetic on a synchronous step.

    >>> keep_or_drop(gpus=1024, slow_gpus=1, slowdown=1.05, gpus_per_replica=8)      # 1,016 at full speed beat 975
    'drop'
    >>> keep_or_drop(gpus=1024, slow_gpus=1, slowdown=1.05, gpus_per_replica=128)    # 896 do not
    'keep'
    """
    require_counts(gpus=gpus, slow_gpus=slow_gpus, gpus_per_replica=gpus_per_replica)
    require_positive(slowdown=slowdown)
    if slowdown < 1 or gpus % gpus_per_replica:
        raise ValueError("slowdown must be at least 1, and the GPUs whole replicas")
    dropped = -(-slow_gpus // gpus_per_replica) * gpus_per_replica
    return "drop" if gpus - dropped > gpus / slowdown else "keep"


def _require_ratio(recompute_ratio: float) -> None:
    require_positive(recompute_ratio=recompute_ratio)
    if recompute_ratio < 1:
        raise ValueError(f"recompute_ratio must be at least 1, not {recompute_ratio!r}")
