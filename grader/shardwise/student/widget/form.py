"""A widget that shows one element of the desk, and hands its requests on to Python and the replies back."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anywidget
import traitlets

from shardwise.student.desk import Desk
from shardwise.student.widget.library import library


class Form(anywidget.AnyWidget):
    """One element of the desk, such as a problem: `what` it is, and what is `given` to it as plain data."""

    _esm = Path(__file__).with_name("loader.js")

    library = traitlets.Unicode().tag(sync=True)
    what = traitlets.Unicode().tag(sync=True)
    given = traitlets.Dict().tag(sync=True)
    drafts = traitlets.Dict().tag(sync=True)  # where the notebook cannot keep what was typed
    token = traitlets.Unicode().tag(sync=True)  # by which a form finds the text in whose place it stands

    def __init__(self, desk: Desk, what: str, given: Mapping[str, Any], *, token: str = "") -> None:
        self._desk = desk
        super().__init__(library=f"IPY_MODEL_{library().model_id}", what=what, given=dict(given), token=token)
        self.on_msg(self._on_message)

    def _on_message(self, _: Any, content: Any, buffers: Any) -> None:
        if isinstance(content, dict) and "id" in content:
            self.send({"id": content["id"], "reply": self._desk.reply(content.get("request"))})
