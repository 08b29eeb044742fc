"""The commands for a whole course: `init course` and `gradebook`."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import Annotated

import typer

from shardwise.cli.authoring import beginnings
from shardwise.cli.trust import trust_folder

commands = typer.Typer()


@beginnings.command("course", epilog="Example:  shardwise init course llm-systems")
def init_course(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="A folder without course.yaml and bank/.")],
) -> None:
    """Create a course: a roster, a set, a bank of your own and a course key.

    It is ready for git, without the key, the students' work and their grades.
    """
    from shardwise.course.course_scaffold import OWN_BANK, scaffold_course

    written, kept = scaffold_course(folder)
    trust_folder(folder / OWN_BANK)
    for path in written:
        typer.echo(f"Wrote {path}")
    for path in kept:
        typer.echo(f"Kept {path}, which existed.")
    typer.echo(
        f"Keep {folder / 'course.key'} secret and back it up: without it you can neither add students nor grade."
    )
    typer.echo(f"Put your students into roster.csv, then:  cd {quote(str(folder))} && shardwise assign week-1")
