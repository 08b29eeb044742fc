"""Trust in the banks that a shardwise.toml names: a bank's references are code, and the folder may be somebody else's.

A bank that a folder's shardwise.toml names is run after its user has agreed once, as direnv and git's safe.directory do.
One that is named by --bank or SHARDWISE_BANK, and the one that is installed, need no such consent.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from shardwise.atomic_files import write_file
from shardwise.bank.bank import Bank
from shardwise.bank.discovery import shipped
from shardwise.errors import Faulty, ShardwiseError
from shardwise.text_files import read_bounded

commands = typer.Typer()
VARIABLE = "SHARDWISE_TRUST"  # folders whose banks are run without asking, separated as in PATH; * for all


def must_be_trusted(folders: Sequence[Path], settings: Path) -> None:
    """Ask for consent to run the code of these banks, which `settings` names. Raises ShardwiseError without it."""
    for folder in folders:
        if not folder.is_dir():
            raise ShardwiseError(f"{settings} names the bank {folder}, which does not exist. Correct that path.")
        if _is_trusted(folder):
            continue
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise ShardwiseError(
                f"{settings} names the bank {folder}, and this command runs a bank's code. If you trust it, run once:  "
                f"shardwise trust {quote(str(folder))}\nOr name it:  --bank {quote(str(folder))}"
            )
        if not typer.confirm(f"{settings} names the bank {folder}. Run its code, now and in future?", err=True):
            raise ShardwiseError(f"The bank {folder} was not opened. --bank shipped takes the installed one.")
        trust_folder(folder)


@commands.command(epilog="Example:  shardwise trust my-bank")
def trust(folder: Annotated[Path, typer.Argument(metavar="DIR", help="The folder of a bank.")]) -> None:
    """Let commands run the code of a bank that a shardwise.toml names."""

    if not folder.is_dir():
        raise ShardwiseError(f"{folder} is not a folder.")
    with suppress(Faulty):  # a bank that is being written
        Bank.open(folder)
    trust_folder(folder)
    typer.echo(f"Commands run the bank {folder.resolve()} from now on.")


def trust_folder(folder: Path) -> None:
    """Remember a folder and its owner, for this user alone."""

    known = _known() | {str(folder.resolve()): folder.stat().st_uid}
    write_file(_register(), json.dumps(known, indent=1).encode(), private=True)


def _is_trusted(folder: Path) -> bool:

    named = os.environ.get(VARIABLE, "").split(os.pathsep)
    if "*" in named or str(folder) in named:
        return True
    with suppress(ShardwiseError):
        if folder == shipped():
            return True
    with suppress(OSError):  # whoever has put another folder there is somebody else
        return _known().get(str(folder)) == folder.stat().st_uid
    return False


def _register() -> Path:
    import platformdirs

    return Path(platformdirs.user_config_dir("shardwise", appauthor=False)) / "trusted-banks.json"


def _known() -> dict[str, int]:

    with suppress(OSError, ValueError, TypeError, RecursionError):
        return dict(json.loads(read_bounded(_register())))
    return {}
