"""Searches that confirm capacity.py: stages, clusters and models are tried until the states in ZeRO's table fit."""

from __future__ import annotations

from ..search import smallest
from .zero import NAMES, adam_tensors, counted, needed_bytes_per_gpu, room_bytes_per_gpu


def smallest_stage(
    *, parameters: float, gpus: int, activation_bytes: float, device_bytes: float, reserved_bytes: float = 0
) -> str:
    """Try the stages in turn: a stage fits when its table leaves room for the activations."""
    for stage, name in NAMES.items():
        try:
            room = room_bytes_per_gpu(
                parameters=parameters, gpus=gpus, stage=stage, device_bytes=device_bytes, reserved_bytes=reserved_bytes
            )
        except ValueError:
            continue
        if room >= activation_bytes:
            return name
    return "nothing fits"


def least_stage(*, parameters: float, gpus: int, room_bytes: float) -> int:
    """Lay all tables out, cross out those that are too large, and take the first of the rest."""
    left = [stage for stage in NAMES if counted(parameters, gpus, stage, adam_tensors()) <= room_bytes]
    if not left:
        raise ValueError("no stage fits")
    return min(left)


def gpus_needed(
    *, parameters: float, stage: int, device_bytes: float, activation_bytes: float = 0, reserved_bytes: float = 0
) -> int:
    """Double the cluster until the states fit, then find the smallest cluster that they fit by bisection."""
    if stage not in (1, 2, 3):
        raise ValueError(f"stage {stage} shards nothing")

    def fits(gpus: int) -> bool:
        needed = needed_bytes_per_gpu(parameters=parameters, gpus=gpus, stage=stage, activation_bytes=activation_bytes)
        return needed + reserved_bytes <= device_bytes

    try:
        return smallest(fits, largest=1 << 17)
    except ValueError:
        raise ValueError("no number of GPUs is enough") from None


def largest_model(
    *, gpus: int, stage: int, device_bytes: float, activation_bytes: float = 0, reserved_bytes: float = 0
) -> float:
    """Let the model grow until its table no longer fits, and search the last that did."""

    def too_large(parameters: int) -> bool:
        needed = needed_bytes_per_gpu(parameters=parameters, gpus=gpus, stage=stage, activation_bytes=activation_bytes)
        return needed + reserved_bytes > device_bytes

    return smallest(too_large, largest=1 << 50) - 1
