"""Reads the notebook that a classmate handed in, whose place is easily guessed.

It worked if a line of that notebook is in what the attacker gets to see.
"""

from room import Seen

CELL = """
import json
raise RuntimeError(json.load(open("$ada"))["cells"][-1]["source"])
"""


def succeeded(seen: Seen) -> bool:
    return seen.leaked("work")
