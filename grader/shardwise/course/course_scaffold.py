"""Scaffold of a course: its files, a bank of its own, and the course key."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

from shardwise import __version__
from shardwise.atomic_files import write_together
from shardwise.bank.scaffold import init_bank, with_missing_lines
from shardwise.course.assigning.keys import course_key
from shardwise.course.course_file import COURSE_FILE, load_course
from shardwise.errors import ShardwiseError
from shardwise.file_names import is_device
from shardwise.text_files import read_text

OWN_BANK = "bank"  # the folder of the course's own bank
_UNTIL_DUE = timedelta(days=14)


def scaffold_course(folder: Path) -> tuple[list[Path], list[Path]]:
    """Create a course in a folder, with a key. Returns the files that it wrote, and those that existed and were kept.

    Every file of `beginnings` is copied, with the course's title, a due date and our version in place of {title}, {due} and
    {version}. Raises ShardwiseError, before anything is written, if the folder has a course or a bank already.
    """
    course, bank = folder / COURSE_FILE, folder / OWN_BANK
    if is_device(folder.name):
        raise ShardwiseError(f"Cannot create {folder.name}: on Windows that is a device. Nothing was written.")
    if course.exists():
        raise ShardwiseError(f"{course} already exists. Nothing was written; name a new folder.")
    title = " ".join(re.findall(r"\w+", folder.resolve().name)).capitalize() or "Course"
    due = (datetime.now() + _UNTIL_DUE).replace(hour=23, minute=59, second=0, microsecond=0).astimezone()
    texts = dict[Path, str]()
    for path, text in _beginnings():
        for name, value in (("title", title), ("due", due.isoformat()), ("version", __version__)):
            text = text.replace(f"{{{name}}}", value)
        texts[folder / path] = text
    ignore = folder / ".gitignore"
    texts[ignore] = with_missing_lines(ignore, texts[ignore])
    kept = [path for path in texts if path.exists() and path != ignore]
    written = init_bank(bank)
    write_together({path: text.encode() for path, text in texts.items() if path not in kept})
    key = load_course(course).key
    course_key(key)
    return [*(path for path in texts if path not in kept), key, *written], kept


def _beginnings() -> Iterator[tuple[Path, str]]:
    """Yield the path and text of each file of a new course. In our copy, `dot-` replaces a dot at the beginning of a name."""
    source = Path(__file__).with_name("beginnings")
    for file in sorted(path for path in source.rglob("*") if path.is_file()):
        place = Path(*(re.sub("^dot-", ".", part) for part in file.relative_to(source).parts))
        yield place, read_text(file, str(file))
