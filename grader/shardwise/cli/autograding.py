"""The command `autograder`, which writes the zip for Gradescope's autograder."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shardwise.cli.options import must_end_in

commands = typer.Typer()


@commands.command(epilog="Example:  shardwise autograder course/week1/week-1.lock.jsonl --out autograder.zip")
def autograder(
    assigned: Annotated[
        Path, typer.Argument(metavar="SET", help="The set's lock file; in a course folder, also the set's name.")
    ],
    out: Annotated[Path, typer.Option(help="The zip to write.")],
    key: Annotated[
        Path | None,
        typer.Option(help="File of the course key. Default: as for `grade`. The key itself is not put into the zip."),
    ] = None,
    visibility: Annotated[
        str, typer.Option(help="When Gradescope shows the results: visible, hidden, after_due_date or after_published.")
    ] = "visible",
    wheel: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE",
            help="A wheel to install in the autograder, for a package that is not on PyPI. Repeat it for several.",
        ),
    ] = None,
) -> None:
    """Write the autograder zip of a set for Gradescope.

    Upload it under Configure Autograder. Like the lock file, it contains every student's answer keys.
    """
    from shardwise.cli.ci import must_be_a_visibility
    from shardwise.cli.course_paths import lock_file
    from shardwise.course.assigning.keys import named_key
    from shardwise.course.assigning.lockfile import Lock
    from shardwise.exchange.gradescope_zip import write_autograder

    must_be_a_visibility(visibility)
    must_end_in(".zip", out)
    lock = Lock(lock_file(assigned), named_key(key))
    done = write_autograder(lock, out, visibility=visibility, wheels=wheel or ())
    typer.echo(f"Wrote {out} for {done.students} student{'s' * (done.students != 1)} of {lock.set_name}.")
    typer.echo(f"Its setup.sh installs {', '.join(done.requirements)}; pass what is not on PyPI with --wheel.")
    typer.echo("Do not share it with students: it contains every student's questions and answer keys.")
