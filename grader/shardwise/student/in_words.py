"""Questions as text, with the cells that answer and check them, for notebook outputs and wherever there is no form."""

from __future__ import annotations

from shardwise.kinds import kind_of, text_of, variable_of
from shardwise.question import Question
from shardwise.student.progress.events import SEED


def asked_in_words(asked: Question, number: str = "") -> str:
    """Return a question, under its number, with the cell that answers and checks it, in Markdown."""
    kind, variable = kind_of(asked), variable_of(asked)
    how = kind.instruction(asked.form, variable)
    cell = f"{kind.cells(asked.form, variable)}\n\n{check_of(asked.slug, asked.seed)}"
    title = f"{number} {asked.title}".strip()
    return f"### {title}\n\n{text_of(asked)}\n\n{how} In a new cell:\n\n```python\n{cell}\n```"


def check_of(slug: str, seed: str) -> str:
    """Return the line of code that checks one variant of a problem, for a student to copy into a cell.

    >>> check_of("monthly-payment", "7"), check_of("monthly-payment", "my own")
    ('check("monthly-payment", seed=7)', 'check("monthly-payment", seed=\\'my own\\')')
    """
    which = "" if seed == SEED else f", seed={seed}" if seed.isdecimal() else f", seed={seed!r}"
    return f'check("{slug}"{which})'
