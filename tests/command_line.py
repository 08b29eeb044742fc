"""The command line in this process, for tests of what commands print."""

from __future__ import annotations

from typer.testing import CliRunner

from shardwise.cli.main import app


def run(*words: object, code: int = 0) -> str:
    """Return the output of a command and its error, if any, after checking the exit code: any failure counts as 2."""
    done = CliRunner().invoke(app, [*map(str, words)])
    said = f"{done.output}{done.exception or ''}"
    assert (done.exit_code if done.exit_code in (0, 2) else 2) == code, said
    return said
