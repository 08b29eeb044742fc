"""Options that several commands have, and the banks that one of them names."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from shardwise.bank.bank import Banks
from shardwise.bank.discovery import VARIABLE, named_by_settings, open_banks, settings_near
from shardwise.cli.trust import must_be_trusted

_BANK = 'A bank of problems, or "shipped"; may be given several times, the first that has a problem counts. Left out: '


def _named(otherwise: str) -> Any:
    return typer.Option("--bank", metavar="DIR", help=_BANK + otherwise)


BankNames = Annotated[list[str] | None, _named("SHARDWISE_BANK, the nearest shardwise.toml, or the installed bank.")]
TrustedBankNames = Annotated[
    list[str] | None,
    _named("SHARDWISE_BANK, or the installed bank. A shardwise.toml does not count: it may have been handed in."),
]
Seed = Annotated[str, typer.Option("--seed", help="The seed; the same seed is the same question everywhere.")]
Json = Annotated[bool, typer.Option("--json", help="For scripts.")]


def banks_of(names: list[str] | None) -> Banks:
    """The banks that are meant, after saying which."""
    return _said(names, settings=True)


def trusted_banks_of(names: list[str] | None) -> Banks:
    """The banks that a person named or installed, after saying which: none that lies about where notebooks are graded."""
    return _said(names, settings=False)


def _said(names: list[str] | None, *, settings: bool) -> Banks:
    import os
    from pathlib import Path

    if settings and not names and not os.environ.get(VARIABLE) and (file := settings_near(Path.cwd())):
        must_be_trusted(named_by_settings(Path.cwd()), file)
    banks = open_banks(names or (), settings=settings)
    typer.echo(f"Bank: {banks}", err=True)
    if not (settings or names or os.environ.get(VARIABLE)) and (found := settings_near(Path.cwd())):
        typer.echo(
            f"{found} does not count here, for it may have been handed in. Name a bank of yours with --bank.", err=True
        )
    return banks
