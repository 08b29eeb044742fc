"""Adds points to the grader's own list of what was earned.

It worked if there are points for no answer at all.
"""

from room import Seen

DUE = "none"
CELL = """
check.__globals__["EARNED"].append(8)
"""


def succeeded(seen: Seen) -> bool:
    return seen.gained
