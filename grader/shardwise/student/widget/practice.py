"""A question as a form in a notebook, with its text for where there is no kernel."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

from shardwise.markdown.html import to_html, to_plain
from shardwise.question import Question
from shardwise.student import api
from shardwise.student.desk import Desk
from shardwise.student.widget.form import Form

_VIEW = "application/vnd.jupyter.widget-view+json"
# The question as text, shown until the form is there; while it is shown, Jupyter's own words about a lost form are not.
_WAITS = """<div class="shardwise-waits" data-token="{token}">
<style>.jp-OutputArea-child:has(.shardwise-waits:not([hidden])) + .jp-OutputArea-child {{ display: none; }}</style>
<p><strong>To answer in a form, run this cell in Jupyter.</strong></p>
{question}</div>"""


class Practice(Form):
    """A question as a form with buttons for check, hint, solution, another and next."""

    def __init__(self, desk: Desk, question: Question) -> None:
        self._text = api.asked_in_words(question)
        super().__init__(desk, "problem", {"question": desk.open(question)}, token=uuid4().hex)

    def _ipython_display_(self, **_: Any) -> None:
        """Show the question as text, and then the form, which puts itself in the text's place.

        A notebook that is opened without its kernel keeps the text, in place of Jupyter's "model not found".
        """
        from IPython.display import display

        waits = _WAITS.format(token=self.token, question=to_html(self._text))
        display({"text/plain": to_plain(self._text), "text/html": waits}, raw=True)
        if (made := self._repr_mimebundle_()) is not None:
            data, metadata = made
            display({_VIEW: data[_VIEW]}, metadata=metadata, raw=True)
