"""The search index of the app: problems, sections of lessons, formulas and interactive figures, each with where it leads."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from typing import Any

from shardwise.app.steps import walks
from shardwise.bank.bank import Banks
from shardwise.bank.pages.formulas import formulas_of
from shardwise.bank.pages.interactive_figures import moving, moving_names
from shardwise.markdown.plain import to_plain

Entry = dict[str, Any]


def index_of(banks: Banks) -> list[Entry]:
    """Return the entries of everything that one can search for in these banks. Raises Faulty for an unreadable bank."""
    return [*_steps(banks), *_formulas(banks), *_figures(banks)]


def _steps(banks: Banks) -> Iterator[Entry]:
    for walk in walks(banks):
        chapter = walk.bank.chapters[walk.name].title
        for step in walk.steps:
            to = f"#/{walk.name}/{step.id}"
            if step.problem is not None:
                words = " ".join(step.problem.data.get("tags", ()))
                yield {"type": "problem", "title": step.title, "about": chapter, "text": words, "to": to}
            elif step.section is not None:
                text = re.sub(
                    r"!\[[^\]]*\]\([^)]*\)|^```.*?^```", "", step.section.text, flags=re.MULTILINE | re.DOTALL
                )
                yield {"type": "section", "title": step.title, "about": chapter, "text": to_plain(text), "to": to}


def _formulas(banks: Banks) -> Iterator[Entry]:
    for bank in banks.all:
        for formula in formulas_of(bank):
            asked = next(iter(formula.problems), None)
            to = f"#/{asked}" if asked else f"#/{formula.chapter}" if formula.chapter else "#/"
            chapter = bank.chapters[formula.chapter].title if formula.chapter else ""
            words = " ".join((formula.name, formula.words, *formula.arguments, formula.source))
            html = f"<pre>{escape(formula.equation)}</pre>"
            yield {"type": "formula", "title": formula.about, "about": chapter, "text": words, "html": html, "to": to}


def _figures(banks: Banks) -> Iterator[Entry]:
    for bank in banks.all:
        for name in moving_names(bank):
            figure = moving([bank], name)
            about = bank.chapters[figure.module.CHAPTER].title
            yield {"type": "figure", "title": figure.title, "about": about, "text": name, "to": f"#/figures/{name}"}
