"""Hands in a key of its own next to the notebook, by which its wrong answers are right.

It worked if a wrong number earns points.
"""

import json

from room import Desk, Seen

DUE = "none"
ANSWERS = {"number": "$number = -1"}


def hand_in(desk: Desk) -> None:
    key = desk.room.course.naive_key(desk.me)
    key[desk.filled("$number_slug")]["expected"] = -1
    (desk.folder / "key.json").write_text(json.dumps({desk.me: key}))
    lines = desk.room.lock.read_text().splitlines(keepends=True)
    right = str(desk.room.course.questions(desk.me)["number"].key.value)
    (desk.folder / desk.room.lock.name).write_text("".join(lines).replace(f'"value": {right}', '"value": -1.0'))
    desk.write()


def succeeded(seen: Seen) -> bool:
    return seen.gained
