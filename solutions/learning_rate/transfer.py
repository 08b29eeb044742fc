"""Transfer of tuned settings: muP factors for another width, and the update scale of Muon."""

from __future__ import annotations

import math

from ..facts.arguments import require_counts, require_positive

_POWERS = {  # how a setting changes with the width, under Adam: microsoft/mup, MuAdam and MuReadout
    "hidden learning rate": -1.0,
    "hidden standard deviation": -0.5,
    "vector learning rate": 0.0,
    "logit multiplier": -1.0,
}


def mup_factor(*, setting: str, width_factor: float) -> float:
    """Return the factor by which a setting changes in a wider model, under muP and Adam.

        hidden matrices: learning rate 1/m, standard deviation 1/√m; embeddings, gains and biases: learning rate 1;
        logits: times 1/m

    A hidden matrix sums over the width, and its updates all point the same way, so each may be only 1/m as large.

    Units:   setting is one of hidden learning rate, hidden standard deviation, vector learning rate, logit multiplier;
             width_factor is the new width over that of the narrow model. Result is a number.
    Raises:  ValueError if the setting is unknown, or width_factor is not positive.
    Source:  Yang et al. 2022, arXiv:2203.03466, Table 8; microsoft/mup, MuAdam and MuReadout.

    >>> [mup_factor(setting=setting, width_factor=16) for setting in ("hidden learning rate", "hidden standard deviation")]
    [0.0625, 0.25]
    """
    require_positive(width_factor=width_factor)
    if setting not in _POWERS:
        raise ValueError(f"setting must be one of {', '.join(_POWERS)}, not {setting!r}")
    return math.pow(width_factor, _POWERS[setting])


def muon_scale(*, rows: int, columns: int, rms: float) -> float:
    """Return the factor that gives an orthogonalised update of a matrix a chosen root mean square.

        factor = rms · √max(rows, columns)

    All min(rows, columns) singular values of such an update are 1, so its squares add up to min(rows, columns), and their
    mean is 1 / max(rows, columns).

    Units:   counts; rms of the elements. Result is a number.
    Raises:  ValueError if a count is not a whole number of at least 1, or rms is not positive.
    Source:  Liu et al. 2025 (Moonlight), arXiv:2502.16982, section 2.2; torch.optim.Muon, adjust_lr_fn="match_rms_adamw".

    >>> round(muon_scale(rows=14336, columns=4096, rms=0.2), 2)
    23.95
    """
    require_counts(rows=rows, columns=columns)
    require_positive(rms=rms)
    return rms * math.sqrt(max(rows, columns))
