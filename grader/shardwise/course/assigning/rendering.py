"""Rendering: the practice notebooks of every chapter, written only where they differ."""

from __future__ import annotations

import os
import re
from pathlib import Path

from shardwise.atomic_files import write_file
from shardwise.bank.bank import Bank, Banks
from shardwise.bank.discovery import SHIPPED, name_of
from shardwise.course.collecting.bounds import BOUNDS
from shardwise.errors import ShardwiseError
from shardwise.text_files import read_bounded


def render(banks: Banks, out: Path, *, check: bool, force: bool = False, typed: bool = False) -> list[Path]:
    """Write every chapter's notebook into `out`; with `check` write nothing. Gives the files that differed.

    The questions are forms, or with `typed` answer cells and check cells, which can be collected and graded.

    Raises ShardwiseError, before anything is written, when somebody has worked in a notebook that would be overwritten; and
    when what was written is gone again.
    """
    from shardwise.course.assigning.notebooks import chapter_notebook, file_text  # loads what draws questions

    for chapter in banks.chapters:
        several = [str(bank.folder) for bank in banks.all if chapter in bank.chapters]
        if len(several) > 1:
            raise ShardwiseError(
                f"{' and '.join(several)} both have a chapter {chapter}, and a notebook is called after its chapter. "
                "Render each bank into a folder of its own, with --bank and --out."
            )
    wanted = {out / f"{chapter}.ipynb": chapter for chapter in banks.chapters}
    texts: dict[Path, str] = {}
    for path, chapter in wanted.items():
        bank = banks.of(chapter)
        text = file_text(chapter_notebook(bank, chapter, named=_named(bank, out), typed=typed))
        if not path.exists() or _text_of(path) != text:
            texts[path] = text
    if check:
        return [*texts, *(path for path in sorted(out.glob("*.ipynb")) if path not in wanted)]
    used = [] if force else [path for path in texts if path.exists() and _worked_in(_text_of(path))]
    if used:
        names = ", ".join(map(str, used))
        raise ShardwiseError(
            f"{names}: somebody has run cells there. Move it away, give another --out, or use --force."
        )
    for path, text in texts.items():
        write_file(path, text.encode())
    if gone := [str(path) for path in texts if not path.exists()]:
        raise ShardwiseError(f"{', '.join(gone)}: deleted while others were written. Run the same command again.")
    return list(texts)


def _named(bank: Bank, out: Path) -> str | None:
    """How a notebook in `out` names its bank: not at all when it is the shipped one."""
    if name_of(bank.folder) == SHIPPED:
        return None
    return Path(os.path.relpath(bank.folder, out.resolve())).as_posix()


def _text_of(path: Path) -> str:
    return read_bounded(path, BOUNDS.bytes).decode(errors="replace")


def _worked_in(text: str) -> bool:
    """Whether a notebook has been run: what we write has no counts."""
    return bool(re.search(r'"execution_count": \d', text))
