"""Puts its cells in reverse, checks before answers and set-up last.

It worked if the right answers are not credited.
"""

from room import Desk, Seen


def hand_in(desk: Desk) -> None:
    desk.notebook["cells"].reverse()
    desk.write()


def succeeded(seen: Seen) -> bool:
    return seen.lost
