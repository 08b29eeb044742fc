"""Changes the key in memory into the answer that it gives.

It worked if a wrong number earns points.
"""

from room import Seen

DUE = "none"
CELL = """
check.__globals__["KEY"]["$number_slug"]["expected"] = -1
"""
ANSWERS = {"number": "$number = -1"}


def succeeded(seen: Seen) -> bool:
    return seen.gained
