"""The corpus: a file for each idea in hostile/, and what such a file may define.

    CELL        source of a cell that the attacker adds, right after the set-up
    ANSWERS     sources of answer cells, by question: number, choice, formula, function
    DUE         what is due to such a notebook: `all`, `all but number`, `only number`, `none`, `missing`, or
                `ungraded: words of the reason`; `all` when omitted. What is due is also answered, and rightly so
    hand_in     puts a whole folder of files together, where a cell is not enough
    succeeded   whether the attack worked, judged by what grading left behind; every file defines it

In sources $words stand for places that the attacker knows: see Room.words.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from room import Desk, Room, Seen

HOSTILE = Path(__file__).parent / "hostile"


@dataclass(frozen=True)
class Attack:
    """One idea of how to get points, secrets or trouble out of a grader."""

    name: str  # of the file; with dashes, the attacker's
    idea: str
    shows: str  # how success shows
    succeeded: Callable[[Seen], bool]
    due: str = "all"
    cell: str = ""
    answers: Mapping[str, str] | None = None
    arrange: Callable[[Desk], None] | None = None

    @property
    def student(self) -> str:
        """Who hands it in."""
        return self.name.replace("_", "-")

    def hand_in(self, room: Room) -> None:
        """Put it among the submissions."""
        desk = Desk(room, self.student, room.course.notebook(self.student, self.due))
        for what, source in (self.answers or {}).items():
            desk.cells("answer", what)[0]["source"] = desk.filled(source)
        if self.cell:
            desk.add(self.cell)
        if self.arrange:
            self.arrange(desk)
        else:
            desk.write()


def load(path: Path) -> Attack:
    """The attack in a file."""
    spec = importlib.util.spec_from_file_location(f"hostile_{path.stem}", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    idea, _, shows = (module.__doc__ or "").strip().partition("\n\n")
    if not shows or not hasattr(module, "succeeded"):
        raise ValueError(
            f"{path.name} needs a docstring of idea, empty line and how success shows, and succeeded(seen)"
        )
    return Attack(
        name=path.stem,
        idea=idea,
        shows=shows,
        succeeded=module.succeeded,
        due=getattr(module, "DUE", "all"),
        cell=getattr(module, "CELL", ""),
        answers=getattr(module, "ANSWERS", None),
        arrange=getattr(module, "hand_in", None),
    )


def corpus() -> dict[str, Attack]:
    """Every attack, by name."""
    return {path.stem: load(path) for path in sorted(HOSTILE.glob("*.py"))}
