"""The formula sheet: the formulas of a bank as a Markdown page, or as an HTML page with a search box."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from itertools import groupby
from pathlib import Path

import jinja2

from shardwise import atomic_files
from shardwise.bank.bank import Bank
from shardwise.bank.pages.formulas import Formula
from shardwise.errors import ShardwiseError

ABOUT = (
    "Every formula that the problems and their solutions are computed with, made from the references in `solutions/`."
)
NO_CHAPTER = "Shared by chapters"


def write_formula_sheet(bank: Bank, formulas: Sequence[Formula], path: Path, *, check: bool) -> bool:
    """Write the page, unless `check` is set; return whether it was out of date.

    The file's suffix decides between Markdown and HTML. Raises ShardwiseError for any other.
    """
    if path.is_dir() or path.suffix not in (".md", ".html"):
        raise ShardwiseError(f"The page must be a file that ends in .md or .html, not {path}.")
    beside = path.resolve().parent
    text = in_markdown(bank, formulas, beside) if path.suffix == ".md" else in_html(bank, formulas, beside)
    if path.is_file() and path.read_text("utf-8", errors="replace") == text:
        return False
    if not check:
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_files.write_file(path, text.encode())
    return True


def chapters_of(bank: Bank, formulas: Iterable[Formula]) -> list[tuple[str, list[Formula]]]:
    """Group the formulas by the title of their chapter, with those of no chapter at the end."""
    grouped = [(chapter, list(its)) for chapter, its in groupby(formulas, key=lambda formula: formula.chapter)]
    return [(bank.chapters[chapter].title if chapter else NO_CHAPTER, its) for chapter, its in grouped]


def in_markdown(bank: Bank, formulas: Sequence[Formula], beside: Path) -> str:
    """Return the Markdown page, with links to references and problems that are relative to the folder `beside`."""
    chapters = chapters_of(bank, formulas)
    parts = [
        "# Formula sheet",
        f"{ABOUT} Search them with `shardwise formulas WORDS`; `shardwise formulas --write formulas.html` writes a page with a search box.",
        "\n".join(f"- [{title}](#{_anchor(title)}) ({len(its)})" for title, its in chapters),
    ]
    for title, its in chapters:
        parts.append(f"## {title}")
        parts += [_entry(bank, formula, beside) for formula in its]
    return "\n\n".join(parts) + "\n"


def _anchor(title: str) -> str:
    """Return the anchor of a heading on a Markdown page."""
    return re.sub(r"[^\w\- ]", "", title.casefold()).replace(" ", "-")


def _entry(bank: Bank, formula: Formula, beside: Path) -> str:
    asked = ", ".join(f"[{slug}]({where})" for slug, where in links(bank, formula, beside))
    reference = f"[{formula.name}]({_to(bank.folder / formula.line.partition(':')[0], beside)})"
    facts = [
        f"*Arguments:* {', '.join(f'`{name}`' for name in formula.arguments)}." if formula.arguments else "",
        f"*Units:* {_plain(formula.units)}" if formula.units else "",
        f"*Source:* {_plain(formula.source)}" if formula.source else "",
        f"*Reference:* {reference}{f'; asked in {asked}' if asked else ''}.",
    ]
    parts = [
        f"**{_plain(formula.about)}**",
        f"```text\n{formula.equation}\n```",
        _plain(formula.words),
        "\\\n".join(filter(None, facts)),
    ]
    return "\n\n".join(filter(None, parts))


def _plain(text: str) -> str:
    """Escape a docstring's sentence for Markdown."""
    return re.sub(r"(?<!`)([*_<|])(?!`)", r"\\\1", text)


def links(bank: Bank, formula: Formula, beside: Path) -> list[tuple[str, str]]:
    """Return the slug of each problem that asks for a formula, and its path relative to a folder."""
    return [(name.rpartition("/")[2], _to(bank.lessons / f"{name}.yaml", beside)) for name in formula.problems]


def _to(path: Path, beside: Path) -> str:
    return Path(os.path.relpath(path, beside)).as_posix()


@cache
def _template() -> jinja2.Template:
    text = files(__package__).joinpath("formula_sheet.html").read_text("utf-8")
    return jinja2.Environment(
        autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    ).from_string(text)


def in_html(bank: Bank, formulas: Sequence[Formula], beside: Path) -> str:
    """Return the HTML page, whose search box hides formulas that lack a typed word. It needs no network."""
    return _template().render(
        about=ABOUT.replace("`", ""),
        chapters=[
            (title, [(formula, links(bank, formula, beside)) for formula in its])
            for title, its in chapters_of(bank, formulas)
        ],
        count=len(formulas),
    )
