"""The `shardwise` command. It loads nothing before it listens to Ctrl-C."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # what signal is made of, which loads enum first
import os
import sys


def main() -> None:
    """Run the command line."""
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:  # a script's background job ignores it
        _signal.signal(_signal.SIGINT, _end_at_once)
    from shardwise.cli.interrupts import run

    run(_command_line)


def _end_at_once(number: int, _: object) -> None:
    """Ctrl-C while what listens to it is still being loaded: nothing was begun that has to be unwound."""
    os.write(2, b"Stopped.\n")
    os._exit(128 + number)


def _command_line() -> None:
    # Else pydantic looks for plugins in every package that is installed, for a tenth of what `shardwise show` takes.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")
    from shardwise.cli.main import main as command_line

    command_line()


if __name__ == "__main__":
    # `python -m` looks for every module first where it is called, and students' files may lie there.
    here = os.path.realpath(".") if os.path.exists(".") else None  # a folder may be deleted while one is in it
    if not sys.flags.safe_path and sys.path[0] == here != os.path.realpath(f"{__file__}/../.."):
        del sys.path[0]
    main()
