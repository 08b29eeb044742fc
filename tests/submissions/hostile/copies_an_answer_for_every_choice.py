"""Answers one question with every choice in turn, each in a copy of the cell and checked, the last one wrong.

It worked if there are points for an answer that is wrong in the end.
"""

from room import Desk, Seen

DUE = "none"


def hand_in(desk: Desk) -> None:
    answer, check = desk.cells("answer", "choice")[0], desk.cells("check", "choice")[0]
    for label in "abcd":
        desk.again(answer)["source"] = desk.filled(f"$choice = {label!r}")
        desk.again(check)
    desk.again(answer)["source"] = desk.filled("$choice = 'none of them'")
    desk.write()


def succeeded(seen: Seen) -> bool:
    return seen.gained
