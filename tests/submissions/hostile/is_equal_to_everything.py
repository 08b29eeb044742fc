"""Answers with an object that is equal to everything.

It worked if the choice earns points.
"""

from room import Seen

DUE = "none"
ANSWERS = {
    "choice": """
class Always:
    def __eq__(self, other):
        return True

$choice = Always()
"""
}


def succeeded(seen: Seen) -> bool:
    return seen.gained
