"""A widget that shows one element of the desk and passes its requests to Python and the replies back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol
from uuid import uuid4
from weakref import WeakValueDictionary

import anywidget
import traitlets
from comm import get_comm_manager

from shardwise.errors import ShardwiseError
from shardwise.student.widget.library import library

_CHANGES_PROGRESS = ("check", "solution")  # requests
_VIEW = "application/vnd.jupyter.widget-view+json"
# A placeholder that is shown until the form is ready; while it is visible, Jupyter's message about a lost form is hidden.
# The rules work in either order, since in a reopened notebook a form may load before its placeholder. Formulas are MathML; without
# the other two classes, the MathJax of version 3 (Jupyter) or 2 (viewers of notebooks) would turn what is between two dollar signs,
# such as a range of prices, into a formula.
_WAITS = """<div class="shardwise-waits mathjax_ignore tex2jax_ignore" data-token="{token}">
<style>
.jp-OutputArea-child:has(.shardwise-waits:not([hidden])) + .jp-OutputArea-child:not(:has(.shardwise)) {{ display: none; }}
.jp-OutputArea-child:has(.shardwise-waits):has(+ .jp-OutputArea-child .shardwise) {{ display: none; }}
</style>
{html}</div>"""


class Replies(Protocol):
    """A handler for the requests of a form, in plain data: the desk of questions, or one from another package."""

    def reply(self, request: Any) -> Mapping[str, Any]:
        """Reply to a request. Never raises."""


class FormWidget(anywidget.AnyWidget):
    """One element of a desk, such as a problem: `what` names the element, and `given` is its plain data.

    `plain` and `html` show it where there is no kernel.
    """

    _esm = Path(__file__).with_name("loader.js")

    library = traitlets.Unicode().tag(sync=True)
    what = traitlets.Unicode().tag(sync=True)
    given = traitlets.Dict().tag(sync=True)
    drafts = traitlets.Dict().tag(sync=True)  # where the notebook cannot store what was typed
    token = traitlets.Unicode().tag(sync=True)  # identifies this form to its connection and its placeholder

    def __init__(self, desk: Replies, what: str, given: Mapping[str, Any], *, plain: str, html: str) -> None:
        self._desk, self._plain, self._html = desk, plain, html
        token = uuid4().hex
        super().__init__(library=f"IPY_MODEL_{library().model_id}", what=what, given=dict(given), token=token)
        self.on_msg(lambda _, content, buffers: self._heard(content, self.send))
        _forms[token] = self
        get_comm_manager().register_target("shardwise", _connected)

    def _heard(self, content: Any, send: Callable[[Any], None]) -> None:
        if isinstance(content, dict) and "id" in content:
            request = content.get("request")
            send({"id": content["id"], "reply": self._desk.reply(request)})
            if isinstance(request, dict) and request.get("do") in _CHANGES_PROGRESS:
                refresh(str(request.get("problem")))  # after the reply, since a verdict must not wait

    def refresh(self, problem: str) -> None:
        """Show that the progress with a problem has changed; most forms do not show progress."""

    def _redraw(self, plain: str, html: str) -> None:
        """Replace the text that stands for the form; Jupyter takes the table of contents from it."""
        from IPython.display import display

        self._plain, self._html = plain, html
        display(self._bundle(), raw=True, display_id=self.token, update=True)

    def _bundle(self) -> dict[str, str]:
        return {"text/plain": self._plain, "text/html": _WAITS.format(token=self.token, html=self._html)}

    def _ipython_display_(self, **_: Any) -> None:
        """Show the text and then the form, which replaces the text once it has loaded.

        A notebook opened without its kernel shows the text instead of Jupyter's "model not found".
        """
        from IPython.display import display

        display(self._bundle(), raw=True, display_id=self.token)
        if (made := self._repr_mimebundle_()) is not None:
            data, metadata = made
            display({_VIEW: data[_VIEW]}, metadata=metadata, raw=True)


_forms: WeakValueDictionary[str, FormWidget] = WeakValueDictionary()


def refresh(problem: str) -> None:
    """Let all forms of this kernel show the progress with a problem."""
    for form in list(_forms.values()):
        with suppress(ShardwiseError):  # the progress file cannot be read
            form.refresh(problem)


def _connected(comm: Any, opening: Mapping[str, Any]) -> None:
    """Connect a page to one of its forms, so that requests are answered even while a cell runs."""
    form = _forms.get(opening["content"]["data"].get("form"))
    if form is None:  # the form was created before a kernel restart
        comm.close()
    else:
        comm.on_msg(lambda message: form._heard(message["content"]["data"], comm.send))
