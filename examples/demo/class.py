"""A demo class submits right, mistaken, unreadable and blank answers, and six kinds of hostile notebooks."""

from __future__ import annotations

import sys
from itertools import cycle
from pathlib import Path

from shardwise.course.assigning.lockfile import Lock
from shardwise.course.assigning.simulated_class import ATTACKS, blank, hand_in, mistaken, right, unreadable


def main(out: Path) -> None:
    """Fill in the notebooks under `out`, and put them into `out`/submitted."""
    lock = Lock(next(out.glob("*.lock.jsonl")))
    students = list(lock.students())
    writers = {"right": right, "mistaken": mistaken, "unreadable": unreadable}
    attacks = cycle(ATTACKS.items())
    for place, student in enumerate(students):
        what, write, attack = "", right, None
        if place < 3:
            what, write = list(writers.items())[place]
        elif place == 3:
            what, write = "blank", blank
        else:
            name, attack = next(attacks)
            what = f"right, and a cell that {name}"
        hand_in(lock, out / "notebooks", out / "submitted", student, write, attack)
        print(f"  {student:8} {what}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
