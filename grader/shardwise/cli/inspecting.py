"""The commands that look and change nothing: the history of gradings, and the doctor for the machine that grades."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from shardwise.cli.grading import KeyFile
from shardwise.cli.options import Json
from shardwise.cli.tables import print_history, print_tiers
from shardwise.course.assigning.keys import named_key
from shardwise.errors import ShardwiseError

commands = typer.Typer()


@commands.command(epilog="Example:  shardwise history --out results/ --student ada")
def history(
    out: Annotated[Path, typer.Option(help="The folder with the results.")],
    student: Annotated[str | None, typer.Option(help="Only this student.")] = None,
    key: KeyFile = None,
    as_json: Json = False,
) -> None:
    """Show every grading there was: when, by whom, by which engine and sandbox, and why there was another."""
    from shardwise.grading.record.ledger import LEDGER, Ledger
    from shardwise.grading.regrade import cause_of
    from shardwise.grading.results import to_json

    if not (out / LEDGER).is_file():
        raise ShardwiseError(f"{out} holds no results yet.")
    named = named_key(key)
    with Ledger(out / LEDGER, [named] if named else ()) as ledger:
        gradings = list(ledger.history(student))
    if not gradings:
        raise ShardwiseError(f"Nothing of {student!r} was graded into {out}." if student else f"{out} is empty.")
    if as_json:
        for grading in gradings:
            about = {name: getattr(grading, name) for name in ("at", "who", "engine", "notebook", "key")}
            typer.echo(json.dumps({**about, "result": json.loads(to_json(grading.result))}, ensure_ascii=False))
        return
    print_history(gradings, cause_of)


@commands.command(epilog="Example:  shardwise doctor")
def doctor(as_json: Json = False) -> None:
    """Say how student code would be isolated on this machine, why, and what would make it better.

    Each tier is tried by attacking it. Exit code 0: submissions can be graded here; 1: they cannot.
    """
    from dataclasses import asdict

    from shardwise.sandbox import SandboxUnavailable, probe

    try:
        verdicts = probe()
    except SandboxUnavailable as error:
        raise ShardwiseError(str(error)) from None
    if as_json:
        typer.echo(json.dumps([asdict(verdict) for verdict in verdicts], indent=2))
    else:
        print_tiers(verdicts)
    raise typer.Exit(0 if any(verdict.passed for verdict in verdicts) else 1)
