"""Checks of arguments, shared by all references: each raises a ValueError that names the bad argument."""

from __future__ import annotations

from math import inf
from numbers import Real


def _is_number(value: object) -> bool:
    """Whether a value is a real number. A planner search asks a million times, and isinstance with Real alone is slow."""
    return type(value) is int or type(value) is float or isinstance(value, Real)


def require_counts(**arguments: int) -> None:
    """Raise ValueError unless every argument is a whole number of at least 1.

    >>> require_counts(gpus=8, micro_batch=4)
    >>> require_counts(gpus=0)
    Traceback (most recent call last):
    ValueError: gpus must be a whole number of at least 1, not 0
    """
    for name, value in arguments.items():
        if not _is_number(value) or isinstance(value, bool) or not 1 <= value < inf or value != int(value):
            raise ValueError(f"{name} must be a whole number of at least 1, not {value!r}")


def require_whole(**arguments: int) -> None:
    """Raise ValueError unless every argument is a whole number of at least 0.

    >>> require_whole(spares=0)
    >>> require_whole(spares=0.5)
    Traceback (most recent call last):
    ValueError: spares must be a whole number of at least 0, not 0.5
    """
    for name, value in arguments.items():
        if not _is_number(value) or isinstance(value, bool) or not 0 <= value < inf or value != int(value):
            raise ValueError(f"{name} must be a whole number of at least 0, not {value!r}")


def require_index(*, below: int, **arguments: int) -> None:
    """Raise ValueError unless every argument is a whole number from 0 to below - 1.

    >>> require_index(below=4, stage=3)
    >>> require_index(below=4, stage=4)
    Traceback (most recent call last):
    ValueError: stage must be a whole number from 0 to 3, not 4
    """
    for name, value in arguments.items():
        if not _is_number(value) or isinstance(value, bool) or not 0 <= value < below or value != int(value):
            raise ValueError(f"{name} must be a whole number from 0 to {below - 1}, not {value!r}")


def require_positive(**arguments: float) -> None:
    """Raise ValueError unless every argument is a number above 0.

    >>> require_positive(bandwidth_bytes_per_s=50e9)
    >>> require_positive(bandwidth_bytes_per_s=0)
    Traceback (most recent call last):
    ValueError: bandwidth_bytes_per_s must be above 0, not 0
    """
    for name, value in arguments.items():
        if not _is_number(value) or not 0 < value < inf:
            raise ValueError(f"{name} must be above 0, not {value!r}")


def require_not_negative(**arguments: float) -> None:
    """Raise ValueError unless every argument is a number of at least 0.

    >>> require_not_negative(latency_s=0)
    >>> require_not_negative(latency_s=-1e-6)
    Traceback (most recent call last):
    ValueError: latency_s must be at least 0, not -1e-06
    """
    for name, value in arguments.items():
        if not _is_number(value) or not 0 <= value < inf:
            raise ValueError(f"{name} must be at least 0, not {value!r}")


def require_fraction(**arguments: float) -> None:
    """Raise ValueError unless every argument is above 0 and at most 1.

    >>> require_fraction(mfu=0.4)
    >>> require_fraction(mfu=40)
    Traceback (most recent call last):
    ValueError: mfu must be above 0 and at most 1, not 40
    """
    for name, value in arguments.items():
        if not _is_number(value) or not 0 < value <= 1:
            raise ValueError(f"{name} must be above 0 and at most 1, not {value!r}")
