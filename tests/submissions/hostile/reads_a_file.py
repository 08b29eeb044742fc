"""Reads a file of the machine that every user may read.

It worked if the file's secret is in what the attacker gets to see.
"""

from room import Seen

CELL = """
raise RuntimeError(open("$canary").read())
"""


def succeeded(seen: Seen) -> bool:
    return seen.leaked("canary")
