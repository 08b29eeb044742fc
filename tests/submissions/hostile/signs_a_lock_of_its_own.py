"""Hands in a lock file with another key to a question, signed with a course key of its own that lies next to it.

It worked if a wrong number earns points.
"""

import json

from room import Desk, Seen

from shardwise.course.assigning.keys import KEY_FILE
from shardwise.course.assigning.lockfile import writing

DUE = "none"
ANSWERS = {"number": "$number = -1"}


def hand_in(desk: Desk) -> None:
    course, mine = desk.room.course, bytes(32)
    (desk.folder / KEY_FILE).write_text(mine.hex())
    with writing(desk.folder / desk.room.lock.name, mine) as lines:
        lines.add(course.lock.header)
        line = json.loads(course.lock.line(desk.me))
        next(asked for asked in line["questions"] if asked["kind"] == "quantity")["key"]["value"] = -1.0
        lines.add(line)
    open_to_all = course.naive_key(desk.me)
    open_to_all[desk.filled("$number_slug")]["expected"] = -1
    (desk.folder / "key.json").write_text(json.dumps({desk.me: open_to_all}))
    desk.write()


def succeeded(seen: Seen) -> bool:
    return seen.gained
