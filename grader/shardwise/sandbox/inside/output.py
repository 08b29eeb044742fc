"""Dropping what a notebook prints: nobody reads it."""

from __future__ import annotations

import io
import sys
from typing import Any


class Nowhere(io.BufferedIOBase):
    """A byte stream that drops everything."""

    name = "<output of an answer cell>"

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        return len(data)


def discard() -> None:
    """Point stdout, stderr and stdin at nothing, whatever they were pointed at before."""
    sys.stdout = sys.stderr = io.TextIOWrapper(
        Nowhere(), encoding="utf-8", errors="backslashreplace", write_through=True
    )
    sys.stdin = io.StringIO()
