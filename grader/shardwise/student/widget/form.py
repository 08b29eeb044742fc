"""A widget that shows one element of the desk, and hands its requests on to Python and the replies back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4
from weakref import WeakValueDictionary

import anywidget
import traitlets
from comm import get_comm_manager

from shardwise.student.widget.library import library

_VIEW = "application/vnd.jupyter.widget-view+json"
# What stands in the form's place until the form is there; while it is shown, Jupyter's own words about a lost form are not.
# The rules hold whichever of the two comes first: in a notebook that is opened again a form may come before its text.
_WAITS = """<div class="shardwise-waits" data-token="{token}">
<style>
.jp-OutputArea-child:has(.shardwise-waits:not([hidden])) + .jp-OutputArea-child:not(:has(.shardwise)) {{ display: none; }}
.jp-OutputArea-child:has(.shardwise-waits):has(+ .jp-OutputArea-child .shardwise) {{ display: none; }}
</style>
{html}</div>"""


class Replies(Protocol):
    """What answers the requests of a form, both as plain data: the desk of questions, or one of another package."""

    def reply(self, request: Any) -> Mapping[str, Any]:
        """Reply to a request. Raises nothing."""


class FormWidget(anywidget.AnyWidget):
    """One element of a desk, such as a problem: `what` it is, and what is `given` to it as plain data.

    `plain` and `html` show it where there is no kernel.
    """

    _esm = Path(__file__).with_name("loader.js")

    library = traitlets.Unicode().tag(sync=True)
    what = traitlets.Unicode().tag(sync=True)
    given = traitlets.Dict().tag(sync=True)
    drafts = traitlets.Dict().tag(sync=True)  # where the notebook cannot keep what was typed
    token = traitlets.Unicode().tag(sync=True)  # names this form: to its own connection, and to the text before it

    def __init__(self, desk: Replies, what: str, given: Mapping[str, Any], *, plain: str, html: str) -> None:
        self._desk, self._plain, self._html = desk, plain, html
        token = uuid4().hex
        super().__init__(library=f"IPY_MODEL_{library().model_id}", what=what, given=dict(given), token=token)
        self.on_msg(lambda _, content, buffers: self._heard(content, self.send))
        _forms[token] = self
        get_comm_manager().register_target("shardwise", _connected)

    def _heard(self, content: Any, send: Callable[[Any], None]) -> None:
        if isinstance(content, dict) and "id" in content:
            send({"id": content["id"], "reply": self._desk.reply(content.get("request"))})

    def _ipython_display_(self, **_: Any) -> None:
        """Show the text, and then the form, which puts itself in the text's place.

        A notebook that is opened without its kernel keeps the text, in place of Jupyter's "model not found".
        """
        from IPython.display import display

        waits = _WAITS.format(token=self.token, html=self._html)
        display({"text/plain": self._plain, "text/html": waits}, raw=True)
        if (made := self._repr_mimebundle_()) is not None:
            data, metadata = made
            display({_VIEW: data[_VIEW]}, metadata=metadata, raw=True)


_forms: WeakValueDictionary[str, FormWidget] = WeakValueDictionary()


def _connected(comm: Any, opening: Mapping[str, Any]) -> None:
    """A page has opened a connection for one of its forms. What it asks is answered even while a cell runs."""
    form = _forms.get(opening["content"]["data"].get("form"))
    if form is None:  # it was made before the kernel was restarted
        comm.close()
    else:
        comm.on_msg(lambda message: form._heard(message["content"]["data"], comm.send))
