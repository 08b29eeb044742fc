"""What a training run takes: FLOP, days, model FLOPs utilisation, and the bill in dollars and kilowatt-hours."""

from __future__ import annotations

from ..facts.arguments import require_counts, require_fraction, require_positive
from .energy import JOULES_PER_KWH, site_energy_joules


def training_flop(*, parameters: float, tokens: float) -> float:
    """Work of a training run in FLOP, attention scores omitted.

        C = 6 · N · D

    Each weight costs a multiply and an add per token forward (2), and twice that backward (4): once for the
    gradient of its input, once for its own.

    Units:   parameters and tokens are counts. Result in FLOP.
    Raises:  ValueError if an argument is not positive.
    Source:  Kaplan et al. 2020, arXiv:2001.08361, section 2.1.

    >>> petaflop_day = 1e15 * 86400
    >>> round(training_flop(parameters=405e9, tokens=15.6e12) / petaflop_day)   # Llama 3.1 405B
    438750
    """
    require_positive(parameters=parameters, tokens=tokens)
    return 6 * parameters * tokens


def training_seconds_at_mfu(
    *, parameters: float, tokens: float, gpus: int, peak_flop_per_s: float, mfu: float
) -> float:
    """Duration of a run from the peak rate of a GPU and the model FLOPs utilisation.

        seconds = 6·N·D / (gpus · peak · MFU)

    MFU is a share of the peak. A rate that was measured has the utilisation in it already: see
    `training_seconds_at_rate`.

    Units:   peak in FLOP/s of one GPU, dense; MFU as a fraction. Result in seconds.
    Raises:  ValueError if an argument is not positive or the MFU is above 1.
    Source:  Chowdhery et al. 2022, arXiv:2204.02311, section 4.1; H100 SXM: 989 TFLOP/s dense BF16 (NVIDIA).

    >>> seconds = training_seconds_at_mfu(parameters=405e9, tokens=15.6e12, gpus=16384,
    ...                                   peak_flop_per_s=989e12, mfu=0.40)
    >>> round(seconds / 86400, 1)   # days
    67.7
    """
    require_positive(parameters=parameters, tokens=tokens, peak_flop_per_s=peak_flop_per_s)
    require_counts(gpus=gpus)
    require_fraction(mfu=mfu)
    flop_per_token = 6 * parameters
    total_flop = flop_per_token * tokens
    achieved_flop_per_s = peak_flop_per_s * mfu
    cluster_flop_per_s = gpus * achieved_flop_per_s
    return total_flop / cluster_flop_per_s


def training_seconds_at_rate(*, parameters: float, tokens: float, gpus: int, achieved_flop_per_s: float) -> float:
    """Duration of a run from the rate that each GPU was measured to achieve.

        seconds = 6·N·D / (gpus · achieved)

    Units:   achieved rate in FLOP/s of one GPU. Result in seconds.
    Raises:  ValueError if an argument is not positive.
    Source:  Chowdhery et al. 2022, arXiv:2204.02311, section 4.1 and appendix B.

    >>> seconds = training_seconds_at_rate(parameters=70e9, tokens=1.5e12, gpus=1024,
    ...                                    achieved_flop_per_s=400e12)
    >>> round(seconds / 86400, 1)   # days
    17.8
    """
    require_positive(parameters=parameters, tokens=tokens, achieved_flop_per_s=achieved_flop_per_s)
    require_counts(gpus=gpus)
    return 6 * parameters * tokens / (gpus * achieved_flop_per_s)


def gpu_seconds(*, parameters: float, tokens: float, peak_flop_per_s: float, mfu: float) -> float:
    """GPU time that a run takes, however many GPUs share it.

        GPU-seconds = 6·N·D / (peak · MFU)

    Units:   peak in FLOP/s of one GPU, dense; MFU as a fraction. Result in GPU-seconds.
    Raises:  ValueError if an argument is not positive or the MFU is above 1.
    Source:  Chowdhery et al. 2022, arXiv:2204.02311, appendix B.

    >>> used = gpu_seconds(parameters=70e9, tokens=1.5e12, peak_flop_per_s=989e12, mfu=0.45)
    >>> round(used / 3600)   # GPU-hours
    393214
    """
    require_positive(parameters=parameters, tokens=tokens, peak_flop_per_s=peak_flop_per_s)
    require_fraction(mfu=mfu)
    return 6 * parameters * tokens / (peak_flop_per_s * mfu)


def delivered_flop(*, gpus: int, run_s: float, peak_flop_per_s: float, mfu: float) -> float:
    """Return the training FLOP of a run, estimated from its chips, its duration and an assumed utilisation.

        C = n · T · peak · MFU

    Units:   seconds; peak in FLOP/s of one GPU, dense; MFU as a fraction. Result in FLOP.
    Raises:  ValueError if an argument is not positive or the MFU is above 1.
    Source:  Chowdhery et al. 2022, arXiv:2204.02311, appendix B, solved for the FLOP.

    >>> run = delivered_flop(gpus=25_000, run_s=95 * 86400, peak_flop_per_s=312e12, mfu=0.34)
    >>> f"{run:.3g}"   # as reported for GPT-4
    '2.18e+25'
    """
    require_counts(gpus=gpus)
    require_positive(run_s=run_s, peak_flop_per_s=peak_flop_per_s)
    require_fraction(mfu=mfu)
    return gpus * run_s * peak_flop_per_s * mfu


def wall_clock_seconds(*, gpu_time_s: float, gpus: int) -> float:
    """Calendar time that a published amount of GPU time fills on a cluster.

        seconds = GPU-seconds / gpus

    Units:   gpu_time_s in GPU-seconds. Result in seconds.
    Raises:  ValueError if gpu_time_s is not positive or gpus is below 1.
    Source:  Llama 3.1 model card, July 2024: 30.84 million H100 GPU-hours for the 405B model.

    >>> round(wall_clock_seconds(gpu_time_s=30.84e6 * 3600, gpus=16384) / 86400, 1)   # days
    78.4
    """
    require_positive(gpu_time_s=gpu_time_s)
    require_counts(gpus=gpus)
    return gpu_time_s / gpus


def mfu_from_gpu_time(*, parameters: float, tokens: float, gpu_time_s: float, peak_flop_per_s: float) -> float:
    """Utilisation over a whole run, restarts and all, from the GPU time that was paid for.

        MFU = 6·N·D / (GPU-seconds · peak)

    Units:   gpu_time_s in GPU-seconds; peak in FLOP/s of one GPU, dense. Result as a fraction.
    Raises:  ValueError if an argument is not positive.
    Source:  Chowdhery et al. 2022, arXiv:2204.02311, appendix B; Llama 3.1 model card, July 2024.

    >>> mfu = mfu_from_gpu_time(parameters=405e9, tokens=15.6e12, gpu_time_s=30.84e6 * 3600,
    ...                         peak_flop_per_s=989e12)
    >>> round(mfu, 3)
    0.345
    """
    require_positive(parameters=parameters, tokens=tokens)
    require_positive(gpu_time_s=gpu_time_s, peak_flop_per_s=peak_flop_per_s)
    return 6 * parameters * tokens / (gpu_time_s * peak_flop_per_s)


def mfu_from_throughput(*, parameters: float, tokens_per_s: float, gpus: int, peak_flop_per_s: float) -> float:
    """Utilisation at one moment, from the tokens that the cluster works off each second.

        MFU = 6 · N · tokens/s / (gpus · peak)

    Units:   tokens_per_s of the whole cluster; peak in FLOP/s of one GPU, dense. Result as a fraction.
    Raises:  ValueError if an argument is not positive.
    Source:  Chowdhery et al. 2022, arXiv:2204.02311, appendix B.

    >>> mfu = mfu_from_throughput(parameters=405e9, tokens_per_s=2.7e6, gpus=16384, peak_flop_per_s=989e12)
    >>> round(mfu, 3)
    0.405
    """
    require_positive(parameters=parameters, tokens_per_s=tokens_per_s, peak_flop_per_s=peak_flop_per_s)
    require_counts(gpus=gpus)
    return 6 * parameters * tokens_per_s / (gpus * peak_flop_per_s)


def mfu_with_attention(*, mfu: float, parameters: float, layers: int, hidden: int, sequence_length: int) -> float:
    """Utilisation as PaLM defines it, from one that counts the weights' work alone.

        MFU' = MFU · (6·N + 12·L·d·T) / (6·N)

    Scores are one product of queries and keys, and one of probabilities and values: 2·d·T FLOP each for a token and
    a layer. The backward pass takes each of them twice more. The causal mask is not discounted.

    Units:   mfu as a fraction; every other argument is a count. Result as a fraction.
    Raises:  ValueError if an argument is not positive or the MFU is above 1.
    Source:  Chowdhery et al. 2022, arXiv:2204.02311, appendix B (6N + 12LHQT, where H·Q = d).

    >>> mfu = mfu_with_attention(mfu=0.345, parameters=405e9, layers=126, hidden=16384, sequence_length=8192)
    >>> round(mfu, 3)   # attention adds 8.4 % to the work of Llama 3.1 405B at 8K context
    0.374
    """
    require_fraction(mfu=mfu)
    require_positive(parameters=parameters)
    require_counts(layers=layers, hidden=hidden, sequence_length=sequence_length)
    weight_flop = 6 * parameters
    attention_flop = 12 * layers * hidden * sequence_length
    return mfu * (weight_flop + attention_flop) / weight_flop


def rental_dollars(*, gpus: int, run_s: float, dollars_per_gpu_hour: float) -> float:
    """Rent of a cluster for the whole of a run.

        dollars = gpus · hours · price

    Units:   run_s in seconds; price in dollars for one GPU and one hour. Result in dollars.
    Raises:  ValueError if an argument is not positive.
    Source:  arithmetic; offers differ by a factor of two and more, so the price is an input.

    >>> round(rental_dollars(gpus=16384, run_s=77 * 86400, dollars_per_gpu_hour=2) / 1e6, 2)   # millions
    60.56
    """
    require_counts(gpus=gpus)
    require_positive(run_s=run_s, dollars_per_gpu_hour=dollars_per_gpu_hour)
    return gpus * (run_s / 3600) * dollars_per_gpu_hour


def dollars_saved_by_points(*, bill_dollars: float, mfu: float, points: float) -> float:
    """What a rise of the MFU by percentage points takes off the bill: one point is 40 % becoming 41 %.

        saved = bill · points / (MFU + points)

    Units:   mfu and points as fractions of the peak (one point is 0.01). Result in dollars.
    Raises:  ValueError if an argument is not positive or the MFU would rise above 1.
    Source:  arithmetic.

    >>> round(dollars_saved_by_points(bill_dollars=60.56e6, mfu=0.40, points=0.01) / 1e6, 2)   # millions
    1.48
    """
    require_positive(bill_dollars=bill_dollars, mfu=mfu, points=points)
    require_fraction(new_mfu=mfu + points)
    return bill_dollars * points / (mfu + points)


def electricity_dollars(
    *, gpus: int, watts_per_gpu: float, run_s: float, dollars_per_kwh: float, pue: float = 1.0
) -> float:
    """Electricity of a run: the GPUs' energy times what the building adds to it.

        dollars = gpus · watts · hours / 1000 · PUE · price

    PUE, power usage effectiveness, is the energy of the whole site over that of its computers, so at least 1.

    Units:   watts; seconds; dollars for one kilowatt-hour. Result in dollars.
    Raises:  ValueError if an argument is not positive or the PUE is below 1.
    Source:  ISO/IEC 30134-2:2016 (PUE); H100 SXM 700 W (NVIDIA, 2022; Llama Team 2024, section 3.3.1).

    >>> run = dict(gpus=16384, watts_per_gpu=700, run_s=77 * 86400, dollars_per_kwh=0.05)
    >>> round(electricity_dollars(**run)), round(electricity_dollars(**run, pue=1.4))
    (1059717, 1483604)
    """
    require_counts(gpus=gpus)
    require_positive(run_s=run_s, dollars_per_kwh=dollars_per_kwh)
    energy = site_energy_joules(gpu_time_s=gpus * run_s, watts_per_gpu=watts_per_gpu, pue=pue)
    return energy / JOULES_PER_KWH * dollars_per_kwh


def dollars_per_useful_gpu_hour(*, dollars_per_gpu_hour: float, useful_share: float) -> float:
    """Price of an hour of training when only a share of the paid hours trains.

        dollars = price / share

    Units:   price in dollars per paid GPU-hour; share as a fraction. Result in dollars per useful GPU-hour.
    Raises:  ValueError if the price is not positive or the share is not in (0, 1].
    Source:  arithmetic.

    >>> dollars_per_useful_gpu_hour(dollars_per_gpu_hour=4, useful_share=0.5)
    8.0
    """
    require_positive(dollars_per_gpu_hour=dollars_per_gpu_hour)
    require_fraction(useful_share=useful_share)
    return dollars_per_gpu_hour / useful_share


def seconds_saved_by_speedup(*, run_s: float, speedup: float) -> float:
    """Time that a higher throughput takes off a run.

        saved = T - T / speedup

    Units:   run_s in seconds; speedup as a ratio of throughputs. Result in seconds.
    Raises:  ValueError if run_s is not positive or the speedup is below 1.
    Source:  arithmetic.

    >>> seconds_saved_by_speedup(run_s=16 * 86400, speedup=1.6) / 86400   # 16 days become 10
    6.0
    """
    require_positive(run_s=run_s, speedup=speedup)
    if speedup < 1:
        raise ValueError(f"speedup must be at least 1, not {speedup!r}")
    return run_s - run_s / speedup


def dollars_to_finish(
    *, parameters: float, tokens: float, peak_flop_per_s: float, mfu: float, dollars_per_gpu_hour: float
) -> float:
    """Rent that a run costs on one kind of GPU. The number of GPUs cancels: more GPUs, fewer hours.

        dollars = 6·N·D / (peak · MFU) / 3600 · price

    Units:   peak in FLOP/s of one GPU, dense; MFU as a fraction; dollars per GPU-hour. Result in dollars.
    Raises:  ValueError if an argument is not positive or the MFU is above 1.
    Source:  Chowdhery et al. 2022, arXiv:2204.02311, appendix B; prices are inputs.

    >>> dollars = dollars_to_finish(parameters=70e9, tokens=1.5e12, peak_flop_per_s=989e12, mfu=0.45,
    ...                             dollars_per_gpu_hour=4)
    >>> round(dollars / 1e6, 2)   # million dollars
    1.57
    """
    require_positive(dollars_per_gpu_hour=dollars_per_gpu_hour)
    used = gpu_seconds(parameters=parameters, tokens=tokens, peak_flop_per_s=peak_flop_per_s, mfu=mfu)
    return used / 3600 * dollars_per_gpu_hour
