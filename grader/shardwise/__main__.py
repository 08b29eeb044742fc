"""The `shardwise` command, which handles Ctrl-C before it loads anything else."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # what signal is made of, which loads enum first
import os
import sys


def main() -> None:
    """Run the command line."""
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:  # the background job of a script ignores it
        _signal.signal(_signal.SIGINT, _end_at_once)
    from shardwise.cli.interrupts import run

    run(_command_line)


def _end_at_once(number: int, _: object) -> None:
    """Handle Ctrl-C while the real handler is still loading: there is nothing to unwind yet."""
    os.write(2, b"Stopped.\n")
    os._exit(128 + number)


def _command_line() -> None:
    # Otherwise pydantic searches all installed packages for plugins, which takes a tenth of the time of `shardwise show`.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")
    from shardwise.cli.main import main as command_line

    command_line()


if __name__ == "__main__":
    # `python -m` searches the current folder first, which may contain students' files.
    here = os.path.realpath(".") if os.path.exists(".") else None  # the current folder may have been deleted
    if not sys.flags.safe_path and sys.path[0] == here != os.path.realpath(f"{__file__}/../.."):
        del sys.path[0]
    main()
