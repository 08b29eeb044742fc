"""Rendering: writes the practice notebooks of all chapters that are out of date."""

from __future__ import annotations

import os
import re
from pathlib import Path

from shardwise.atomic_files import write_file
from shardwise.bank.bank import Bank, Banks
from shardwise.bank.discovery import SHIPPED, is_installed, name_of
from shardwise.course.collecting.bounds import BOUNDS
from shardwise.errors import ShardwiseError
from shardwise.text_files import read_bounded


def render(banks: Banks, out: Path, *, check: bool, force: bool = False, typed: bool = False) -> list[Path]:
    """Write every chapter's notebook into `out`, unless `check` is set. Returns the files that were out of date.

    The questions are forms or, with `typed`, answer cells and check cells that can be graded. Raises ShardwiseError, before
    anything is written, if a notebook that contains work would be overwritten; and afterwards, if a written file is gone.
    """
    from shardwise.course.assigning.notebooks import (
        chapter_notebook,
        file_text,
    )  # imported here, because it loads the code that draws questions

    for chapter in banks.chapters:
        several = [str(bank.folder) for bank in banks.all if chapter in bank.chapters]
        if len(several) > 1:
            raise ShardwiseError(
                f"{' and '.join(several)} both have a chapter {chapter}, so their notebooks would have the same name. "
                "Render each bank into a different folder with --bank and --out."
            )
    wanted = {out / f"{chapter}.ipynb": chapter for chapter in banks.chapters}
    texts: dict[Path, str] = {}
    for path, chapter in wanted.items():
        bank = banks.of(chapter)
        text = file_text(chapter_notebook(bank, chapter, named=named_in(bank, out), typed=typed))
        if not path.exists() or _text_of(path) != text:
            texts[path] = text
    if check:
        return [*texts, *(path for path in sorted(out.glob("*.ipynb")) if path not in wanted)]
    used = [] if force else [path for path in texts if path.exists() and _worked_in(_text_of(path))]
    if used:
        names = ", ".join(map(str, used))
        raise ShardwiseError(
            f"Cannot overwrite {names}: it contains work. Move it away, use another --out, or use --force."
        )
    for path, text in texts.items():
        write_file(path, text.encode())
    if gone := [str(path) for path in texts if not path.exists()]:
        raise ShardwiseError(
            f"{', '.join(gone)} was deleted while other notebooks were being written. Run the same command again."
        )
    return list(texts)


def named_in(bank: Bank, out: Path) -> str | None:
    """Return how a notebook in `out` names its bank; None for the shipped bank."""
    if is_installed(bank.folder):
        name = name_of(bank.folder)
        return None if name == SHIPPED else name
    return Path(os.path.relpath(bank.folder, out.resolve())).as_posix()


def _text_of(path: Path) -> str:
    return read_bounded(path, BOUNDS.bytes).decode(errors="replace")


def _worked_in(text: str) -> bool:
    """Return whether a notebook has been run: notebooks that we write have no execution counts."""
    return bool(re.search(r'"execution_count": \d', text))
