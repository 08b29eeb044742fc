"""Training and serving together: FLOP of a model's life, the demand from which a smaller model pays, and the best size for a demand."""

from __future__ import annotations

from ..facts.arguments import require_not_negative, require_positive
from .overtraining import tokens_for_loss
from .scaling_laws import balanced_tokens, fit_of, predicted_loss


def lifetime_flop(
    *, parameters: float, training_tokens: float, served_tokens: float, serving_price: float = 1
) -> float:
    """FLOP that a model takes in its life: 6 for each parameter and training token, 2 for each one that is served.

        C = 6 · N · D + 2 · N · T · p

    A served FLOP may cost more than a training FLOP, because decoding uses less of the peak: its price p weighs it.

    Units:   counts; serving_price is the cost of a served FLOP over that of a training FLOP. Result in FLOP of training.
    Raises:  ValueError if an argument is not positive, or served_tokens is negative.
    Source:  Sardana et al. 2024, arXiv:2401.00448, section 2.

    >>> f"{lifetime_flop(parameters=8e9, training_tokens=15e12, served_tokens=10e12):.2e}"
    '8.80e+23'
    """
    require_positive(parameters=parameters, training_tokens=training_tokens, serving_price=serving_price)
    require_not_negative(served_tokens=served_tokens)
    return 6 * parameters * training_tokens + 2 * parameters * served_tokens * serving_price


def break_even_served_tokens(
    *, large_parameters: float, large_tokens: float, small_parameters: float, small_tokens: float
) -> float:
    """Served tokens from which a smaller model, trained for longer to the same loss, has cost fewer FLOP in total.

        T = 3 · (N_s·D_s - N_l·D_l) / (N_l - N_s)

    Units:   every argument is a count. Result is a count of tokens.
    Raises:  ValueError if a count is not positive, the small model is not smaller, or its training takes no more FLOP.
    Source:  lifetime_flop of this module, equal for both.

    >>> round(break_even_served_tokens(large_parameters=13e9, large_tokens=270e9, small_parameters=7e9,
    ...                                small_tokens=590e9) / 1e9)
    310
    """
    require_positive(large_parameters=large_parameters, large_tokens=large_tokens)
    require_positive(small_parameters=small_parameters, small_tokens=small_tokens)
    if small_parameters >= large_parameters:
        raise ValueError(f"{small_parameters:g} parameters are not fewer than {large_parameters:g}")
    extra_training = small_parameters * small_tokens - large_parameters * large_tokens
    if extra_training <= 0:
        raise ValueError("the smaller model takes no more FLOP to train, so it pays from the first token")
    return 3 * extra_training / (large_parameters - small_parameters)


def best_size(*, parameters: float, served_tokens: float, fit: str) -> float:
    """Parameters that take the fewest FLOP in a model's life, at the loss of a compute-optimal model of a given size.

        minimise 6·N·D + 2·N·T with L(N, D) fixed:    α·A/N^α = β·B/D^β · (1 + T / 3D)

    Served tokens make a parameter dearer, by 2·T next to 6·D; the condition is solved by bisection.

    Units:   parameters of the compute-optimal model that sets the loss; counts. Result is a count of parameters.
    Raises:  ValueError if parameters are not positive, served_tokens negative or the fit unknown.
    Source:  Sardana et al. 2024, arXiv:2401.00448, equation 3.

    >>> round(best_size(parameters=13e9, served_tokens=2e12, fit="Sardana") / 1e9, 1)    # Figure 1: a 7B model
    7.0
    """
    require_positive(parameters=parameters)
    require_not_negative(served_tokens=served_tokens)
    law = fit_of(fit)
    data = balanced_tokens(parameters=parameters, fit=fit)
    loss = predicted_loss(parameters=parameters, tokens=data, fit=fit)
    to_share = loss - law.floor  # what size and data leave together
    low, high = 0.0, 1.0  # the part of it that is left to the size
    while (part := (low + high) / 2) not in (low, high):
        size = (law.parameter_scale / (part * to_share)) ** (1 / law.parameter_exponent)
        tokens = (law.token_scale / ((1 - part) * to_share)) ** (1 / law.token_exponent)
        gain_of_size, gain_of_data = law.parameter_exponent * part, law.token_exponent * (1 - part)
        if gain_of_size < gain_of_data * (1 + served_tokens / (3 * tokens)):
            low = part
        else:
            high = part
    return float(size)


def least_lifetime(
    *, large_parameters: float, medium_parameters: float, small_parameters: float, served_tokens: float,
    serving_price: float, fit: str,
) -> str:  # fmt: skip
    """Which of three models of equal loss takes the least in its life: the compute-optimal large one, or two that were trained on.

    Each is trained to the loss at which the large one is compute-optimal.

    Units:   counts; serving_price as in lifetime_flop; fit is a name in scaling_laws.FITS. Result is a word.
    Raises:  ValueError if the sizes do not fall, or one is too small to reach the loss.
    Source:  Sardana et al. 2024, arXiv:2401.00448, section 2.

    >>> least_lifetime(large_parameters=13e9, medium_parameters=8e9, small_parameters=5e9, served_tokens=1e12,
    ...                serving_price=1, fit="Besiroglu")
    'medium'
    """
    require_positive(large_parameters=large_parameters, medium_parameters=medium_parameters)
    require_positive(small_parameters=small_parameters)
    if not small_parameters < medium_parameters < large_parameters:
        raise ValueError("the sizes must fall from large to small")
    sizes = {"large": large_parameters, "medium": medium_parameters, "small": small_parameters}
    data = balanced_tokens(parameters=large_parameters, fit=fit)
    loss = predicted_loss(parameters=large_parameters, tokens=data, fit=fit)
    cost = {
        name: lifetime_flop(
            parameters=size,
            training_tokens=tokens_for_loss(parameters=size, loss=loss, fit=fit),
            served_tokens=served_tokens,
            serving_price=serving_price,
        )
        for name, size in sizes.items()
    }
    return min(cost, key=cost.__getitem__)
