"""Reads the environment that its process had at its birth, whatever was deleted from os.environ since.

It worked if the course's token is in what the attacker gets to see.
"""

from room import Seen

CELL = """
import re
raise RuntimeError(re.search("COURSE_TOKEN=([0-9a-f]+)", open("/proc/self/environ").read())[1])
"""


def succeeded(seen: Seen) -> bool:
    return seen.leaked("token")
