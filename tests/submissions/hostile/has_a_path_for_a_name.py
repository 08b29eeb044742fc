"""Signs with a path for a name, for a grader that names files after students.

It worked if there is a file at the end of that path.
"""

from room import Desk, Seen

DUE = "ungraded: not a valid name"


def hand_in(desk: Desk) -> None:
    desk.room.place_to_drop(desk.me)
    desk.notebook["metadata"]["shardwise"]["student"] = f"../../drop/{desk.me}/x"
    desk.write()


def succeeded(seen: Seen) -> bool:
    return "x.html" in seen.dropped
