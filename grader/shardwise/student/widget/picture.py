"""An interactive figure in a notebook, with a still image for where there is no kernel."""

from __future__ import annotations

from base64 import b64encode
from html import escape

from shardwise.bank.pages.interactive_figures import Moving
from shardwise.student.desk import Desk
from shardwise.student.widget.form import FormWidget

_STILL = """<p><strong>To use this interactive figure, run this cell in Jupyter.</strong></p>
<h3>{title}</h3>
<p><img alt="{words}" style="max-width: 100%" src="data:image/png;base64,{image}"></p>"""


class Picture(FormWidget):
    """A figure with sliders, and a question to guess before it is shown."""

    def __init__(self, desk: Desk, picture: Moving) -> None:
        image, words = picture.still
        still = _STILL.format(title=escape(picture.title), words=escape(words), image=b64encode(image).decode())
        super().__init__(desk, "figure", picture.view, plain=f"{picture.title}\n\n{words}", html=still)
