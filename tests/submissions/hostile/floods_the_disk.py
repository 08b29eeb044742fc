"""Writes 30 MB into a folder where anybody may write.

It worked if they are there.
"""

from room import Seen

CELL = """
with open("$drop/flood", "wb") as file:
    for _ in range(30):
        file.write(bytes(1_000_000))
"""


def succeeded(seen: Seen) -> bool:
    return sum(path.stat().st_size for path in seen.dropped.values()) >= 30_000_000
