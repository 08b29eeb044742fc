"""The commands that change nothing: `history` of gradings, and `doctor` for the machine that grades."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from shardwise.cli.grading_output import print_decisions, print_history, print_tiers
from shardwise.cli.options import Json
from shardwise.cli.submitted import KeyFile
from shardwise.course.assigning.keys import named_key
from shardwise.errors import ShardwiseError

commands = typer.Typer()


@commands.command(epilog="Example:  shardwise history --out results/ --student ada")
def history(
    out: Annotated[Path, typer.Option(help="Folder with the results.")],
    student: Annotated[str | None, typer.Option(help="Show only this student's gradings.")] = None,
    key: KeyFile = None,
    as_json: Json = False,
) -> None:
    """Show every grading, why it was made, and the overrides.

    For each grading, the table lists the time, the points, the cause, the version of shardwise, the sandbox tier, and who ran it.
    """
    from shardwise.grading.record.ledger import LEDGER, Ledger
    from shardwise.grading.regrade import cause_of
    from shardwise.grading.results import to_json

    if not (out / LEDGER).is_file():
        raise ShardwiseError(
            f"{out} contains no results yet. Name the folder that you gave to `shardwise grade --out`."
        )
    named = named_key(key)
    with Ledger(out / LEDGER, [named] if named else ()) as ledger:
        gradings, decisions = list(ledger.history(student)), ledger.decisions()
    if not gradings:
        raise ShardwiseError(
            f"{out} has no gradings of {student!r}. Without --student, `shardwise history` lists everybody."
            if student
            else f"{out} is empty."
        )
    if as_json:
        for grading in gradings:
            about = {name: getattr(grading, name) for name in ("at", "who", "engine", "notebook", "key")}
            typer.echo(json.dumps({**about, "result": json.loads(to_json(grading.result))}, ensure_ascii=False))
        return
    print_history(gradings, cause_of)
    print_decisions(decisions)


@commands.command(epilog="Example:  shardwise doctor")
def doctor(as_json: Json = False) -> None:
    """Show how this machine isolates student code.

    Each tier of the sandbox is tested by attacking it; for a tier that does not work, you see why and what to do. Exit codes:
    0, submissions can be graded here; 1, they cannot.
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
