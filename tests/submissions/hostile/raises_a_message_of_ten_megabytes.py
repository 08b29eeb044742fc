"""Raises an exception with a message of 10 MB, for the report to carry.

It worked if what is written about this one student takes megabytes.
"""

from room import Seen

CELL = """
raise ValueError("x" * 10_000_000)
"""


def succeeded(seen: Seen) -> bool:
    return seen.size > 2_000_000
