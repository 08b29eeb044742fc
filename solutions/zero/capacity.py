"""What fits under ZeRO: the first stage that does, the fewest GPUs, and the largest model, next to activations and a reserve."""

from __future__ import annotations

import math

from ..facts.arguments import require_counts, require_not_negative, require_positive
from .zero import STAGE_NAMES, WHOLE_BYTES, needed_bytes_per_gpu, require_stage, state_bytes_per_gpu

NOTHING_FITS = "nothing fits"


def smallest_stage(
    *, parameters: float, gpus: int, activation_bytes: float, device_bytes: float, reserved_bytes: float = 0
) -> str:
    """The name of the first stage whose states fit next to activations and reserve, or "nothing fits".

        states + A + reserve ≤ device

    Units:   bytes; parameters and gpus are counts.
    Raises:  ValueError as `needed_bytes_per_gpu`, or if device_bytes is not positive or reserved_bytes negative.
    Source:  Rajbhandari et al. 2020, arXiv:1910.02054, section 5.

    >>> model = {"parameters": 30 * 10**9, "gpus": 8, "activation_bytes": 20e9}
    >>> smallest_stage(**model, device_bytes=80e9)                       # to the last byte
    'ZeRO-3'
    >>> smallest_stage(**model, device_bytes=80e9, reserved_bytes=4e9)   # no fit with some headroom
    'nothing fits'
    """
    require_positive(device_bytes=device_bytes)
    require_not_negative(reserved_bytes=reserved_bytes)
    for stage, name in enumerate(STAGE_NAMES):
        needed = needed_bytes_per_gpu(parameters=parameters, gpus=gpus, stage=stage, activation_bytes=activation_bytes)
        if needed + reserved_bytes <= device_bytes:
            return name
    return NOTHING_FITS


def least_stage(*, parameters: float, gpus: int, room_bytes: float) -> int:
    """The least sharding whose states fit into a room, as a stage of ZeRO; 0 is plain data parallelism.

        the first stage with  states ≤ room

    Units:   bytes; parameters and gpus are counts. Result is a stage, 0 to 3.
    Raises:  ValueError as `state_bytes_per_gpu`, or if not even stage 3 fits.
    Source:  Rajbhandari et al. 2020, arXiv:1910.02054, section 5.

    >>> [least_stage(parameters=b * 10**9, gpus=64, room_bytes=40e9) for b in (2, 8, 13, 70)]
    [0, 1, 2, 3]
    """
    require_positive(room_bytes=room_bytes)
    for stage in range(len(STAGE_NAMES)):
        if state_bytes_per_gpu(parameters=parameters, gpus=gpus, stage=stage) <= room_bytes:
            return stage
    raise ValueError(f"even {STAGE_NAMES[-1]} leaves more than {room_bytes:.4g} bytes on each GPU")


def gpus_needed(
    *, parameters: float, stage: int, device_bytes: float, activation_bytes: float = 0, reserved_bytes: float = 0
) -> int:
    """The fewest GPUs on which a sharding stage fits.

        N = ⌈ sharded / (device - reserve - A - whole) ⌉

    where a stage leaves 4P, 2P or 0 bytes whole on every GPU and shards the rest of 16P.

    Units:   bytes; parameters and stage are counts. Result is a count.
    Raises:  ValueError if the stage is not 1, 2 or 3, an argument is out of range, or no number of GPUs is enough.
    Source:  Rajbhandari et al. 2020, arXiv:1910.02054, sections 5.1 to 5.3.

    >>> [gpus_needed(parameters=b * 10**9, stage=3, device_bytes=80e9) for b in (7, 70, 405)]
    [2, 14, 81]
    >>> gpus_needed(parameters=30 * 10**9, stage=2, device_bytes=80e9, activation_bytes=20e9)
    Traceback (most recent call last):
    ValueError: ZeRO-2 keeps 6e+10 bytes on every GPU, and 6e+10 are free: no number of GPUs is enough
    """
    require_positive(parameters=parameters, device_bytes=device_bytes)
    require_not_negative(activation_bytes=activation_bytes, reserved_bytes=reserved_bytes)
    require_counts(stage=stage)
    require_stage(stage)
    whole = WHOLE_BYTES[stage] * parameters
    sharded = 16 * parameters - whole
    free = device_bytes - reserved_bytes - activation_bytes
    if free <= whole:
        raise ValueError(
            f"{STAGE_NAMES[stage]} keeps {whole:.4g} bytes on every GPU, and {max(free, 0):.4g} are free: "
            "no number of GPUs is enough"
        )
    return math.ceil(sharded / (free - whole))


def largest_model(
    *, gpus: int, stage: int, device_bytes: float, activation_bytes: float = 0, reserved_bytes: float = 0
) -> float:
    """Parameters of the largest model whose states fit next to activations and a reserve.

        P = (device - reserve - A) / (whole + (16 - whole)/N)

    where a stage leaves 16, 4, 2 or 0 bytes per parameter whole.

    Units:   bytes; gpus and stage are counts. Result is a count.
    Raises:  ValueError if an argument is out of range, or activations and reserve leave no room.
    Source:  Rajbhandari et al. 2020, arXiv:1910.02054, sections 5.1 to 5.3.

    >>> round(largest_model(gpus=64, stage=0, device_bytes=80e9) / 1e9, 1)    # billions, without activations
    5.0
    >>> round(largest_model(gpus=64, stage=2, device_bytes=80e9) / 1e9, 1)
    36.1
    """
    require_counts(gpus=gpus)
    require_stage(stage)
    require_positive(device_bytes=device_bytes)
    require_not_negative(activation_bytes=activation_bytes, reserved_bytes=reserved_bytes)
    room = device_bytes - reserved_bytes - activation_bytes
    if room <= 0:
        raise ValueError(f"activations and reserve must leave room for states, and they leave {room:.4g} bytes")
    whole = WHOLE_BYTES[stage]
    return room / (whole + (16 - whole) / gpus)
