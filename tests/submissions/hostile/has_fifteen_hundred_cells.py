"""Has fifteen hundred cells, each of which runs.

It worked if the attacker gets to see that they all did.
"""

from room import Desk, Seen

DUE = "ungraded: 1,5"


def hand_in(desk: Desk) -> None:
    desk.add("count = 0")
    for _ in range(1_500):
        desk.add("count += 1", 3)
    desk.add('raise RuntimeError(f"ran {count}")', len(desk.notebook["cells"]))
    desk.write()


def succeeded(seen: Seen) -> bool:
    return b"ran 1500" in seen.told
