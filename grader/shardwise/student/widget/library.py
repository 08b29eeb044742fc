"""The widget that holds the desk's code, so that a notebook loads it once rather than with every form."""

from __future__ import annotations

import gzip
import hashlib
import threading
from functools import cache
from pathlib import Path

import traitlets
from ipywidgets.widgets.widget import Widget

from shardwise.errors import ShardwiseError

BUNDLE = Path(__file__).with_name("desk.js")


class Library(Widget):
    """The compressed code of all forms: an invisible widget that forms refer to by its id."""

    _model_name = traitlets.Unicode("WidgetModel").tag(sync=True)
    _model_module = traitlets.Unicode("@jupyter-widgets/base").tag(sync=True)
    code = traitlets.Bytes().tag(sync=True)
    digest = traitlets.Unicode().tag(sync=True)  # lets a page skip code that it has already loaded

    def __init__(self) -> None:
        code, digest = _code()
        super().__init__(code=code, digest=digest)  # type: ignore[no-untyped-call]


@cache
def _code() -> tuple[bytes, str]:
    if not BUNDLE.is_file():
        raise ShardwiseError("The forms have not been built. Run `make desk` in the checkout and restart the kernel.")
    source = BUNDLE.read_bytes()
    return gzip.compress(source), hashlib.sha256(source).hexdigest()[:12]


_made = threading.local()  # marimo runs each page's notebook in a thread, and a page knows only its own widgets


def library() -> Library:
    """Return this kernel's library, or a new one if all widgets were closed. Raises ShardwiseError."""
    made: Library | None = getattr(_made, "library", None)
    if made is None or made.comm is None:
        made = _made.library = Library()
    return made
