"""Learning rates and batch sizes from two published fits: DeepSeek LLM and the Step Law."""

from __future__ import annotations

import math

from ..facts.arguments import require_positive


def deepseek_lr(*, work_flop: float) -> float:
    """Return the best peak learning rate of DeepSeek's fit for a compute budget.

        lr = 0.3118 · C^-0.1250

    Units:   training FLOP without those of embeddings; the fit covers 1e17 to 2e19. Result is a learning rate.
    Raises:  ValueError if work_flop is not positive.
    Source:  DeepSeek-AI 2024, arXiv:2401.02954, equation 1.

    >>> round(deepseek_lr(work_flop=8.04e23), 5)   # 67B parameters on 2 trillion tokens; the paper trains with 3.2e-4
    0.00032
    """
    require_positive(work_flop=work_flop)
    return 0.3118 * math.pow(work_flop, -0.1250)


def deepseek_batch_tokens(*, work_flop: float) -> float:
    """Return the best batch size of DeepSeek's fit for a compute budget.

        B = 0.2920 · C^0.3271

    Units:   training FLOP without those of embeddings; the fit covers 1e17 to 2e19. Result in tokens.
    Raises:  ValueError if work_flop is not positive.
    Source:  DeepSeek-AI 2024, arXiv:2401.02954, equation 1.

    >>> round(deepseek_batch_tokens(work_flop=8.4e22) / 1e6, 1)   # 7B on 2 trillion tokens; the paper trains with 9.4 million
    9.2
    """
    require_positive(work_flop=work_flop)
    return 0.2920 * math.pow(work_flop, 0.3271)


def step_law_lr(*, parameters: float, tokens: float) -> float:
    """Return the best peak learning rate of the Step Law, which falls with model size and rises with the data.

        lr = 1.79 · N^-0.713 · D^0.307

    Units:   parameters without those of the vocabulary; training tokens. Result is a learning rate.
    Raises:  ValueError if an argument is not positive.
    Source:  Li et al. 2025 (Step Law), arXiv:2503.04715, equation 1.

    >>> round(step_law_lr(parameters=1e9, tokens=1e11), 5)
    0.00163
    """
    require_positive(parameters=parameters, tokens=tokens)
    return 1.79 * math.pow(parameters, -0.713) * math.pow(tokens, 0.307)


def step_law_batch_tokens(*, tokens: float) -> float:
    """Return the best batch size of the Step Law, which depends only on the data.

        B = 0.58 · D^0.571

    Units:   training tokens. Result in tokens.
    Raises:  ValueError if tokens is not positive.
    Source:  Li et al. 2025 (Step Law), arXiv:2503.04715, equation 1.

    >>> round(step_law_batch_tokens(tokens=1e11) / 1e6, 2)
    1.11
    """
    require_positive(tokens=tokens)
    return 0.58 * math.pow(tokens, 0.571)
