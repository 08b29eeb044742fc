"""A question as a form in a notebook, with plain text for where there is no kernel."""

from __future__ import annotations

from shardwise.markdown.html import to_html
from shardwise.markdown.plain import to_plain
from shardwise.question import Question
from shardwise.student.desk import Desk
from shardwise.student.in_words import asked_in_words
from shardwise.student.widget.form import FormWidget

_RUN = "**To answer in a form, run this cell in Jupyter.**"


class Practice(FormWidget):
    """A question as a form with buttons: Check, Hint, Solution, New numbers and Next."""

    def __init__(self, desk: Desk, question: Question) -> None:
        text = asked_in_words(question)
        super().__init__(desk, "problem", desk.open(question), plain=to_plain(text), html=to_html(f"{_RUN}\n\n{text}"))
        self.drafts = desk.drafts_of(question)
        self.observe(lambda change: desk.typed(question, change["old"], change["new"]), "drafts")
