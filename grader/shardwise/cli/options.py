"""Options that several commands have, and the banks that one of them names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from shardwise.bank.bank import Banks

BankNames = Annotated[
    list[str] | None,
    typer.Option(
        "--bank",
        metavar="DIR",
        help='A bank of problems, or "shipped"; may be given several times, the first that has a problem counts. '
        "Left out: SHARDWISE_BANK, the nearest shardwise.toml, or the installed bank.",
    ),
]
Seed = Annotated[str, typer.Option("--seed", help="The seed; the same seed is the same question everywhere.")]
Json = Annotated[bool, typer.Option("--json", help="For scripts.")]


def banks_of(names: list[str] | None) -> Banks:
    """The banks that are meant, after saying which."""
    from shardwise.bank.discovery import open_banks

    banks = open_banks(names or ())
    typer.echo(f"Bank: {banks}", err=True)
    return banks
