"""Faults in a bank's files as a whole: stray files, and names that two problems share."""

from __future__ import annotations

import re

from shardwise.bank.bank import Bank
from shardwise.bank.digests import files_below
from shardwise.bank.files import PROSE, UNITS
from shardwise.bank.lesson import lesson_of
from shardwise.bank.pages.curriculum import FILE as CURRICULUM
from shardwise.errors import Fault, Faulty


def stray_files(bank: Bank) -> list[Fault]:
    """Return a fault for each stray file and folder."""
    faults = [
        Fault(
            f"problems/{path.name}",
            "does not belong to any problem or lesson",
            "Delete it, or move it out of the bank.",
        )
        for path in sorted(bank.lessons.iterdir())
        if path.is_file() and path.name not in ("README.md", CURRICULUM, PROSE, UNITS) and not path.name.startswith(".")
    ]
    for chapter in sorted(path for path in bank.lessons.iterdir() if path.is_dir() and not path.name.startswith(".")):
        if chapter.name not in bank.chapters:
            faults.append(Fault(f"problems/{chapter.name}", "is not a chapter: it has no chapter.yaml"))
            continue
        known = {"chapter.yaml", "lesson.md", *(f"{slug}.yaml" for slug in bank.chapters[chapter.name].problems)}
        lesson = ""
        try:
            lesson = lesson_of(chapter) if (chapter / "lesson.md").exists() else ""
            faults += [] if lesson else [Fault(f"problems/{chapter.name}", "has no lesson.md")]
        except Faulty as error:
            faults += error.faults
        known |= set(re.findall(r"\]\((figures/[\w.-]+)\)", lesson))
        present = set(files_below(chapter))
        faults += [
            Fault(
                f"problems/{chapter.name}/{name}",
                "does not belong to any problem or lesson",
                "Delete it, or move it out of the bank.",
            )
            for name in sorted(present - known)
        ]
        faults += [
            Fault(f"problems/{chapter.name}/lesson.md", f"shows {name}, but that file does not exist")
            for name in sorted(known - present - {"lesson.md"})
        ]
    return faults


def twins(bank: Bank) -> list[Fault]:
    """Return a fault for each slug, title and notebook variable that two problems share."""
    faults = []
    for what in ("slug", "title"):
        seen: dict[str, str] = {}
        for problem in bank.problems.values():
            name = problem.slug if what == "slug" else problem.template.title
            if name in seen:
                faults.append(problem.source.fault((), f"has the same {what} as {seen[name]}: {name!r}"))
            seen[name] = problem.id
    return faults
