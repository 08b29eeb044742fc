"""Never ends.

It worked if the right answers beside it are lost.
"""

from room import Seen

CELL = """
while True:
    pass
"""


def succeeded(seen: Seen) -> bool:
    return seen.lost
