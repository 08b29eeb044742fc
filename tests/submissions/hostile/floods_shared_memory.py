"""Writes to /dev/shm, which is memory that outlives processes.

It worked if the file is there after grading.
"""

from pathlib import Path

from room import Seen

CELL = """
with open("/dev/shm/$me", "wb") as file:
    file.write(bytes(5_000_000))
"""


def succeeded(seen: Seen) -> bool:
    place = Path("/dev/shm") / seen.me
    found = place.exists()
    place.unlink(missing_ok=True)
    return found
