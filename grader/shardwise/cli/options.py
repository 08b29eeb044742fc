"""Options that several commands have, and the bank that one of them names."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

Root = Annotated[Path | None, typer.Option("--problems", help="Another bank than the one that is installed.")]
Seed = Annotated[str, typer.Option("--seed", help="The seed; the same seed is the same question everywhere.")]
Json = Annotated[bool, typer.Option("--json", help="For scripts.")]


def bank_at(root: Path | None) -> Any:
    """The bank in this folder, read to its end, or the one that is installed."""
    from shardwise.bank.bank import bank, load

    return load(root) if root else bank()
