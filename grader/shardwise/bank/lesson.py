"""A chapter's lesson, read from its file."""

from __future__ import annotations

from pathlib import Path

from shardwise.text_files import read_text


def lesson_of(chapter: Path) -> str:
    """The lesson.md of a chapter's folder. Raises Faulty when it is not there or cannot be read."""
    return read_text(chapter / "lesson.md", f"problems/{chapter.name}/lesson.md").strip()
