"""Discarding a notebook's output, which nobody reads."""

from __future__ import annotations

import io
import sys
from typing import Any


class Nowhere(io.BufferedIOBase):
    """A byte stream that discards everything."""

    name = "<output of an answer cell>"

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        return len(data)


def discard() -> None:
    """Redirect stdout, stderr and stdin to nothing, whatever they were before."""
    sys.stdout = sys.stderr = io.TextIOWrapper(
        Nowhere(), encoding="utf-8", errors="backslashreplace", write_through=True
    )
    sys.stdin = io.StringIO()
