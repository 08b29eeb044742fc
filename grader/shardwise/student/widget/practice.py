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
        given = desk.open(question)
        self._question, self._opened = question, desk
        plain, html = self._texts(given["state"]["solved"])
        super().__init__(desk, "problem", given, plain=plain, html=html)
        self.drafts = desk.drafts_of(question)
        self.observe(lambda change: desk.typed(question, change["old"], change["new"]), "drafts")

    def refresh(self, problem: str) -> None:
        """Show a ✓ once this problem is solved."""
        if problem != self._question.id:
            return
        state = self._opened.state(self._question)
        if state != self.given["state"]:
            self.given = {**self.given, "state": state}
            self._redraw(*self._texts(state["solved"]))

    def _texts(self, is_solved: bool) -> tuple[str, str]:
        """Return the question as plain text and as HTML, under its number, with a ✓ if it is solved."""
        number = f"{self._opened.label(self._question)} {'✓' * is_solved}".strip()
        text = asked_in_words(self._question, number)
        return to_plain(text), to_html(f"{_RUN}\n\n{text}")
