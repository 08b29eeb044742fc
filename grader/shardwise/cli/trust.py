"""Trust in the banks that a shardwise.toml names: a bank contains code, and the folder may belong to somebody else.

A bank that a shardwise.toml names runs only after the user has agreed once, as with direnv and git's safe.directory.
A bank named by --bank or SHARDWISE_BANK, and installed banks, need no consent.
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
from shardwise.bank.discovery import is_installed
from shardwise.errors import Faulty, ShardwiseError
from shardwise.text_files import read_bounded

commands = typer.Typer()
VARIABLE = "SHARDWISE_TRUST"  # folders whose banks run without asking, separated as in PATH; * for all


def must_be_trusted(folders: Sequence[Path], settings: Path) -> None:
    """Ask for consent to run the code of the banks that `settings` names. Raises ShardwiseError without consent."""
    for folder in folders:
        if not folder.is_dir():
            raise ShardwiseError(f"{settings} names the bank {folder}, which does not exist. Correct the path.")
        if _is_trusted(folder):
            continue
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise ShardwiseError(
                f"{settings} names the bank {folder}, whose code this command would run. If you trust it, run once:  "
                f"shardwise trust {quote(str(folder))}\nOr name the bank:  --bank {quote(str(folder))}"
            )
        if not typer.confirm(
            f"{settings} names the bank {folder}. Trust it and run its code, now and in future?", err=True
        ):
            raise ShardwiseError(f"The bank {folder} was not opened. To use the installed bank, add --bank shipped.")
        trust_if_possible(folder)


@commands.command(epilog="Example:  shardwise trust my-bank")
def trust(folder: Annotated[Path, typer.Argument(metavar="DIR", help="Folder of the bank.")]) -> None:
    """Trust a bank that a shardwise.toml names.

    From then on, commands run the bank's code without asking.
    """

    if not folder.is_dir():
        raise ShardwiseError(f"{folder} is not a folder.")
    with suppress(Faulty):  # the bank may be unfinished
        Bank.open(folder)
    trust_folder(folder)
    typer.echo(f"Trusted: commands now run the code of the bank {folder.resolve()}.")


def trust_folder(folder: Path) -> None:
    """Record a folder and its owner as trusted by this user. Raises ShardwiseError if the record cannot be written."""

    known = _known() | {str(folder.resolve()): folder.stat().st_uid}
    try:
        write_file(_register(), json.dumps(known, indent=1).encode(), private=True)
    except OSError as error:
        raise ShardwiseError(
            f"Cannot record that you trust {folder}: {_register()} cannot be written: {error.strerror}. Set the variable instead:  "
            f"export {VARIABLE}={quote(str(folder.resolve()))}"
        ) from None


def trust_if_possible(folder: Path) -> None:
    """Record a folder as trusted; if that fails, as with a read-only home, say what to do, and go on."""
    try:
        trust_folder(folder)
    except ShardwiseError as error:
        typer.echo(error, err=True)


def _is_trusted(folder: Path) -> bool:

    named = os.environ.get(VARIABLE, "").split(os.pathsep)
    if "*" in named or str(folder) in named:
        return True
    if is_installed(folder):
        return True
    with suppress(OSError):  # if the owner changed, it is not the folder that was trusted
        return _known().get(str(folder)) == folder.stat().st_uid
    return False


def _register() -> Path:
    import platformdirs

    return Path(platformdirs.user_config_dir("shardwise", appauthor=False)) / "trusted-banks.json"


def _known() -> dict[str, int]:

    with suppress(OSError, ValueError, TypeError, RecursionError):
        return dict(json.loads(read_bounded(_register())))
    return {}
