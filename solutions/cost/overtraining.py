"""Models smaller than a budget's optimum: how many more tokens and FLOP the same loss takes, and where no data suffice."""

from __future__ import annotations

from ..facts.arguments import require_positive
from .scaling_laws import fit_of


def tokens_for_loss(*, parameters: float, loss: float, fit: str) -> float:
    """Tokens after which a model of a given size reaches a loss.

        D = (B / (L - E - A / N^α))^(1/β)

    Units:   a count; nats; fit is a name in scaling_laws.FITS. Result is a count of tokens.
    Raises:  ValueError if an argument is not positive, or a model of this size never reaches the loss.
    Source:  Hoffmann et al. 2022, arXiv:2203.15556, equation 2, solved for D.

    >>> round(tokens_for_loss(parameters=35e9, loss=1.97, fit="Besiroglu") / 1e12, 2)
    4.49
    """
    require_positive(parameters=parameters, loss=loss)
    law = fit_of(fit)
    left_for_data = loss - law.floor - law.parameter_scale / parameters**law.parameter_exponent
    if left_for_data <= 0:
        raise ValueError(
            f"a model of {parameters:g} parameters stays above a loss of {loss:g} with any number of tokens"
        )
    return float((law.token_scale / left_for_data) ** (1 / law.token_exponent))


def token_factor(*, size_factor: float, fit: str) -> float:
    """How many times the optimum's tokens a model needs that has `size_factor` times its parameters, for the same loss.

        k_D = (1 - (β/α) · (k_N^-α - 1))^(-1/β)

    At an optimum α·A/N^α = β·B/D^β, so that A/N^α over B/D^β is β/α, whatever the budget.

    Units:   numbers; fit is a name in scaling_laws.FITS.
    Raises:  ValueError if the factor is not positive, or a model so small never reaches the loss.
    Source:  de Vries 2023, Go smol or go home, from Hoffmann et al. 2022, arXiv:2203.15556, equation 2.

    >>> round(token_factor(size_factor=0.5, fit="Besiroglu"), 2)
    2.52
    """
    require_positive(size_factor=size_factor)
    law = fit_of(fit)
    left_for_data = 1 - law.token_exponent / law.parameter_exponent * (size_factor**-law.parameter_exponent - 1)
    if left_for_data <= 0:
        raise ValueError(f"a model of {size_factor:g} times the optimum's size never reaches its loss")
    return float(left_for_data ** (-1 / law.token_exponent))


def compute_overhead(*, size_factor: float, fit: str) -> float:
    """What more training FLOP a model of another size takes than the optimum, for the same loss.

        overhead = k_N · k_D - 1

    Units:   the factor is a number; fit is a name in scaling_laws.FITS. Result as a fraction of the optimum's FLOP.
    Raises:  ValueError as token_factor.
    Source:  de Vries 2023, Go smol or go home.

    >>> [round(compute_overhead(size_factor=factor, fit="Besiroglu"), 3) for factor in (0.75, 0.5, 0.25)]
    [0.034, 0.259, 3.465]
    """
    return size_factor * token_factor(size_factor=size_factor, fit=fit) - 1


def smallest_size_factor(*, fit: str) -> float:
    """Share of an optimum's parameters below which no number of tokens reaches its loss.

        k_N = (1 + α/β)^(-1/α)

    There A/N^α alone is all that the optimum leaves of both terms.

    Units:   fit is a name in scaling_laws.FITS. Result as a fraction of the optimum's parameters.
    Raises:  ValueError if the fit is unknown.
    Source:  token_factor of this module, for k_D without end.

    >>> round(smallest_size_factor(fit="Besiroglu"), 3)
    0.146
    """
    law = fit_of(fit)
    return float((1 + law.parameter_exponent / law.token_exponent) ** (-1 / law.parameter_exponent))


def equal_optimum_parameters(*, parameters: float, tokens: float, fit: str) -> float:
    """Parameters of the compute-optimal model that has the same loss as a model of any size after any number of tokens.

        N = (A / (r · β/(α+β)))^(1/α),    r = A/N₀^α + B/D₀^β

    Of what an optimum leaves above the floor, the share β/(α+β) is left to its size.

    Units:   counts; fit is a name in scaling_laws.FITS. Result is a count of parameters.
    Raises:  ValueError if a count is not positive or the fit is unknown.
    Source:  Hoffmann et al. 2022, arXiv:2203.15556, section 3.3.

    >>> round(equal_optimum_parameters(parameters=8e9, tokens=15e12, fit="Besiroglu") / 1e9)    # as Llama-3-8B was trained
    34
    """
    require_positive(parameters=parameters, tokens=tokens)
    law = fit_of(fit)
    above_floor = (
        law.parameter_scale / parameters**law.parameter_exponent + law.token_scale / tokens**law.token_exponent
    )
    of_size = above_floor * law.token_exponent / (law.parameter_exponent + law.token_exponent)
    return float((law.parameter_scale / of_size) ** (1 / law.parameter_exponent))
