"""What mixed-precision training with Adam keeps of a whole model: weights, gradients, a master copy and two moments."""

from __future__ import annotations

from ..facts.arguments import require_not_negative, require_positive


def weight_bytes(*, parameters: float, bytes_per_weight: float = 2) -> float:
    """Memory of the weights alone.

        bytes = b_w · P

    Units:   parameters is a count; bytes per element. Result in bytes.
    Raises:  ValueError if an argument is not positive.
    Source:  Rajbhandari et al. 2020, arXiv:1910.02054, section 3.1.

    >>> weight_bytes(parameters=7 * 10**9) / 1e9          # a 7B model in BF16, in GB
    14.0
    >>> round(weight_bytes(parameters=7 * 10**9) / 2**30, 2)   # the same in GiB
    13.04
    """
    require_positive(parameters=parameters, bytes_per_weight=bytes_per_weight)
    return bytes_per_weight * parameters


def parameters_in(*, weight_bytes: float, bytes_per_weight: float = 2) -> float:
    """Parameters of a model whose weights take so many bytes.

        P = bytes / b_w

    Units:   bytes; bytes per element. Result is a count.
    Raises:  ValueError if an argument is not positive.
    Source:  Rajbhandari et al. 2020, arXiv:1910.02054, section 3.1.

    >>> round(parameters_in(weight_bytes=13.04 * 2**30) / 1e9, 2)   # billions; 13.04 GiB are 14 GB
    7.0
    """
    require_positive(weight_bytes=weight_bytes, bytes_per_weight=bytes_per_weight)
    return weight_bytes / bytes_per_weight


def optimizer_bytes(*, parameters: float, bytes_per_master: float = 4, bytes_per_moment: float = 4) -> float:
    """Memory of Adam's states: a master copy of the weights and two moments.

        bytes = (b_master + 2 · b_moment) · P

    The 2 counts Adam's running means of the gradient and of its square.

    Units:   parameters is a count; bytes per element, 0 for no master copy. Result in bytes.
    Raises:  ValueError if parameters or bytes_per_moment is not positive, or bytes_per_master is negative.
    Source:  Rajbhandari et al. 2020, arXiv:1910.02054, section 3.1 (K = 12).

    >>> optimizer_bytes(parameters=70 * 10**9) / 1e9                      # FP32 throughout: 12 bytes each
    840.0
    >>> optimizer_bytes(parameters=70 * 10**9, bytes_per_master=2) / 1e9  # with a BF16 master it is 10
    700.0
    """
    require_positive(parameters=parameters, bytes_per_moment=bytes_per_moment)
    require_not_negative(bytes_per_master=bytes_per_master)
    return (bytes_per_master + 2 * bytes_per_moment) * parameters


def optimizer_to_weight_ratio(
    *, bytes_per_weight: float, bytes_per_master: float = 4, bytes_per_moment: float = 4
) -> float:
    """How many times the memory of the weights Adam's states take.

        ratio = (b_master + 2 · b_moment) / b_w

    Units:   bytes per element, 0 for no master copy; result is a ratio.
    Raises:  ValueError if a width is not positive, or bytes_per_master is negative.
    Source:  Rajbhandari et al. 2020, arXiv:1910.02054, section 3.1.

    >>> optimizer_to_weight_ratio(bytes_per_weight=2)   # not two or three times: six
    6.0
    """
    require_positive(bytes_per_weight=bytes_per_weight, bytes_per_moment=bytes_per_moment)
    require_not_negative(bytes_per_master=bytes_per_master)
    return (bytes_per_master + 2 * bytes_per_moment) / bytes_per_weight


def replica_state_bytes(
    *,
    parameters: float,
    bytes_per_weight: float = 2,
    bytes_per_gradient: float = 2,
    bytes_per_master: float = 4,
    bytes_per_moment: float = 4,
) -> float:
    """Model states of one whole replica: weights, gradients, master copy and both moments.

        bytes = (b_w + b_g + b_master + 2 · b_moment) · P

    Units:   parameters is a count; bytes per element, 0 for no master copy. Result in bytes.
    Raises:  ValueError if parameters or a width is not positive, or bytes_per_master is negative.
    Source:  Rajbhandari et al. 2020, arXiv:1910.02054, section 3.1 (16 bytes per parameter).

    >>> replica_state_bytes(parameters=7 * 10**9) / 1e9   # eight times the 14 GB of its weights
    112.0
    """
    require_positive(parameters=parameters, bytes_per_weight=bytes_per_weight)
    require_positive(bytes_per_gradient=bytes_per_gradient, bytes_per_moment=bytes_per_moment)
    require_not_negative(bytes_per_master=bytes_per_master)
    return (bytes_per_weight + bytes_per_gradient + bytes_per_master + 2 * bytes_per_moment) * parameters


def optimizer_width(*, optimizer_bytes: float, parameters: float) -> int:
    """Whole bytes that the optimizer keeps for a parameter, read off the size of its states.

        b = bytes / P, rounded

    What a file has besides the numbers, such as names and shapes, is lost in the rounding.

    Units:   bytes; parameters is a count. Result in bytes.
    Raises:  ValueError if an argument is not positive.
    Source:  Rajbhandari et al. 2020, arXiv:1910.02054, section 3.1, solved for the width.

    >>> optimizer_width(optimizer_bytes=705e9, parameters=70 * 10**9)    # one moment is in BF16: not the usual 12
    10
    """
    require_positive(optimizer_bytes=optimizer_bytes, parameters=parameters)
    return round(optimizer_bytes / parameters)
