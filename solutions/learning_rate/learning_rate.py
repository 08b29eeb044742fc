"""Learning rates for large batches: scaling rules, what they keep, and a rule fitted to two sweeps."""

from __future__ import annotations

import math

from ..facts.arguments import require_positive


def linear_rule_lr(*, base_lr: float, base_batch: float, batch: float) -> float:
    """Learning rate that the linear scaling rule proposes for another batch.

        lr = lr_0 · B / B_0

    A heuristic, found with SGD with momentum on ImageNet up to batches of 8k; it needs a warmup there.

    Units:   batches in samples or tokens, both the same. The result is for the same optimizer as base_lr.
    Raises:  ValueError if an argument is not positive.
    Source:  Goyal et al. 2017, arXiv:1706.02677, section 2.1.

    >>> round(linear_rule_lr(base_lr=3e-4, base_batch=256, batch=2048), 8)   # eight times the batch and the rate
    0.0024
    """
    require_positive(base_lr=base_lr, base_batch=base_batch, batch=batch)
    batch_factor = batch / base_batch
    return base_lr * batch_factor


def square_root_rule_lr(*, base_lr: float, base_batch: float, batch: float) -> float:
    """Learning rate that the square-root scaling rule proposes for another batch.

        lr = lr_0 · √(B / B_0)

    LAMB uses it. For Adam it follows from a model of the gradient's noise, in which β1, β2 and ε change as well.

    Units:   batches in samples or tokens, both the same. The result is for the same optimizer as base_lr.
    Raises:  ValueError if an argument is not positive.
    Source:  You et al. 2020, arXiv:1904.00962 (LAMB); Malladi et al. 2022, arXiv:2205.10287 (Adam).

    >>> round(square_root_rule_lr(base_lr=3e-4, base_batch=256, batch=2048), 7)   # √8 = 2.83 times the rate
    0.0008485
    """
    require_positive(base_lr=base_lr, base_batch=base_batch, batch=batch)
    batch_factor = batch / base_batch
    return base_lr * math.sqrt(batch_factor)


def square_root_rule_batch(*, base_lr: float, base_batch: float, lr: float) -> float:
    """Batch for which the square-root rule proposes a given learning rate.

        B = B_0 · (lr / lr_0)²

    Units:   the result is in the unit of base_batch.
    Raises:  ValueError if an argument is not positive.
    Source:  square_root_rule_lr of this module, solved for the batch.

    >>> round(square_root_rule_batch(base_lr=3e-4, base_batch=256, lr=12e-4))   # four times the rate, 16 the batch
    4096
    """
    require_positive(base_lr=base_lr, base_batch=base_batch, lr=lr)
    rate_factor = lr / base_lr
    return base_batch * rate_factor**2


def sample_weight(*, base_lr: float, base_batch: float, lr: float, batch: float) -> float:
    """How far one sample's gradient moves the weights, compared with the base recipe, under a mean loss.

        weight = (lr / B) / (lr_0 / B_0)

    The mean divides each gradient by B before the learning rate multiplies it.

    Units:   batches in samples or tokens, both the same. Result is a ratio.
    Raises:  ValueError if an argument is not positive.
    Source:  Goyal et al. 2017, arXiv:1706.02677, section 2.1 and section 3, remark 3.

    >>> sample_weight(base_lr=3e-4, base_batch=256, lr=6e-4, batch=512)   # both doubled: nothing changes
    1.0
    """
    require_positive(base_lr=base_lr, base_batch=base_batch, lr=lr, batch=batch)
    return (lr / batch) / (base_lr / base_batch)


def adam_window_steps(*, beta: float, base_batch: float, batch: float) -> float:
    """Steps over which an average of Adam looks back after the square-root rule has changed its decay.

        1 - β' = k · (1 - β),   window = 1 / (1 - β')   with  k = B / B_0

    A window of as many samples is fewer steps of a larger batch. The rule also multiplies the learning rate by √k and
    divides ε by √k.

    Units:   batches in samples or tokens, both the same. Result in steps.
    Raises:  ValueError if a batch is not positive, or β or the new decay does not lie between 0 and 1.
    Source:  Malladi et al. 2022, arXiv:2205.10287 (square-root scaling rule for Adam).

    >>> round(adam_window_steps(beta=0.999, base_batch=256, batch=1024))   # β' = 0.996
    250
    """
    require_positive(beta=beta, base_batch=base_batch, batch=batch)
    kept = 1 - (1 - beta) * batch / base_batch
    if not 0 < kept < 1:
        raise ValueError(f"the new decay must lie between 0 and 1, not {kept:g}")
    return 1 / (1 - kept)


def rate_from_two_sweeps(
    *, first_batch: float, first_lr: float, second_batch: float, second_lr: float, batch: float
) -> float:
    """Learning rate at a third batch, when the best rate goes on as the power of the batch that two sweeps lie on.

        lr = lr_2 · (B / B_2)^p   with  p = ln(lr_2 / lr_1) / ln(B_2 / B_1)

    p = 1 is the linear rule and p = 1/2 the square-root rule. Near the critical batch p falls, and the line bends.

    Units:   batches in samples or tokens, all the same. Result is a learning rate.
    Raises:  ValueError if an argument is not positive or both sweeps have the same batch.
    Source:  a straight line through two points on logarithmic axes; rules as in linear_rule_lr and square_root_rule_lr.

    >>> round(rate_from_two_sweeps(first_batch=256, first_lr=3e-4, second_batch=1024, second_lr=6e-4, batch=4096), 6)
    0.0012
    """
    require_positive(first_batch=first_batch, first_lr=first_lr, second_batch=second_batch, second_lr=second_lr)
    require_positive(batch=batch)
    if first_batch == second_batch:
        raise ValueError(f"second_batch must differ from first_batch {first_batch!r}")
    power = math.log(second_lr / first_lr) / math.log(second_batch / first_batch)
    return second_lr * math.pow(batch / second_batch, power)
