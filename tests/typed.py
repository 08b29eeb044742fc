"""Runs a command in this process while somebody types: several tests of practice in the terminal share it."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import pytest

from shardwise.cli.main import main


def run_typed(monkeypatch: pytest.MonkeyPatch, words: Sequence[str], lines: Iterator[str]) -> int:
    """The exit code of a command to which these lines are typed, and then the end of the input."""
    monkeypatch.setattr(sys, "argv", ["shardwise", *words])

    def read(prompt: str = "") -> str:
        try:
            return next(lines)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("builtins.input", read)
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)
