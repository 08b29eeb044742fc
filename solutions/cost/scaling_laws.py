"""Scaling laws: the loss that a fit predicts from parameters and tokens, and the size that it recommends for a budget of FLOP."""

from __future__ import annotations

from dataclasses import dataclass
from math import exp, log, sqrt

from ..facts.arguments import require_positive


@dataclass(frozen=True)
class Fit:
    """The five constants of L(N, D) = E + A / N^α + B / D^β, in nats for one token."""

    floor: float
    parameter_scale: float
    parameter_exponent: float
    token_scale: float
    token_exponent: float


FITS = {
    # Besiroglu et al. 2024, arXiv:2404.10102, Table 1: their own fit, to points read off Hoffmann et al.'s Figure 4
    "Besiroglu": Fit(1.8172, 482.01, 0.3478, 2085.43, 0.3658),
    # Hoffmann et al. 2022, arXiv:2203.15556, with the four digits of its TeX source that Besiroglu et al. print in Table 1
    "Hoffmann": Fit(1.6934, 406.4, 0.3392, 410.7, 0.2849),
    # Hoffmann et al. 2022, equation 10: the exponents as printed, with two digits
    "Hoffmann rounded": Fit(1.69, 406.4, 0.34, 410.7, 0.28),
    # Sardana et al. 2024, arXiv:2401.00448, section 2 and released code: Hoffmann's fit, as they use it
    "Sardana": Fit(1.69, 406.4, 0.336, 410.7, 0.283),
    # Muennighoff et al. 2023, arXiv:2305.16264, appendix A, on C4: E, A and B are the exponentials of e, a and b there
    "Muennighoff": Fit(1.869142, 520.826, 0.3526596, 1487.697, 0.3526596),
}


def fit_of(name: str) -> Fit:
    """The constants of a published fit.

    Raises:  ValueError for a name that FITS lacks.

    >>> fit_of("Hoffmann").floor    # nats that no model and no data remove
    1.6934
    """
    if name not in FITS:
        raise ValueError(f"unknown fit {name!r}; known: {', '.join(FITS)}")
    return FITS[name]


def parameters_at_ratio(*, work_flop: float, tokens_per_parameter: float) -> float:
    """Parameters of the model that spends a budget at a given ratio of tokens to parameters.

        N = √(C / (6 · r)),    from  C = 6 · N · D  and  D = r · N

    Units:   FLOP; the ratio is a number. Result is a count of parameters.
    Raises:  ValueError if an argument is not positive.
    Source:  Hoffmann et al. 2022, arXiv:2203.15556, Table 3: about 20 tokens for each parameter.

    >>> round(parameters_at_ratio(work_flop=5.76e23, tokens_per_parameter=20) / 1e9, 1)    # Gopher's budget: Chinchilla
    69.3
    """
    require_positive(work_flop=work_flop, tokens_per_parameter=tokens_per_parameter)
    return sqrt(work_flop / (6 * tokens_per_parameter))


def predicted_loss(*, parameters: float, tokens: float, fit: str) -> float:
    """Loss that a fit predicts for a dense model after one pass over its tokens.

        L = E + A / N^α + B / D^β

    The first term is what no model removes, the second what a finite model leaves, the third what finite data leave.

    Units:   counts; fit is a name in FITS. Result in nats for one token.
    Raises:  ValueError if a count is not positive or the fit is unknown.
    Source:  Hoffmann et al. 2022, arXiv:2203.15556, equation 2.

    >>> round(predicted_loss(parameters=70e9, tokens=1e12, fit="Sardana"), 3)
    1.947
    """
    require_positive(parameters=parameters, tokens=tokens)
    law = fit_of(fit)
    of_size = law.parameter_scale / parameters**law.parameter_exponent
    of_data = law.token_scale / tokens**law.token_exponent
    return float(law.floor + of_size + of_data)


def least_loss_parameters(
    *, work_flop: float, parameter_scale: float, parameter_exponent: float, token_scale: float, token_exponent: float
) -> float:
    """Parameters with which a budget of training FLOP reaches the lowest loss E + A / N^α + B / D^β.

        N = (αA / βB)^(1/(α+β)) · (C / 6)^(β/(α+β))

    It follows from dL/dN = 0 along 6·N·D = C, where α·A/N^α = β·B/D^β. The floor E does not matter.

    Units:   FLOP; scales (A, B) in nats, exponents (α, β) are numbers. Result is a count of parameters.
    Raises:  ValueError if an argument is not positive.
    Source:  Hoffmann et al. 2022, arXiv:2203.15556, equation 4.

    >>> round(least_loss_parameters(work_flop=5.76e23, parameter_scale=406.4, parameter_exponent=0.3392,
    ...                             token_scale=410.7, token_exponent=0.2849) / 1e9, 1)
    40.3
    """
    require_positive(work_flop=work_flop, parameter_scale=parameter_scale, parameter_exponent=parameter_exponent)
    require_positive(token_scale=token_scale, token_exponent=token_exponent)
    size_times_data = work_flop / 6
    weight_of_size = parameter_exponent * parameter_scale
    weight_of_data = token_exponent * token_scale
    exponents = parameter_exponent + token_exponent
    balance = (weight_of_size / weight_of_data) ** (1 / exponents)
    return balance * size_times_data ** (token_exponent / exponents)  # type: ignore[no-any-return]  # a question shows this line, so no float(...) around it


def optimal_parameters(*, work_flop: float, fit: str) -> float:
    """Parameters that a published fit recommends for a budget of training FLOP: least_loss_parameters with its constants.

    Units:   FLOP; fit is a name in FITS. Result is a count of parameters.
    Raises:  ValueError if the budget is not positive or the fit is unknown.
    Source:  Hoffmann et al. 2022, arXiv:2203.15556, equation 4; Besiroglu et al. 2024, arXiv:2404.10102, section 4.

    >>> [round(optimal_parameters(work_flop=5.76e23, fit=fit) / 1e9) for fit in ("Besiroglu", "Hoffmann")]
    [72, 40]
    """
    law = fit_of(fit)
    return least_loss_parameters(
        work_flop=work_flop,
        parameter_scale=law.parameter_scale,
        parameter_exponent=law.parameter_exponent,
        token_scale=law.token_scale,
        token_exponent=law.token_exponent,
    )


def optimal_tokens(*, work_flop: float, fit: str) -> float:
    """Tokens that go with the best size for a budget.

        D = C / (6 · N)

    Units:   FLOP; fit is a name in FITS. Result is a count of tokens.
    Raises:  ValueError if the budget is not positive or the fit is unknown.
    Source:  Hoffmann et al. 2022, arXiv:2203.15556, equation 4.

    >>> round(optimal_tokens(work_flop=5.76e23, fit="Besiroglu") / 1e12, 2)
    1.33
    """
    return work_flop / (6 * optimal_parameters(work_flop=work_flop, fit=fit))


def optimal_ratio(*, work_flop: float, fit: str) -> float:
    """Tokens for each parameter that a fit recommends for a budget.

        r = D / N = C / (6 · N²)

    Units:   FLOP; fit is a name in FITS. Result is a number.
    Raises:  ValueError if the budget is not positive or the fit is unknown.
    Source:  Besiroglu et al. 2024, arXiv:2404.10102, section 4.

    >>> [round(optimal_ratio(work_flop=5.76e23, fit=fit)) for fit in ("Besiroglu", "Hoffmann", "Hoffmann rounded")]
    [18, 59, 93]
    """
    parameters = optimal_parameters(work_flop=work_flop, fit=fit)
    return work_flop / (6 * parameters * parameters)


def balanced_tokens(*, parameters: float, fit: str) -> float:
    """Tokens with which a model of a given size lies on the compute-optimal line.

        D = (βB / αA · N^α)^(1/β)

    Units:   a count; fit is a name in FITS. Result is a count of tokens.
    Raises:  ValueError if the count is not positive or the fit is unknown.
    Source:  Hoffmann et al. 2022, arXiv:2203.15556, section 3.3; Sardana et al. 2024, arXiv:2401.00448, section 2.

    >>> round(balanced_tokens(parameters=30e9, fit="Sardana") / 1e12, 3)
    1.556
    """
    require_positive(parameters=parameters)
    law = fit_of(fit)
    weights = law.token_exponent * law.token_scale / (law.parameter_exponent * law.parameter_scale)
    return float((weights * parameters**law.parameter_exponent) ** (1 / law.token_exponent))


def valley_parameters(
    *, small: float, middle: float, large: float, small_loss: float, middle_loss: float, large_loss: float
) -> float:
    """Size at the bottom of an IsoFLOP curve: of the parabola in ln N through three runs that cost the same.

        ln N = ln N₂ + ½ · (f·r² - g·l²) / (f·r + g·l)

    with l and r the steps in ln N to the left and right of the middle run, and f and g what the losses there are above its own.

    Units:   sizes are counts of parameters, losses in nats. Result is a count of parameters.
    Raises:  ValueError unless the three sizes rise and the middle run has the lowest loss.
    Source:  Hoffmann et al. 2022, arXiv:2203.15556, section 3.2 (approach 2).

    >>> round(valley_parameters(small=1e9, middle=2e9, large=4e9, small_loss=2.50, middle_loss=2.45, large_loss=2.50) / 1e9, 6)
    2.0
    """
    require_positive(small=small, middle=middle, large=large)
    require_positive(small_loss=small_loss, middle_loss=middle_loss, large_loss=large_loss)
    if not small < middle < large or middle_loss >= min(small_loss, large_loss):
        raise ValueError("the sizes must rise, with the lowest loss in the middle")
    left, right = log(middle / small), log(large / middle)
    falls, rises = small_loss - middle_loss, large_loss - middle_loss
    shift = (falls * right * right - rises * left * left) / (2 * (falls * right + rises * left))
    return middle * exp(shift)
