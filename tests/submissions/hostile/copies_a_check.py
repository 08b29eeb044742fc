"""Copies the locked cell that checks its one right answer, id and all, until it has earned everything.

It worked if there are more points than one answer is worth.
"""

from room import Desk, Seen

DUE = "only number"


def hand_in(desk: Desk) -> None:
    for _ in range(4):
        desk.again(desk.cells("check", "number")[0])
    desk.write()


def succeeded(seen: Seen) -> bool:
    return seen.gained
