"""The coverage of a bank's curriculum, for the terminal and as a Markdown page."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from shardwise import atomic_files
from shardwise.bank.pages.curriculum import Curriculum
from shardwise.errors import ShardwiseError

if TYPE_CHECKING:
    from shardwise.bank.files import CurriculumRow

NOT_YET = "not yet"


def coverage_table(curriculum: Curriculum) -> list[tuple[str, str, str, str]]:
    """Return a table row for every row of the curriculum: id, chapter, what it asks, and what covers it."""
    return [(row.id, row.chapter, row.asks, _covered_by(curriculum, row, None)) for row in curriculum.rows]


def summary(curriculum: Curriculum) -> str:
    """Return the number of rows, of rows without coverage, and of rows whose chapters are not written yet."""
    missing = [row.id for row in curriculum.rows if curriculum.is_missing(row)]
    later = sum(not curriculum.is_covered(row) for row in curriculum.rows) - len(missing)
    words = f"{len(curriculum.rows)} rows, {len(missing)} not covered"
    words += f": {', '.join(missing)}" if missing else ""
    return f"{words}; {later} in chapters that are not written yet" if later else words


def write_coverage(curriculum: Curriculum, path: Path, *, check: bool) -> bool:
    """Write the page, unless `check` is set; return whether it was out of date. Raises ShardwiseError for a folder."""
    if path.is_dir():
        raise ShardwiseError(f"{path} is a folder. Name a file for the page.")
    text = coverage_page(curriculum, path.resolve().parent)
    if path.is_file() and path.read_text("utf-8", errors="replace") == text:
        return False
    if not check:
        atomic_files.write_file(path, text.encode())
    return True


def coverage_page(curriculum: Curriculum, beside: Path) -> str:
    """Return the page, with links to the problems that are relative to the folder `beside`."""
    rows = curriculum.rows
    parts = [
        "# What the problems cover",
        f"{curriculum.about}\n\nWritten by `shardwise coverage` from `problems/curriculum.yaml` and the `covers` of every problem.",
        _grid(("chapter", "rows", "in problems", "in a lesson or a note", "not covered"), _counts(curriculum)),
    ]
    missing = [row for row in rows if curriculum.is_missing(row)]
    parts += [
        "## Not covered yet",
        _rows(curriculum, missing, beside) if missing else "Every row of the written chapters is covered.",
    ]
    for chapter in curriculum.chapters:
        written = curriculum.bank.chapters.get(chapter)
        parts += [_cell(f"## {written.title if written else f'{chapter} ({NOT_YET})'}")]
        parts += [_rows(curriculum, [row for row in rows if row.chapter == chapter], beside)]
    if without := [row for row in rows if not row.chapter]:
        parts += ["## Without a chapter", _rows(curriculum, without, beside)]
    return "\n\n".join(parts) + "\n"


def _counts(curriculum: Curriculum) -> list[tuple[str, ...]]:
    counts: list[tuple[str, ...]] = []
    for chapter in curriculum.chapters:
        rows = [row for row in curriculum.rows if row.chapter == chapter]
        asked = sum(bool(curriculum.problems[row.id]) for row in rows)
        said = sum(curriculum.is_covered(row) for row in rows) - asked
        open_ = len(rows) - asked - said
        still = str(open_) if chapter in curriculum.bank.chapters else f"{open_} ({NOT_YET})"
        counts.append((chapter, str(len(rows)), str(asked), str(said), still))
    return counts


def _rows(curriculum: Curriculum, rows: Sequence[CurriculumRow], beside: Path) -> str:
    return _grid(
        ("row", "asks", "covered by"), [(row.id, row.asks, _covered_by(curriculum, row, beside)) for row in rows]
    )


def _covered_by(curriculum: Curriculum, row: CurriculumRow, beside: Path | None) -> str:
    """Return what covers a row: its problems, as links if a folder is given, its lesson and its note; or that nothing does."""
    bank, found = curriculum.bank, []
    for name in curriculum.problems[row.id]:
        slug = name.rpartition("/")[2]
        where = beside and Path(os.path.relpath(bank.lessons / f"{name}.yaml", beside)).as_posix()
        found.append(f"[{slug}]({where})" if where else slug)
    found += [f"lesson: {row.lesson}"] if row.lesson else []
    found += [row.note] if row.note else []
    return ", ".join(found) or ("**nothing**" if row.chapter in bank.chapters else NOT_YET)


def _grid(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(map(_cell, line))} |" for line in lines)


def _cell(text: str) -> str:
    r"""Return a text on one line, escaped so that it cannot end a table cell or start HTML; in code only pipes are escaped.

    >>> print(_cell("a <b> | of `x < y`"))
    a \<b> \| of `x < y`
    """
    text = re.sub(r"(`+)(?:(?!\1).)*\1|(?<!\\)<(?=[A-Za-z/!?])", _shielded, " ".join(text.split()))
    return re.sub(r"(\\*)\|", r"\1\1\|", text)


def _shielded(found: re.Match[str]) -> str:
    return found[0] if found[1] else f"\\{found[0]}"
