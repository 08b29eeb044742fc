"""The `shardwise` command. It loads nothing before it listens to Ctrl-C."""

from __future__ import annotations

import os

from shardwise.cli.interrupts import run


def main() -> None:
    """Run the command line."""
    run(_command_line)


def _command_line() -> None:
    # Else pydantic looks for plugins in every package that is installed, for a tenth of what `shardwise show` takes.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "1")
    from shardwise.cli.main import main as command_line

    command_line()


if __name__ == "__main__":
    main()
