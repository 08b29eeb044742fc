"""Capturing what a cell prints, up to a limit."""

from __future__ import annotations

import io
import sys
from typing import Any


class CapturedOutput(io.BufferedIOBase):
    """A byte stream that keeps its first bytes and drops the rest."""

    name = "<output of an answer cell>"

    def __init__(self, limit_bytes: int) -> None:
        self._limit, self._chunks, self._size = limit_bytes, list[bytes](), 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any, /) -> int:
        room = self._limit - self._size
        if room > 0:
            self._chunks.append(bytes(memoryview(data)[:room]))
            self._size += len(self._chunks[-1])
        return len(data)

    def text(self) -> str:
        """All that was kept; a character cut in half at the end is left out."""
        return b"".join(self._chunks).decode(errors="ignore")


def capture(limit_bytes: int) -> CapturedOutput:
    """Point stdout and stderr at a fresh stream, and stdin at nothing, whatever they were pointed at before."""
    captured = CapturedOutput(limit_bytes)
    stream = io.TextIOWrapper(captured, encoding="utf-8", errors="backslashreplace", write_through=True)
    sys.stdout = sys.stderr = stream
    sys.stdin = io.StringIO()
    return captured
