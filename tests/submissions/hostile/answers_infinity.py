"""Answers with infinity, for which a relative tolerance is infinite too.

It worked if the number earns points.
"""

from room import Seen

DUE = "none"
ANSWERS = {"number": "$number = float('inf')"}


def succeeded(seen: Seen) -> bool:
    return seen.gained
