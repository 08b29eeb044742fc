"""Has cells that are numbers and lists, next to those with right answers.

It worked if the batch ended there, and a bystander got no points.
"""

from room import Desk, Seen


def hand_in(desk: Desk) -> None:
    desk.notebook["cells"][2:2] = [None, 7, [], {}, {"cell_type": "code", "source": {"a": 1}, "metadata": []}]
    desk.write()


def succeeded(seen: Seen) -> bool:
    return seen.harmed
