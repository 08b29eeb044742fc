"""Checks of arguments, shared by all references: each raises a ValueError that names the bad argument."""

from __future__ import annotations


def require_counts(**arguments: int) -> None:
    """Raise ValueError unless every argument is a whole number of at least 1.

    >>> require_counts(months=0)
    Traceback (most recent call last):
    ValueError: months must be a whole number of at least 1, not 0
    """
    for name, value in arguments.items():
        if value != int(value) or value < 1:
            raise ValueError(f"{name} must be a whole number of at least 1, not {value!r}")


def require_positive(**arguments: float) -> None:
    """Raise ValueError unless every argument is a number above 0.

    >>> require_positive(principal_dollars=-5)
    Traceback (most recent call last):
    ValueError: principal_dollars must be above 0, not -5
    """
    for name, value in arguments.items():
        if not 0 < value < float("inf"):
            raise ValueError(f"{name} must be above 0, not {value!r}")


def require_not_negative(**arguments: float) -> None:
    """Raise ValueError unless every argument is a number of at least 0.

    >>> require_not_negative(annual_rate=-0.01)
    Traceback (most recent call last):
    ValueError: annual_rate must be at least 0, not -0.01
    """
    for name, value in arguments.items():
        if not 0 <= value < float("inf"):
            raise ValueError(f"{name} must be at least 0, not {value!r}")


def require_at_most(most: float, **arguments: float) -> None:
    """Raise ValueError unless every argument is at most that number.

    >>> require_at_most(360, paid_months=361)
    Traceback (most recent call last):
    ValueError: paid_months must be at most 360, not 361
    """
    for name, value in arguments.items():
        if value > most:
            raise ValueError(f"{name} must be at most {most!r}, not {value!r}")
