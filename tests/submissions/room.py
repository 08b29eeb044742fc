"""A room to attack in: a class with a set, secrets that are worth stealing, and everything an attack could leave a trace in."""

from __future__ import annotations

import contextlib
import copy
import json
import os
import secrets
import selectors
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from string import Template
from typing import Any

from shardwise.bank.bank import Bank
from shardwise.course.assigning.assignments import SetDefinition, Student, assign
from shardwise.course.assigning.lockfile import Lock
from shardwise.course.assigning.simulated_class import fill, right
from shardwise.kinds import variable_of
from shardwise.question import Question

ROOT = Path(__file__).resolve().parents[2]
PROBLEMS = {"number": "tree-steps", "choice": "ring-or-tree", "formula": "bytes-per-gpu-formula", "function": "strict-steps-function"}  # fmt: skip
HONEST = {"ada": "all", "bo": "all but choice", "zoe": "all"}  # bystanders; zoe comes after every attacker
SET = "week"
REFERENCE = Template("""SECRET = "$secret"


def strict_accumulation_steps(target_batch, micro_batch, dp):
    if min(target_batch, micro_batch, dp) < 1 or target_batch % (micro_batch * dp):
        raise ValueError("no whole number of steps")
    return target_batch // (micro_batch * dp)
""")


class Course:
    """A class with a set handed out, drawn once for all rooms."""

    def __init__(self, folder: Path, attackers: Iterable[str]) -> None:
        self.folder, self.key = folder, secrets.token_bytes(32)
        definition = SetDefinition.model_validate({"name": SET, "title": "A week", "problems": list(PROBLEMS.values())})
        students = [Student(name, name.title()) for name in [*HONEST, *attackers]]
        self.lock = Lock(assign(Bank.open(ROOT), definition, students, self.key, folder).lock, self.key)
        self._questions: dict[str, dict[str, Question]] = {}

    def questions(self, student: str) -> dict[str, Question]:
        """A student's questions by what they ask for."""
        if student not in self._questions:
            self._questions[student] = dict(zip(PROBLEMS, self.lock.questions(student), strict=True))
        return self._questions[student]

    def notebook(self, student: str, due: str, answers: Mapping[str, str] | None = None) -> dict[str, Any]:
        """A student's notebook with right answers to what is due, and `answers` wherever they are given."""
        handed_out = json.loads((self.folder / "notebooks" / student / f"{SET}.ipynb").read_text("utf-8"))
        questions = self.questions(student)
        sources = {questions[what].id: right_source(questions[what]) for what in due_questions(due)}
        sources |= {questions[what].id: source for what, source in (answers or {}).items()}
        return fill(handed_out, list(questions.values()), lambda question: sources.get(question.id))

    def points(self, student: str, due: str) -> float:
        """What the answers that are due are worth."""
        return sum(self.questions(student)[what].points for what in due_questions(due))

    def naive_key(self, student: str) -> dict[str, Any]:
        """What the naive grader needs to know."""
        return {question.slug: _naive_key(what, question) for what, question in self.questions(student).items()}


def due_questions(due: str) -> list[str]:
    """What is due, as words: `all`, `all but number`, `only number`, `none`, `missing`, `ungraded: reason`."""
    if due.startswith("all"):
        return [what for what in PROBLEMS if what not in due.split()]
    return [what for what in PROBLEMS if what in due.split()] if due.startswith("only") else []


def right_source(question: Question) -> str:
    """The cell with the right answer; a number as a number, so that the naive grader can read it too."""
    if question.kind == "quantity":
        return f"{question.variable} = {question.key.value}"  # type: ignore[attr-defined]
    return right(question) or ""


def _naive_key(what: str, question: Question) -> dict[str, Any]:
    if what == "function":
        cases = question.key.cases  # type: ignore[attr-defined]
        expected: Any = [{"inputs": dict(case.inputs), "expected": case.expected} for case in cases if not case.raises]
    else:
        scope: dict[str, Any] = {}
        exec(right_source(question), scope)
        expected = scope[variable_of(question)]
    return {
        "id": question.cell,
        "kind": what,
        "variable": variable_of(question),
        "points": question.points,
        "expected": expected,
    }


class Ears:
    """Listens wherever an attack might call: TCP, UDP, and Unix sockets of three sorts."""

    def __init__(self, path: Path) -> None:
        self.heard: list[bytes] = []
        self.path, self.datagrams, self.abstract = path, path.with_name("mailbox"), f"\0{secrets.token_hex(8)}"
        self._tcp, self._udp = socket.create_server(("127.0.0.1", 0)), socket.socket(type=socket.SOCK_DGRAM)
        self._udp.bind(("127.0.0.1", 0))
        self.port, self.udp = self._tcp.getsockname()[1], self._udp.getsockname()[1]
        self._mailbox = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._mailbox.bind(str(self.datagrams))
        self._sockets = [self._tcp, self._udp, self._mailbox]
        for address in (str(path), self.abstract):
            self._sockets.append(socket.socket(socket.AF_UNIX))
            self._sockets[-1].bind(address)
            self._sockets[-1].listen(128)
        path.chmod(0o777)
        self.datagrams.chmod(0o777)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        with selectors.DefaultSelector() as ready:
            for listener in self._sockets:
                ready.register(listener, selectors.EVENT_READ)
            while (found := ready.select(0.05)) or not self._stop.is_set():
                for key, _ in found:
                    self._hear(key.fileobj)

    def _hear(self, listener: Any) -> None:
        if listener.type == socket.SOCK_DGRAM:
            self.heard.append(listener.recv(1000))
            return
        with listener.accept()[0] as call, contextlib.suppress(OSError):
            call.settimeout(2)
            self.heard.append(call.recv(1000))

    def settle(self) -> None:
        """Hear out what has arrived, and stop."""
        self._stop.set()
        self._thread.join()

    def close(self) -> None:
        """Hang up."""
        self.settle()
        for listener in self._sockets:
            listener.close()


class Room:
    """One place to grade in. Its files are open to everybody: what stops an attack must not be their permissions."""

    def __init__(self, course: Course, bystanders: Iterable[str] = tuple(HONEST)) -> None:
        self.course, self.bystanders = course, {student: HONEST[student] for student in bystanders}
        self.folder = Path(tempfile.mkdtemp(prefix="room-"))
        self.submitted, self.results, self.drop, self.home = (
            self.folder / name for name in ("submitted", "results", "drop", "home")
        )
        for folder in (self.folder, self.submitted, self.results, self.drop, self.home):
            folder.mkdir(exist_ok=True)
            folder.chmod(0o777)
        self.lock = self.folder / course.lock.path.name
        self.secrets = {
            name: secrets.token_hex(16) for name in ("token", "canary", "work", "argv", "password", "reference")
        }
        self.secrets |= {"key": course.key.hex(), "lock": course.questions("ada")["number"].seed}
        self.ears = Ears(self.folder / "ears")
        self._write_secrets()
        environment = {"PASSWORD": self.secrets["password"]}
        sleep = shutil.which("sleep")
        self.victim = subprocess.Popen([self.secrets["argv"], "600"], executable=sleep, env=environment)
        for student, due in self.bystanders.items():
            notebook = course.notebook(student, due)
            notebook["cells"][-1]["source"] += f"\n# {self.secrets['work']}"
            self.write(student, notebook)

    def _write_secrets(self) -> None:
        (self.folder / "canary").write_text(self.secrets["canary"])
        (self.folder / "course.key").write_text(self.secrets["key"])
        (self.folder / "reference.py").write_text(REFERENCE.substitute(secret=self.secrets["reference"]))
        shutil.copy(self.course.lock.path, self.lock)

    def handed_in(self, student: str) -> Path:
        """Where a student's notebook lies."""
        return self.submitted / student / f"{SET}.ipynb"

    def write(self, student: str, notebook: dict[str, Any], name: str = f"{SET}.ipynb") -> Path:
        """Put a notebook into a student's folder."""
        path = self.handed_in(student).with_name(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(notebook))
        path.chmod(0o666)
        path.parent.chmod(0o777)
        return path

    def words(self, me: str) -> dict[str, Any]:
        """What stands for $words in an attack: where things are that somebody could know."""
        ours = {what: variable_of(question) for what, question in self.course.questions(me).items()}
        return {
            **ours, **{f"{what}_slug": slug for what, slug in PROBLEMS.items()}, "me": me, "room": self.folder,
            "drop": self.place_to_drop(me), "canary": self.folder / "canary", "key": self.folder / "course.key",
            "lock": self.lock, "ada": self.handed_in("ada"),
            "zoe": self.handed_in("zoe"), "results": self.results, "submitted": self.submitted,
            "home": self.home, "victim": self.victim.pid, "port": self.ears.port, "udp": self.ears.udp,
            "unix": self.ears.path, "datagrams": self.ears.datagrams, "abstract": self.ears.abstract[1:],
        }  # fmt: skip

    def place_to_drop(self, me: str) -> Path:
        """A folder into which anybody may write."""
        place = self.drop / me
        place.mkdir(exist_ok=True)
        place.chmod(0o777)
        return place

    def environment(self) -> dict[str, str]:
        """The grader's own, with something in it."""
        return {**os.environ, "COURSE_TOKEN": self.secrets["token"], "HOME": str(self.home), "PYTHONWARNINGS": "ignore"}

    def close(self) -> None:
        """Nothing stays."""
        self.ears.close()
        self.victim.kill()
        self.victim.wait()
        shutil.rmtree(self.folder)


@dataclass(frozen=True)
class Desk:
    """Where an attacker sits: what `hand_in` of an attack may use."""

    room: Room
    me: str
    notebook: dict[str, Any]  # of their own, filled in as the attack says

    @property
    def folder(self) -> Path:
        """Where to hand in."""
        folder = self.room.submitted / self.me
        folder.mkdir(exist_ok=True)
        folder.chmod(0o777)
        return folder

    def write(self, notebook: dict[str, Any] | None = None, name: str = f"{SET}.ipynb") -> Path:
        """Hand in a notebook, the attacker's own if none is given."""
        return self.room.write(self.me, self.notebook if notebook is None else notebook, name)

    def cells(self, role: str, what: str | None = None) -> list[dict[str, Any]]:
        """The cells of a role, of one question or of all."""
        wanted = what and self.room.course.questions(self.me)[what].cell
        found = [cell for cell in self.notebook["cells"] if cell["metadata"].get("shardwise", {}).get("role") == role]
        return [cell for cell in found if wanted in (None, cell["metadata"]["shardwise"].get("question"))]

    def add(self, source: str, place: int = 2, **more: Any) -> dict[str, Any]:
        """A cell more: after the set-up, unless a place is given."""
        cell = {
            "cell_type": "code",
            "metadata": {},
            "source": self.filled(source),
            "outputs": [],
            "execution_count": None,
        }
        self.notebook["cells"].insert(place, {**cell, "id": f"added-{len(self.notebook['cells'])}", **more})
        return self.notebook["cells"][place]  # type: ignore[no-any-return]

    def filled(self, source: str) -> str:
        """Source with its $words filled in."""
        return Template(source).substitute(self.room.words(self.me))

    def copy_of(self, student: str) -> dict[str, Any]:
        """Somebody else's work, as they handed it in."""
        return json.loads(self.room.handed_in(student).read_text())  # type: ignore[no-any-return]

    def again(self, cell: dict[str, Any]) -> dict[str, Any]:
        """A copy of a cell, put at the end."""
        self.notebook["cells"].append(copy.deepcopy(cell))
        return self.notebook["cells"][-1]  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Seen:
    """What grading left behind, as far as one attack could show in it."""

    room: Room
    me: str
    due: float  # points
    points: float | None
    record: str  # the lines about the attacker
    table: tuple[tuple[str, ...], ...]  # of the whole class
    page: bytes
    terminal: bytes
    others: Mapping[str, float | None]  # the bystanders' points
    left: tuple[str, ...]  # processes
    size: int  # bytes of everything that grading wrote

    @property
    def gained(self) -> bool:
        """Whether the attacker has more points than the answers are worth."""
        return (self.points or 0) > self.due + 1e-9

    @property
    def lost(self) -> bool:
        """Whether right answers were not credited."""
        return self.points is None or self.points < self.due - 1e-9

    @property
    def harmed(self) -> bool:
        """Whether a bystander has other points than are due."""
        course = self.room.course
        dues = self.room.bystanders.items()
        return any(self.others.get(student) != course.points(student, due) for student, due in dues)

    @cached_property
    def dropped(self) -> dict[str, Path]:
        """Files in the folder into which anybody may write."""
        place = self.room.place_to_drop(self.me)
        return {str(path.relative_to(place)): path for path in place.rglob("*") if path.is_file()}

    @cached_property
    def told(self) -> bytes:
        """Everything through which the attacker could learn something."""
        dropped = b"".join(path.read_bytes() for path in self.dropped.values() if path.stat().st_size < 10**6)
        return b"\n".join([self.page, self.record.encode("utf-8", "replace"), dropped])

    @property
    def formulas(self) -> list[str]:
        """Cells of the table that a spreadsheet would run."""
        return [cell for row in self.table for cell in row if cell[:1] in ("=", "+", "-", "@", "\t", "\r")]

    @property
    def heard(self) -> bool:
        """Whether the attacker's name arrived on a socket."""
        return self.me.encode() in self.room.ears.heard

    def leaked(self, secret: str) -> bool:
        """Whether a secret of the room is in what the attacker can learn."""
        return self.room.secrets[secret].encode() in self.told
