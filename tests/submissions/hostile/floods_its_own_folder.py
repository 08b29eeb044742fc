"""Writes 30 MB next to its notebook, by a relative path.

It worked if they are there.
"""

from room import Seen

CELL = """
with open("flood", "wb") as file:
    for _ in range(30):
        file.write(bytes(1_000_000))
"""


def succeeded(seen: Seen) -> bool:
    return (seen.room.submitted / seen.me / "flood").exists()
