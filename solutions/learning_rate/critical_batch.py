"""The critical batch: how the noise of a gradient decides what a larger batch costs in steps, data and money, and its best rate."""

from __future__ import annotations

import math

from ..facts.arguments import require_positive


def steps_to_target(*, minimum_steps: float, critical_batch: float, batch: float) -> float:
    """Steps to reach a loss with some batch, by the model of gradient noise.

        S = S_min · (1 + B_crit / B)

    Far below the critical batch, doubling the batch halves the steps; far above it, it saves next to nothing.

    Units:   batches in tokens or samples, both the same. Result in steps.
    Raises:  ValueError if an argument is not positive.
    Source:  McCandlish et al. 2018, arXiv:1812.06162, section 2.3; Kaplan et al. 2020, arXiv:2001.08361, section 5.1.

    >>> [round(steps_to_target(minimum_steps=10_000, critical_batch=2e6, batch=b)) for b in (1e6, 2e6, 4e6, 8e6)]
    [30000, 20000, 15000, 12500]
    """
    require_positive(minimum_steps=minimum_steps, critical_batch=critical_batch, batch=batch)
    noise_steps = critical_batch / batch
    return minimum_steps * (1 + noise_steps)


def data_to_target(*, minimum_data: float, critical_batch: float, batch: float) -> float:
    """Data that are needed to reach a loss with some batch, by the model of gradient noise.

        E = E_min · (1 + B / B_crit)

    At the critical batch a run takes twice the fewest steps, and twice the least data.

    Units:   tokens or samples throughout. Result in the same.
    Raises:  ValueError if an argument is not positive.
    Source:  McCandlish et al. 2018, arXiv:1812.06162, section 2.3; Kaplan et al. 2020, arXiv:2001.08361, section 5.1.

    >>> [data_to_target(minimum_data=20e9, critical_batch=2e6, batch=b) / 1e9 for b in (1e6, 2e6, 4e6, 8e6)]
    [30.0, 40.0, 60.0, 100.0]
    """
    require_positive(minimum_data=minimum_data, critical_batch=critical_batch, batch=batch)
    batch_excess = batch / critical_batch
    return minimum_data * (1 + batch_excess)


def batch_for_data(*, minimum_data: float, critical_batch: float, data: float) -> float:
    """Largest batch with which the data suffice to reach a loss, by the model of gradient noise.

        B = B_crit · (E / E_min - 1)

    Units:   data and batches in tokens or samples, all the same.
    Raises:  ValueError if an argument is not positive or the data are no more than the minimum.
    Source:  data_to_target of this module, solved for the batch.

    >>> batch_for_data(minimum_data=20e9, critical_batch=2e6, data=30e9) / 1e6   # half as much again: half of B_crit
    1.0
    """
    require_positive(minimum_data=minimum_data, critical_batch=critical_batch, data=data)
    if data <= minimum_data:
        raise ValueError(f"data must be above the minimum of {minimum_data:g}, not {data:g}")
    return critical_batch * (data / minimum_data - 1)


def dollars_per_second_saved(
    *,
    minimum_data: float,
    critical_batch: float,
    batch: float,
    factor: float,
    gpus: float,
    tokens_per_gpu_s: float,
    dollars_per_gpu_s: float,
) -> float:
    """What a run pays for each second that it saves by growing its batch and its GPUs by the same factor.

        (dollars(k·B) - dollars(B)) / (seconds(B) - seconds(k·B))

    with E(B) tokens as in data_to_target, E/(n · r) seconds on n GPUs, and E/r GPU-seconds. Each GPU keeps its share
    of the batch and so its speed. The noise model decides how many tokens more the larger batch needs.

    Units:   data and batches in tokens; tokens_per_gpu_s in tokens per second. Result in dollars per second.
    Raises:  ValueError if an argument is not positive or factor is not above 1.
    Source:  data_to_target of this module; McCandlish et al. 2018, arXiv:1812.06162, section 2.3.

    >>> price = dollars_per_second_saved(minimum_data=1e12, critical_batch=4e6, batch=2e6, factor=2, gpus=128,
    ...                                  tokens_per_gpu_s=8000, dollars_per_gpu_s=2 / 3600)
    >>> round(price * 86400)   # dollars a day: 17 days become 11.3
    6144
    """
    require_positive(gpus=gpus, tokens_per_gpu_s=tokens_per_gpu_s, dollars_per_gpu_s=dollars_per_gpu_s)
    if not factor > 1:
        raise ValueError(f"factor must be above 1, not {factor!r}")
    tokens = data_to_target(minimum_data=minimum_data, critical_batch=critical_batch, batch=batch)
    more_tokens = data_to_target(minimum_data=minimum_data, critical_batch=critical_batch, batch=factor * batch)
    extra_dollars = (more_tokens - tokens) / tokens_per_gpu_s * dollars_per_gpu_s
    saved_s = (tokens - more_tokens / factor) / (gpus * tokens_per_gpu_s)
    return extra_dollars / saved_s


def critical_batch_tokens(*, loss: float, scale_tokens: float, exponent: float) -> float:
    """Critical batch size as a function of the loss alone.

        B_crit = B* / L^(1/α_B)

    It grows as the loss falls, and the size of the model enters only through the loss.

    Units:   loss in nats per token; scale_tokens in tokens. Result in tokens.
    Raises:  ValueError if an argument is not positive.
    Source:  Kaplan et al. 2020, arXiv:2001.08361, section 5.1: B* about 2e8 tokens, α_B about 0.21 (WebText2).

    >>> round(critical_batch_tokens(loss=2.5, scale_tokens=2e8, exponent=0.21) / 1e6, 2)   # million tokens
    2.55
    """
    require_positive(loss=loss, scale_tokens=scale_tokens, exponent=exponent)
    return scale_tokens / math.pow(loss, 1 / exponent)


def loss_for_critical_batch(*, critical_batch: float, scale_tokens: float, exponent: float) -> float:
    """Loss at which the critical batch has grown to a size.

        L = (B* / B_crit)^α_B

    Units:   batches in tokens. Result in nats per token.
    Raises:  ValueError if an argument is not positive.
    Source:  critical_batch_tokens of this module, solved for the loss; Kaplan et al. 2020, arXiv:2001.08361, section 5.1.

    >>> round(loss_for_critical_batch(critical_batch=4e6, scale_tokens=2e8, exponent=0.21), 2)
    2.27
    """
    require_positive(critical_batch=critical_batch, scale_tokens=scale_tokens, exponent=exponent)
    return math.pow(scale_tokens / critical_batch, exponent)


def critical_batch_for_tokens(
    *, base_critical_batch: float, base_tokens: float, tokens: float, exponent: float
) -> float:
    """Return the critical batch size of a run on other data, when it is a power of the training tokens alone.

        B_crit = B_0 · (D / D_0)^α

    Zhang et al. fit α = 0.47 and hardly any change with the number of parameters.

    Units:   batches and data in tokens; exponent is a number. Result in tokens.
    Raises:  ValueError if an argument is not positive.
    Source:  Zhang et al. 2024, arXiv:2410.21676.

    >>> round(critical_batch_for_tokens(base_critical_batch=1e6, base_tokens=1e11, tokens=1e12, exponent=0.47) / 1e6, 2)
    2.95
    """
    require_positive(base_critical_batch=base_critical_batch, base_tokens=base_tokens, tokens=tokens, exponent=exponent)
    return base_critical_batch * math.pow(tokens / base_tokens, exponent)


def noise_scale(*, small_batch: float, big_batch: float, small_square: float, big_square: float) -> float:
    """Simple noise scale, from squared gradient norms measured at two batch sizes.

        B_simple = S / G²  with  G² = (B_b·g_b - B_s·g_s) / (B_b - B_s)  and  S = (g_s - g_b) / (1/B_s - 1/B_b)

    The square of a measured gradient is that of the true one plus the noise of a mean of B samples: g_B = G² + S/B.

    Units:   batches in tokens or samples, both the same; norms squared. Result in the unit of the batches.
    Raises:  ValueError if an argument is not positive, the batches or norms are not in order, or no gradient is left.
    Source:  McCandlish et al. 2018, arXiv:1812.06162, appendix A.1.

    >>> round(noise_scale(small_batch=1000, big_batch=4000, small_square=4.0, big_square=1.75))   # G² is 1, S is 3000
    3000
    """
    require_positive(small_batch=small_batch, big_batch=big_batch, small_square=small_square, big_square=big_square)
    if big_batch <= small_batch:
        raise ValueError(f"big_batch must be above small_batch {small_batch!r}, not {big_batch!r}")
    if big_square >= small_square:
        raise ValueError(f"big_square must be below small_square {small_square!r}, not {big_square!r}")
    true_square = (big_batch * big_square - small_batch * small_square) / (big_batch - small_batch)
    if true_square <= 0:
        raise ValueError(f"big_square must be above small_square times small_batch over big_batch, not {big_square!r}")
    noise = (small_square - big_square) / (1 / small_batch - 1 / big_batch)
    return noise / true_square


def best_lr(*, base_lr: float, base_batch: float, batch: float, noise_scale: float) -> float:
    """Best learning rate of SGD at a batch, from the best one at another batch, by the model of gradient noise.

        lr = lr_0 · (1 + B_noise/B_0) / (1 + B_noise/B)

    because the best rate is lr_max / (1 + B_noise/B): linear in the batch far below the noise scale, level far above.

    Units:   batches and noise_scale in samples or tokens, all the same. Result is a learning rate.
    Raises:  ValueError if an argument is not positive.
    Source:  McCandlish et al. 2018, arXiv:1812.06162, section 2.2.

    >>> round(best_lr(base_lr=0.1, base_batch=256, batch=2048, noise_scale=1024), 4)   # and not 0.8
    0.3333
    """
    require_positive(base_lr=base_lr, base_batch=base_batch, batch=batch, noise_scale=noise_scale)
    return base_lr * (1 + noise_scale / base_batch) / (1 + noise_scale / batch)
