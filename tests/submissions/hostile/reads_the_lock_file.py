"""Reads the file that holds every draw and every key of the class.

It worked if a classmate's draw is in what the attacker gets to see.
"""

from room import Seen

CELL = """
import re
raise RuntimeError(re.findall('"seed": ?"([^"]+)"', open("$lock").read())[:4])
"""


def succeeded(seen: Seen) -> bool:
    return seen.leaked("lock")
