"""Prints ten megabytes, for the report to carry.

It worked if what is written about this one student takes megabytes.
"""

from room import Seen

CELL = """
for _ in range(10):
    print("x" * 1_000_000)
"""


def succeeded(seen: Seen) -> bool:
    return seen.size > 2_000_000
