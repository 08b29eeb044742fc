"""Deletes the notebook of a classmate who has not been graded yet.

It worked if the notebook is gone.
"""

from room import Seen

CELL = """
import os
os.remove("$zoe")
"""


def succeeded(seen: Seen) -> bool:
    return not seen.room.handed_in("zoe").exists()
