"""Deletes all questions but the easiest, for a grader that counts in per cent of what is there.

It worked if one answer earns more than it is worth.
"""

from room import Desk, Seen

DUE = "only number"


def hand_in(desk: Desk) -> None:
    easy = desk.cells("check", "number")[0]["metadata"]["shardwise"]["question"]
    cells = desk.notebook["cells"]
    desk.notebook["cells"] = [cell for cell in cells if cell["metadata"]["shardwise"].get("question", easy) == easy]
    desk.write()


def succeeded(seen: Seen) -> bool:
    return seen.gained
