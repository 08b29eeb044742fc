"""Repeated data: what the tokens of several epochs are worth in new ones, and how many epochs make up for data that are missing."""

from __future__ import annotations

from math import exp, log

from ..facts.arguments import require_not_negative, require_positive

# Muennighoff et al. 2023, arXiv:2305.16264, appendix A: fitted to 182 runs of up to 9 billion parameters and 500 epochs
REPEATS_THAT_COUNT = 15.387756


def effective_tokens(*, tokens: float, unique_tokens: float, decay: float = REPEATS_THAT_COUNT) -> float:
    """New tokens that would do as much as several passes over the same ones.

        D' = U + U · R* · (1 - e^(-R/R*)),    R = D / U - 1

    Up to one pass every token counts in full. After that each repeat is worth e^(-R/R*) of a new token, so that
    all repeats together never exceed U·R*.

    Units:   tokens that are trained on, and different ones among them; decay is R*, a number. Result in tokens.
    Raises:  ValueError if an argument is not positive.
    Source:  Muennighoff et al. 2023, arXiv:2305.16264, section 3.1 and appendix A.

    >>> [round(effective_tokens(tokens=epochs * 100e9, unique_tokens=100e9) / 1e9) for epochs in (1, 4, 16, 64)]
    [100, 373, 1058, 1613]
    """
    require_positive(tokens=tokens, unique_tokens=unique_tokens, decay=decay)
    seen = min(tokens, unique_tokens)
    repeats = tokens / seen - 1
    return seen + seen * decay * (1 - exp(-repeats / decay))


def epochs_for(*, effective_tokens: float, unique_tokens: float, decay: float = REPEATS_THAT_COUNT) -> float:
    """Passes over the data that do as much as a given number of new tokens.

        epochs = 1 - R* · ln(1 - (D'/U - 1) / R*)

    Units:   counts; decay is R*, a number. Result is a number of epochs.
    Raises:  ValueError if an argument is not positive, the new tokens are fewer than the data, or no number of passes suffices.
    Source:  Muennighoff et al. 2023, arXiv:2305.16264, section 3.1, solved for the repeats.

    >>> round(epochs_for(effective_tokens=300e9, unique_tokens=100e9), 2)
    3.14
    """
    require_positive(effective_tokens=effective_tokens, unique_tokens=unique_tokens, decay=decay)
    wanted = effective_tokens / unique_tokens - 1
    if wanted < 0 or wanted >= decay:
        raise ValueError(f"between 1 and {1 + decay:g} times the data are within reach, not {1 + wanted:g}")
    return 1 - decay * log(1 - wanted / decay)


def worth_of_a_repeat(*, epochs: float, decay: float = REPEATS_THAT_COUNT) -> float:
    """What a token is worth, in new ones, after so many passes over the data.

        worth = e^(-(epochs - 1) / R*)

    Units:   numbers. Result as a fraction.
    Raises:  ValueError if the passes are below 1 or decay is not positive.
    Source:  Muennighoff et al. 2023, arXiv:2305.16264, appendix A: the derivative of D' for the repeats.

    >>> [round(worth_of_a_repeat(epochs=epochs), 2) for epochs in (1, 4, 16, 40)]
    [1.0, 0.82, 0.38, 0.08]
    """
    require_positive(epochs=epochs, decay=decay)
    if epochs < 1:
        raise ValueError(f"epochs must be at least 1, not {epochs!r}")
    return exp(-(epochs - 1) / decay)


def repeat_or_buy(
    *, needed_tokens: float, unique_tokens: float, dollars_per_bought_token: float, dollars_per_trained_token: float
) -> str:
    """Whether to make up for missing data by more epochs, or to buy new tokens and to train on each of them once.

        repeat:  epochs · U · training price
        buy:     D · training price + (D - U) · price of the data

    Units:   counts; dollars for one token. Result is a word.
    Raises:  ValueError as epochs_for, or if a price is negative.
    Source:  arithmetic on epochs_for of this module.

    >>> prices = dict(dollars_per_bought_token=5e-6, dollars_per_trained_token=0.1e-6)
    >>> repeat_or_buy(needed_tokens=300e9, unique_tokens=100e9, **prices)
    'repeat'
    """
    require_positive(needed_tokens=needed_tokens)
    require_not_negative(dollars_per_bought_token=dollars_per_bought_token)
    require_not_negative(dollars_per_trained_token=dollars_per_trained_token)
    epochs = epochs_for(effective_tokens=needed_tokens, unique_tokens=unique_tokens)
    repeated = epochs * unique_tokens * dollars_per_trained_token
    missing = needed_tokens - unique_tokens
    bought = needed_tokens * dollars_per_trained_token + missing * dollars_per_bought_token
    return "repeat" if repeated < bought else "buy"
