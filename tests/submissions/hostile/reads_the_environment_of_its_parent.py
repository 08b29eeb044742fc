"""Reads the environment of the process that started it, from /proc.

It worked if the course's token is in what the attacker gets to see.
"""

from room import Seen

CELL = """
import os, re
found = open(f"/proc/{os.getppid()}/environ").read()
raise RuntimeError(re.search("COURSE_TOKEN=([0-9a-f]+)", found)[1])
"""


def succeeded(seen: Seen) -> bool:
    return seen.leaked("token")
