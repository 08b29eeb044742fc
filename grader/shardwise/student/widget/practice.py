"""The practice widget: shows a question as a form and answers what the browser sends. All marking happens here, in Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from uuid import uuid4

import anywidget
import traitlets

from shardwise.errors import ShardwiseError
from shardwise.markdown.html import to_html, to_plain
from shardwise.marking import check as mark
from shardwise.question import Outcome, Question
from shardwise.student import api
from shardwise.student.limited import run_limited
from shardwise.student.shown import STOPPED
from shardwise.student.views import verdict, view

_NEW = "A new variant."
_VIEW = "application/vnd.jupyter.widget-view+json"
# The question as text, shown until the form is there; while it is shown, Jupyter's own words about a lost form are not.
_WAITS = """<div class="shardwise-waits" data-token="{token}">
<style>.jp-OutputArea-child:has(.shardwise-waits:not([hidden])) + .jp-OutputArea-child {{ display: none; }}</style>
<p><strong>To answer in a form, run this cell in Jupyter.</strong></p>
{question}</div>"""


class Practice(anywidget.AnyWidget):
    """A question as a form with buttons for check, hint, solution and another.

    What the browser sees is in the synced traits; a hint or the solution goes there when it is asked for, and
    the key never does.
    """

    _esm = Path(__file__).with_name("practice.js")
    _css = Path(__file__).with_name("practice.css")

    token = traitlets.Unicode().tag(sync=True)  # by which the form finds the text in whose place it stands
    question = traitlets.Dict().tag(sync=True)
    answer = traitlets.Any(None, allow_none=True).tag(sync=True)  # the last one checked, for a second view of the same
    feedback = traitlets.Dict().tag(sync=True)
    hints = traitlets.List(traitlets.Unicode()).tag(sync=True)
    solution = traitlets.Unicode().tag(sync=True)

    def __init__(self, question: Question) -> None:
        self.asked = question
        self._told = 0
        super().__init__(question=view(question), token=uuid4().hex)
        self.on_msg(self._on_message)

    def _on_message(self, _: Any, content: Any, buffers: Any) -> None:
        """Do what a button asks for. A message about numbers that have been replaced meanwhile is dropped."""
        if not isinstance(content, dict) or content.get("seed", self.asked.seed) != self.asked.seed:
            return
        api._SESSION.look_at(self.asked)
        match content.get("do"):
            case "check":
                self._check(content.get("answer"))
            case "hint":
                self._hint()
            case "solution":
                self.solution = to_html(f"**Solution**\n\n{self.asked.solution}")  # it may begin with a table
            case "another":
                self._another()

    def _check(self, answer: Any) -> None:
        with self.hold_sync():
            self.answer = answer
            try:
                feedback = mark(self.asked, answer, runner=run_limited)
                if feedback.outcome == Outcome.BLANK:  # there is no variable to be assigned in a form
                    feedback = feedback.model_copy(update={"say": self.question["form"]["how"]})
                self._tell(verdict(feedback, self.asked.kind))
            except KeyboardInterrupt:
                self._tell({"outcome": "blank", "html": to_html(STOPPED)})

    def _hint(self) -> None:
        given = self.asked.hints[: len(self.hints) + 1]
        api._SESSION.hinted(self.asked, len(given))
        self.hints = [to_html(f"**Hint {number}.** {hint}") for number, hint in enumerate(given, start=1)]

    def _another(self) -> None:
        try:
            self.asked = api._SESSION.fresh(self.asked, self.asked.seed)
        except ShardwiseError as error:
            self._tell({"outcome": "broken", "html": to_html(str(error))})
            return
        with self.hold_sync():  # the browser gets all of it at once
            self.question = view(self.asked)
            self.answer, self.hints, self.solution = None, [], ""
            self._tell({"outcome": "new", "html": to_html(_NEW)})

    def _tell(self, feedback: dict[str, Any]) -> None:
        self._told += 1  # the same words twice are two events for the browser, and are read out twice
        self.feedback = {**feedback, "number": self._told}

    def _ipython_display_(self, **_: Any) -> None:
        """Show the question as text, and then the form, whose script puts itself in the text's place.

        A notebook that is opened without its kernel keeps the text, in place of Jupyter's "model not found".
        """
        from IPython.display import display

        text = api.asked_in_words(self.asked)
        waits = _WAITS.format(token=self.token, question=to_html(text))
        display({"text/plain": to_plain(text), "text/html": waits}, raw=True)
        if (made := self._repr_mimebundle_()) is not None:
            data, metadata = made
            display({_VIEW: data[_VIEW]}, metadata=metadata, raw=True)
