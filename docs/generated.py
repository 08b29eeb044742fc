"""Writes what the docs say of kinds and chapters: how a problem of each kind is written, and how many problems there are.

python -m docs.generated            # writes it
python -m docs.generated --check    # fails where the docs say something else
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from shardwise.bank.bank import Bank
from shardwise.kinds import OURS, kinds

ROOT = Path(__file__).resolve().parents[1]
_KINDS = re.compile(r"(?<=-->\n).*?(?=<!-- end of kinds -->)", re.DOTALL)
_CHAPTERS = re.compile(r"(?<=\| chapter \| problems \| about \|\n\|---\|---\|---\|\n)(?:\|.*\n)+")
_COUNT = re.compile(r"\(\d+ chapters, \d+ problems\)")


def pages() -> Iterator[tuple[Path, str]]:
    """Yield each page that has a generated part, with its text as it should be."""
    chapters = Bank.open(ROOT).chapters
    rows = "".join(
        f"| {chapter.title} | {len(chapter.problems)} | {chapter.summary} |\n" for chapter in chapters.values()
    )
    problems = sum(len(chapter.problems) for chapter in chapters.values())
    parts = (
        (ROOT / "docs" / "templates.md", _KINDS, _manuals()),
        (ROOT / "README.md", _CHAPTERS, rows),
        (ROOT / "docs" / "banks.md", _COUNT, f"({len(chapters)} chapters, {problems} problems)"),
    )
    for path, part, text in parts:
        now, times = part.subn(lambda _, text=text: text, path.read_text("utf-8"))
        if times != 1:
            raise SystemExit(f"{path} has {times} places for what is generated, and not one.")
        yield path, now


def _manuals() -> str:
    """Return how a problem of each kind is written: the engine's kinds, and those of the bank that ships with it."""
    shipped = [name for name in kinds() if name in OURS or type(kinds()[name]).__module__.startswith("shardwise_bank.")]
    return "\n".join(f"**{name}**: {kinds()[name].manual()}" for name in shipped)


def main() -> None:
    """Write the pages, or name those that are out of date."""
    changed = [(path, text) for path, text in pages() if path.read_text("utf-8") != text]
    if "--check" in sys.argv[1:] and changed:
        raise SystemExit(f"{', '.join(str(path) for path, _ in changed)}: out of date. Run `make generated`.")
    for path, text in changed:
        path.write_text(text, "utf-8")
        print(f"{path} written")


if __name__ == "__main__":
    main()
