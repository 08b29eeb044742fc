"""Changes the reference solution, for all that come after.

It worked if the reference has another line.
"""

from room import Seen

CELL = """
with open("$room/reference.py", "a") as file:
    file.write("# $me was here")
"""


def succeeded(seen: Seen) -> bool:
    return seen.me in (seen.room.folder / "reference.py").read_text()
