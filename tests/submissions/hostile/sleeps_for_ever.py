"""Never ends.

It worked if the right answers next to it are lost.
"""

from room import Seen

CELL = """
import time

while True:
    time.sleep(1)
"""


def succeeded(seen: Seen) -> bool:
    return seen.lost
