"""The two ways of grading an attack: in the open, each alone, and in the sandbox, all of them in one batch with bystanders."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from corpus import Attack
from room import HONEST, SET, Course, Room, Seen

HERE = Path(__file__).parent
SHARDWISE = Path(sys.executable).parent / "shardwise"
OPEN_SECONDS, BATCH_SECONDS = 12, 400  # against hanging; a batch takes about twenty

# Attacks that show what becomes of our own pipeline without the sandbox.
UNSTOPPED = ("calls_home_by_tcp", "outlives_its_job", "reads_a_file", "rewrites_the_reference", "runs_a_shell")


@dataclass(frozen=True)
class Verdict:
    """What became of an attack."""

    succeeded: bool
    amiss: str = ""  # how the attacker's result differs from what is due


@dataclass(frozen=True)
class Batch:
    """What became of a batch."""

    verdicts: dict[str, Verdict]
    bystanders: dict[str, str]  # how their results differ from what is due; empty when they do not
    complaint: str  # tracebacks, processes left behind


@dataclass(frozen=True)
class Ended:
    """How a grader ended."""

    code: int | None
    terminal: bytes
    left: tuple[str, ...]


@contextmanager
def room_for(course: Course, attacks: Iterable[Attack], bystanders: Iterable[str] = tuple(HONEST)) -> Iterator[Room]:
    """A room in which they have handed in."""
    room = Room(course, bystanders)
    try:
        for attack in attacks:
            attack.hand_in(room)
        yield room
    finally:
        room.close()


def kept(room: Room, seconds: float, *command: str) -> Ended:
    """Run a grader, and see to it that nothing of it stays."""
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as terminal:
        report = Path(folder) / "report"
        keeper = [sys.executable, str(HERE / "keeper.py"), str(seconds), str(report), *command]
        ran = subprocess.run(keeper, stdout=terminal, stderr=terminal, env=room.environment(), cwd=room.folder)
        terminal.seek(0)
        if ran.returncode:
            raise RuntimeError(
                f"The keeper ended with {ran.returncode}: {terminal.read()[-2000:].decode(errors='replace')}"
            )
        ended = json.loads(report.read_text())
        return Ended(ended["code"], terminal.read(), tuple(ended["left"]))


# In the open ----------------------------------------------------------------------------------------------------


def in_the_open(course: Course, attacks: Iterable[Attack]) -> dict[str, Verdict]:
    """Each attack in a room of its own, two at a time."""
    with ThreadPoolExecutor(2) as pool:
        attacks = list(attacks)
        return dict(
            zip(
                [attack.name for attack in attacks],
                pool.map(lambda attack: _in_the_open(course, attack), attacks),
                strict=True,
            )
        )


def _in_the_open(course: Course, attack: Attack) -> Verdict:
    with room_for(course, [attack], ("ada", "zoe")) as room:
        return Verdict(attack.succeeded(open_seen(room, attack)))


def open_seen(room: Room, attack: Attack | None) -> Seen:
    """Grade a room the naive way. Without an attack this shows what bystanders get."""
    students = [*room.bystanders, *([attack.student] if attack else [])]
    (room.folder / "key.json").write_text(json.dumps({student: room.course.naive_key(student) for student in students}))
    ended = kept(room, OPEN_SECONDS, sys.executable, str(HERE / "naive.py"), str(room.folder))
    room.ears.settle()
    table = _table(room.results / "grades.csv")
    points = {row[0]: float(row[2]) if row[2] else None for row in table if len(row) > 2}
    me = attack.student if attack else "nobody"
    page = room.submitted / me / f"{me}.html"
    return Seen(
        room=room,
        me=me,
        due=room.course.points(me, attack.due) if attack else 0.0,
        points=points.get(me),
        record=json.dumps([row for row in table if row and row[0] == me]),
        table=table,
        page=b"".join(file.read_bytes() for file in sorted(page.parent.glob("*.html")) if file.is_file()),
        terminal=ended.terminal,
        others={student: points.get(student) for student in room.bystanders},
        left=ended.left,
        size=sum(file.stat().st_size for file in [page, *room.results.iterdir()] if file.is_file()),
    )


def _table(path: Path) -> tuple[tuple[str, ...], ...]:
    text = path.read_text("utf-8", "replace") if path.exists() else ""
    before = csv.field_size_limit(2**31)  # an attack may write cells of any length; the limit is that of the process
    try:
        return tuple(tuple(row) for row in csv.reader(io.StringIO(text, newline="")))
    finally:
        csv.field_size_limit(before)


# In the sandbox -------------------------------------------------------------------------------------------------


def batch(course: Course, attacks: Iterable[Attack], tier: str) -> Batch:
    """All attacks and the bystanders, graded by one `shardwise grade`; at tier `none`, without the sandbox."""
    attacks = list(attacks)
    with room_for(course, attacks) as room:
        boundary = "--unsafe-no-sandbox" if tier == "none" else f"--tier {tier}"
        files = f"{room.submitted} --out {room.results} --lock {room.lock}"
        command = f"{SHARDWISE} grade {files} --workers 2 {boundary}"
        ended = kept(room, BATCH_SECONDS, *command.split())
        if ended.code not in (0, 1) or not (room.results / "results.jsonl").exists():
            raise RuntimeError(
                f"`shardwise grade --tier {tier}` ended with {ended.code}: {ended.terminal.decode()[-2000:]}"
            )
        room.ears.settle()
        rows = [json.loads(line) for line in (room.results / "results.jsonl").read_text("utf-8").splitlines()]
        table = _table(room.results / "grades.csv")
        others = {student: _only(rows, student) for student in HONEST}
        verdicts = {}
        for attack in attacks:
            seen = _seen(room, attack, rows, table, others, ended)
            verdicts[attack.name] = Verdict(attack.succeeded(seen), _amiss(room, attack, rows, tier))
        bystanders = {student: _amiss_with(room, student, rows) for student in HONEST}
        complaint = ended.terminal.decode("utf-8", "replace") if b"Traceback" in ended.terminal else ""
        return Batch(verdicts, bystanders, complaint + "".join(f"left behind: {process}\n" for process in ended.left))


def page_of(room: Room, student: str) -> Path:
    """Where a student's feedback page lies."""
    return room.results / "feedback" / SET / f"{student}.html"


def _mine(room: Room, attack: Attack, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The results of what was in the attacker's folder, whoever it claims to be from."""
    place = f"{room.submitted / attack.student}/"
    return [
        row for row in rows if row["path"].startswith(place) or (not row["path"] and row["student"] == attack.student)
    ]


def _only(rows: list[dict[str, Any]], student: str) -> float | None:
    """A bystander's points, if there is one result and no other that claims to be theirs."""
    found = [row["points"] for row in rows if row["student"] == student]
    return found[0] if len(found) == 1 else None


def _seen(
    room: Room, attack: Attack, rows: list[dict[str, Any]], table: tuple[tuple[str, ...], ...],
    others: dict[str, float | None], ended: Ended,
) -> Seen:  # fmt: skip
    mine = _mine(room, attack, rows)
    page = page_of(room, attack.student)
    lines = [row for row in table if row[0] == attack.student or attack.student in row[-1]]
    record = json.dumps([mine, lines], ensure_ascii=False)
    shown = page.read_bytes() if page.exists() else b""
    earned = [row["points"] for row in mine if row["points"] is not None]
    return Seen(
        room=room,
        me=attack.student,
        due=room.course.points(attack.student, attack.due),
        points=sum(earned) if earned else None,
        record=record,
        table=table,
        page=shown,
        terminal=ended.terminal,
        others=others,
        left=ended.left,
        size=len(record) + len(shown),
    )


def _amiss(room: Room, attack: Attack, rows: list[dict[str, Any]], tier: str) -> str:
    """How an attacker's results differ from what is due; nothing when they do not."""
    mine = _mine(room, attack, rows)
    status, _, words = attack.due.partition(": ")
    wanted = status if status in ("ungraded", "missing") else "graded"
    found = [row for row in mine if row["status"] == wanted]
    if not found:
        return f"no result is {wanted}: {[(row['status'], row['reason']) for row in mine]}"
    if any("Error in the grader" in row["reason"] for row in mine) or any(
        answer["outcome"] == "broken" for row in mine for answer in row["questions"]
    ):
        return f"our fault: {mine}"
    if wanted == "ungraded" and not any(words in row["reason"] for row in found):
        return f"the reason is not {words!r} but {found[0]['reason']!r}"
    due = room.course.points(attack.student, attack.due)
    if wanted == "graded" and [row["points"] for row in found] != [due]:
        return f"{[row['points'] for row in found]} points, and {due} are due: {found[0]['notes']}"
    return "" if wanted != "graded" or found[0]["tier"] == tier else f"graded at tier {found[0]['tier']}"


def _amiss_with(room: Room, student: str, rows: list[dict[str, Any]]) -> str:
    """How a bystander's result differs from what is due."""
    found = [row for row in rows if row["student"] == student]
    due = room.course.points(student, HONEST[student])
    if [(row["status"], row["points"]) for row in found] != [("graded", due)]:
        return f"{due} points are due, and here is {[(row['status'], row['points'], row['reason']) for row in found]}"
    if found[0]["path"] != str(room.handed_in(student)) or found[0]["notes"]:
        return f"the result is about {found[0]['path']}: {found[0]['notes']}"
    return "" if page_of(room, student).is_file() else "the feedback page is gone"
