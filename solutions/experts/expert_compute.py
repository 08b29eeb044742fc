"""How many tokens an expert sees at a time, and how many it needs to compute longer than it reads its weights."""

from __future__ import annotations

from math import ceil

from ..facts.arguments import require_counts
from ..roofline.roofline import ridge_point


def tokens_per_expert(*, tokens: int, experts: int, experts_per_token: int, ep: int) -> float:
    """How many copies one expert gets in a micro-batch, on average.

        copies = n · T · k / E

    The n ranks of a group send their tokens to the same E experts, so a larger group fills each expert better.

    Units:   tokens of one GPU's micro-batch; counts. Result is a mean count.
    Raises:  ValueError if a count is below 1, or ep does not divide experts.
    Source:  counting; Rajbhandari et al. 2022 (DeepSpeed-MoE), arXiv:2201.05596, section 5.

    >>> tokens_per_expert(tokens=4096, experts=256, experts_per_token=8, ep=64)
    8192.0
    """
    require_counts(tokens=tokens, experts=experts, experts_per_token=experts_per_token, ep=ep)
    if experts % ep:
        raise ValueError(f"{experts} experts cannot be divided evenly among {ep} ranks")
    return ep * tokens * experts_per_token / experts


def micro_batch_that_fills(
    *, hidden: int, expert_ffn_hidden: int, experts: int, experts_per_token: int, ep: int, peak_flop_per_s: float,
    memory_bytes_per_s: float,
) -> int:  # fmt: skip
    """Fewest tokens of a GPU's micro-batch with which an expert's matrices compute at least as long as they move bytes.

        T = ⌈ t · E / (n·k) ⌉      with  t = R·d·f / (d·f - R·(d + f)),   R = peak / bandwidth

    An expert's tokens are a mean, so t is not rounded before the micro-batch is.

    Units:   counts; FLOP/s; bytes/s; BF16, an even load. Result is a count of tokens.
    Raises:  ValueError if an argument is not positive, ep does not divide experts, or the matrix is always memory-bound.
    Source:  the roofline: Williams, Waterman & Patterson 2009, doi:10.1145/1498765.1498785, for one expert's tokens.

    >>> h100 = dict(peak_flop_per_s=989e12, memory_bytes_per_s=3.35e12)
    >>> micro_batch_that_fills(hidden=7168, expert_ffn_hidden=2048, experts=256, experts_per_token=8, ep=8, **h100)
    1450
    """
    require_counts(hidden=hidden, expert_ffn_hidden=expert_ffn_hidden)
    require_counts(experts=experts, experts_per_token=experts_per_token, ep=ep)
    ridge = ridge_point(peak_flop_per_s=peak_flop_per_s, memory_bytes_per_s=memory_bytes_per_s)
    if experts % ep:
        raise ValueError(f"{experts} experts cannot be divided evenly among {ep} ranks")
    weights = hidden * expert_ffn_hidden
    gain_per_token = weights - ridge * (hidden + expert_ffn_hidden)
    if gain_per_token <= 0:
        raise ValueError(f"a ({hidden}, {expert_ffn_hidden}) matrix stays memory-bound with any number of tokens")
    return ceil(ridge * weights * experts / (gain_per_token * ep * experts_per_token))
