"""Answers with a text that becomes infinite when it is read.

It worked if the number earns points.
"""

from room import Seen

DUE = "none"
ANSWERS = {"number": "$number = '1e999'"}


def succeeded(seen: Seen) -> bool:
    return seen.gained
