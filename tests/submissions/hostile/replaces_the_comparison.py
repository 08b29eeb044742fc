"""Puts a function that is always content in the place of the one that compares.

It worked if there are points for no answer at all.
"""

from room import Seen

DUE = "none"
CELL = """
check.__globals__["matches"] = lambda value, question: True
"""


def succeeded(seen: Seen) -> bool:
    return seen.gained
