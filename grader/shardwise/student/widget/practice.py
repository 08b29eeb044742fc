"""The practice widget: shows a question as a form and answers what the browser sends. All marking happens here, in Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anywidget
import traitlets

from shardwise.errors import ShardwiseError
from shardwise.markdown.html import to_html, to_plain
from shardwise.marking import check as mark
from shardwise.question import Question
from shardwise.student import api
from shardwise.student.limited import run_limited
from shardwise.student.views import verdict, view

_NEW = "A new variant."


class Practice(anywidget.AnyWidget):
    """A question as a form with buttons for check, hint, solution and another.

    What the browser sees is in the synced traits; a hint or the solution goes there when it is asked for, and
    the key never does.
    """

    _esm = Path(__file__).with_name("practice.js")
    _css = Path(__file__).with_name("practice.css")

    question = traitlets.Dict().tag(sync=True)
    answer = traitlets.Any(None, allow_none=True).tag(sync=True)  # the last one checked, for a second view of the same
    feedback = traitlets.Dict().tag(sync=True)
    hints = traitlets.List(traitlets.Unicode()).tag(sync=True)
    solution = traitlets.Unicode().tag(sync=True)

    def __init__(self, question: Question) -> None:
        self.asked = question
        self._told = 0
        super().__init__(question=view(question))
        self.on_msg(self._on_message)

    def _on_message(self, _: Any, content: Any, buffers: Any) -> None:
        """Do what a button asks for. A message about numbers that have been replaced meanwhile is dropped."""
        if not isinstance(content, dict) or content.get("seed", self.asked.seed) != self.asked.seed:
            return
        api._SESSION.last = self.asked.id
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
            self._tell(verdict(mark(self.asked, answer, runner=run_limited), self.asked.kind))

    def _hint(self) -> None:
        given = self.asked.hints[: len(self.hints) + 1]
        api._SESSION.hinted(self.asked, len(given))
        self.hints = [to_html(f"**Hint {number}.** {hint}") for number, hint in enumerate(given, start=1)]

    def _another(self) -> None:
        api.another(self.asked.id)
        try:
            self.asked = api._SESSION.question(self.asked.id)
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

    def _repr_mimebundle_(self, **kwargs: Any) -> Any:
        """The widget, and the question as text wherever a notebook is shown without widgets."""
        made = super()._repr_mimebundle_(**kwargs)
        if made is None:
            return None
        data, metadata = made
        text = api.asked_in_words(self.asked)
        return {**data, "text/plain": to_plain(text), "text/markdown": text}, metadata
