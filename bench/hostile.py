"""The part of the hostile corpus that is plain code, against `nbgrader autograde`, next to what it does to us.

    python bench/hostile.py

One class with every attacker in it and three bystanders hands in twice: notebooks of nbgrader's kind, with hidden tests in
locked cells, and ours. Each attack is judged by what grading left behind, as in tests/submissions. Everything happens in a
folder that is thrown away; limits on nbgrader's processes keep it harmless.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

# Before this folder, which has a room of its own.
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "submissions"))

import nbformat
from corpus import Attack, corpus
from nbformat.v4 import new_code_cell, new_notebook
from nbgrader.api import Gradebook
from rich.console import Console
from rich.table import Table
from room import HONEST, SET, Course, Desk, Room, Seen, right_source
from trials import batch, kept

from shardwise.kinds import variable_of

CHOSEN = [  # all in one class: none that takes away what another needs
    "reads_the_environment",
    "reads_the_environment_of_its_parent",
    "reads_the_environment_of_a_stranger",
    "reads_command_lines",
    "reads_its_own_memory",
    "reads_a_file",
    "climbs_out_by_dot_dot",
    "reads_the_lock_file",
    "reads_the_course_key",
    "reads_anothers_work",
    "lists_the_class",
    "imports_the_reference",
    "is_equal_to_everything",
    "is_a_text_equal_to_everything",
    "ends_its_process",
    "seizes_a_stranger",
    "starts_forty_processes",
    "outlives_its_job",
    "runs_a_shell",
    "hoards_memory",
    "hides_memory_in_a_file",
    "floods_the_disk",
    "floods_the_inodes",
    "opens_two_hundred_descriptors",
    "rewrites_anothers_work",
    "rewrites_the_reference",
    "leaves_code_for_the_next_python",
    "calls_home_by_tcp",
    "calls_home_by_udp",
    "calls_a_unix_socket",
    "calls_an_abstract_socket",
    "listens_on_a_port",
    "asks_for_the_network_interfaces",
    "prints_ten_megabytes",
]
SECONDS = 600
LIMITS = ["prlimit", "--fsize=67108864", "--as=4294967296", "--core=0"]


class NbgraderRoom(Room):
    """A room in which an nbgrader course lies."""

    def handed_in(self, student: str) -> Path:
        """Where nbgrader wants a student's notebook."""
        return self.submitted / student / SET / f"{SET}.ipynb"

    def nbgrader(self, *command: str) -> Any:
        """Run it, and see to it that nothing of it stays."""
        return kept(self, SECONDS, *LIMITS, str(Path(sys.executable).with_name("nbgrader")), *command)

    def environment(self) -> dict[str, str]:
        """With nbgrader's programs on the path, and nobody's configuration."""
        inherited = super().environment()
        path = f"{Path(sys.executable).parent}:{inherited['PATH']}"
        return {**inherited, "PATH": path, "JUPYTER_CONFIG_DIR": str(self.home / "jupyter")}


@contextmanager
def course_of_nbgrader(course: Course, attacks: list[Attack]) -> Iterator[NbgraderRoom]:
    """A course in which all have handed in. Everybody has ada's questions, since nbgrader's tests are the same for all."""
    room = NbgraderRoom(course, ())
    try:
        (room.folder / "nbgrader_config.py").write_text(
            f"c = get_config()\nc.CourseDirectory.course_id = 'c'\nc.CourseDirectory.root = {str(room.folder)!r}\n"
        )
        source = room.folder / "source" / SET / f"{SET}.ipynb"
        source.parent.mkdir(parents=True)
        nbformat.write(_source(course), source)
        room.nbgrader("generate_assignment", SET, "--create")
        released = (room.folder / "release" / SET / f"{SET}.ipynb").read_text("utf-8")
        answers = {what: right_source(question) for what, question in course.questions("ada").items()}
        for student in HONEST:
            notebook = _answered(released, answers)
            last = notebook["cells"][-1]
            last["source"] = "".join([*last["source"], f"\n# {room.secrets['work']}"])
            room.write(student, notebook)
        for attack in attacks:
            desk = Desk(room, attack.student, {})
            own = {what: desk.filled(text) for what, text in (attack.answers or {}).items()}
            room.write(attack.student, _answered(released, own or answers, desk.filled(attack.cell)))
        yield room
    finally:
        room.close()


def _source(course: Course) -> nbformat.NotebookNode:
    """Answer cells, and after each a locked cell with a test that nbgrader hides."""
    notebook = new_notebook(
        metadata={"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    )
    key = course.naive_key("ada")
    for what, question in course.questions("ada").items():
        name, expected = variable_of(question), key[question.slug]["expected"]
        test = f"assert {name} == {expected!r}"
        if what == "function":
            test = f"for case in {expected!r}:\n    assert {name}(**case['inputs']) == case['expected']"
        notebook.cells.append(_cell(f"{what}-answer", f"{name} = ...", solution=True))
        hidden = f"### BEGIN HIDDEN TESTS\n{test}\n### END HIDDEN TESTS"
        notebook.cells.append(_cell(f"{what}-test", hidden, points=question.points))
    return notebook


def _cell(grade_id: str, source: str, *, solution: bool = False, points: float | None = None) -> nbformat.NotebookNode:
    locked = points is not None
    metadata = {"schema_version": 3, "grade": locked, "locked": locked, "solution": solution, "task": False, "grade_id": grade_id}  # fmt: skip
    return new_code_cell(source, id=grade_id, metadata={"nbgrader": metadata | ({"points": points} if locked else {})})


def _answered(released: str, answers: dict[str, str], added: str = "") -> dict[str, Any]:
    notebook: dict[str, Any] = json.loads(released)
    for cell in notebook["cells"]:
        what, _, part = cell["metadata"]["nbgrader"]["grade_id"].partition("-")
        if part == "answer" and what in answers:
            cell["source"] = answers[what]
    if added:
        notebook["cells"].insert(0, new_code_cell(added, id="added"))
    return notebook


def by_nbgrader(course: Course, attacks: list[Attack]) -> tuple[dict[str, bool], dict[str, float | None]]:
    """Which attacks succeed, and what the bystanders got."""
    with course_of_nbgrader(course, attacks) as room:
        ended = room.nbgrader("autograde", SET, "--create")
        room.ears.settle()
        points = _points(room.folder / "gradebook.db")
        others = {student: points.get(student) for student in HONEST}
        found = {}
        for attack in attacks:
            page = room.folder / "autograded" / attack.student / SET / f"{SET}.ipynb"
            shown = page.read_bytes() if page.exists() else b""
            found[attack.name] = attack.succeeded(
                Seen(
                    room=room,
                    me=attack.student,
                    due=0.0
                    if attack.answers
                    else course.points("ada", "all"),  # those with answers have none that is right
                    points=points.get(attack.student),
                    record="",
                    table=(),
                    page=shown,  # feedback is made of it
                    terminal=ended.terminal,
                    others=others,
                    left=ended.left,
                    size=len(shown),
                )
            )
        return found, others


def _points(database: Path) -> dict[str, float]:
    with Gradebook(f"sqlite:///{database}") as gradebook:
        graded = gradebook.assignment_submissions(SET)
        return {
            submission.student.id: submission.score
            for submission in graded
            if not any(grade.needs_manual_grade for note in submission.notebooks for grade in note.grades)
        }


def main() -> None:
    """Try them, and print."""
    attacks = [attack for name, attack in corpus().items() if name in CHOSEN]
    with tempfile.TemporaryDirectory() as folder:
        course = Course(Path(folder), [attack.student for attack in attacks])
        theirs, others = by_nbgrader(course, attacks)
        ours = batch(course, attacks, "1")
    table = Table("attack", "nbgrader", "shardwise, tier 1", box=None, header_style="bold")
    for attack in attacks:
        words = [
            "succeeds" if got_in else "fails" for got_in in (theirs[attack.name], ours.verdicts[attack.name].succeeded)
        ]
        table.add_row(attack.name.replace("_", " "), *words)
    console = Console()
    console.print(table)
    print(f"nbgrader: {sum(theirs.values())} of {len(attacks)} succeed; bystanders got {others}")
    print(f"shardwise: {sum(verdict.succeeded for verdict in ours.verdicts.values())} of {len(attacks)} succeed; "
          f"{sum(not why for why in ours.bystanders.values())} of {len(HONEST)} bystanders got their points")  # fmt: skip


if __name__ == "__main__":
    main()
