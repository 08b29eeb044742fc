"""The command that hands out: assign, which draws a set for every student."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer

from shardwise.cli.interrupts import say_when_stopped
from shardwise.cli.options import BankNames, banks_of
from shardwise.cli.tables import progress_bar
from shardwise.course.assigning.keys import KEY_FILE, course_key
from shardwise.course.assigning.roster import load_roster
from shardwise.errors import Faulty, ShardwiseError

commands = typer.Typer()


@commands.command(epilog="Example:  shardwise assign sets/week1.yaml --roster roster.csv --out course/week1")
def assign(
    definition: Annotated[Path, typer.Argument(metavar="SET", help="The set's YAML file.")],
    roster: Annotated[Path, typer.Option(help="CSV with a column student, id or email, and perhaps a name.")],
    out: Annotated[Path, typer.Option(help="The folder for the notebooks and the lock file.")],
    key: Annotated[
        Path | None,
        typer.Option(help="The course key; course.key in the folder --out when left out, made when it is not there."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite notebooks that somebody has worked in.")] = False,
    bank: BankNames = None,
) -> None:
    """Draw a set for every student: a notebook each, and a lock file that keeps every draw.

    Run it again for new students, or when title, due date, attempts or points have changed.
    """
    from shardwise.course.assigning.assignments import assign as run
    from shardwise.course.assigning.assignments import load_set

    say_when_stopped(f"The same command writes what is missing in {out}.")
    banks = banks_of(bank)
    faults: list[Any] = []
    made: dict[str, Any] = {}
    for name, load in (("set", lambda: load_set(definition, banks)), ("roster", lambda: load_roster(roster))):
        try:
            made[name] = load()
        except Faulty as error:
            faults += error.faults
    if faults:
        raise Faulty(faults)
    _must_not_be_lost(key, out, made["set"].name)
    key = key or out / KEY_FILE
    secret, fresh = course_key(key)
    if fresh:
        typer.echo(f"Made a course key: {key}. Keep it secret and keep it; without it nobody can be added later.")
        if others := _keys_near(key):
            typer.echo(
                f"{others[0]} is there already, and one key is enough for a course. If this set belongs to that course, delete {out} "
                f"and run the command again with --key {quote(str(others[0]))}."
            )
    with progress_bar("drawing", 2 * len(made["roster"])) as advance:
        done = run(banks, made["set"], made["roster"], secret, out, force=force, progress=advance)
    if not key.is_file():
        raise ShardwiseError(
            f"{key} was deleted while the set was drawn, and nothing can be graded without it. Delete {done.lock} as well, "
            "and run the same command again."
        )
    kept = f" ({done.kept} were drawn before and keep their draws)" if done.kept else ""
    some = ", ".join(done.left[:5]) + (" …" if len(done.left) > 5 else "")
    left = f"; not on the roster any more: {some}" if some else ""
    typer.echo(f"{done.notebooks} notebook{'' if done.notebooks == 1 else 's'} in {out / 'notebooks'}{kept}{left}")
    for change in done.changes:
        typer.echo(f"Changed: {change}")
    _say_what_was_worked_in(done.worked_in, bool(done.changes))
    typer.echo(f"{done.lock} holds every draw and every key: do not hand it out.")


def _keys_near(key: Path) -> list[Path]:
    """Return the course keys of other folders beside and above that of a new one."""
    around = key.resolve().parent.parent
    found = {*around.glob("*/course.key"), around / "course.key", around.parent / "course.key"} - {key.resolve()}
    return sorted(path for path in found if path.is_file())


def _must_not_be_lost(key: Path | None, out: Path, name: str) -> None:
    """Raise ShardwiseError where a new key would be made beside lock files that another key has signed."""
    from shardwise.course.assigning.lockfile import LOCK_SUFFIX

    signed = sorted(out.glob(f"*{LOCK_SUFFIX}" if key is None else f"{name}{LOCK_SUFFIX}"))
    wanted = key or out / KEY_FILE
    if signed and not wanted.exists():
        raise ShardwiseError(
            f"{signed[0]} is signed with a course key, and there is no {wanted}. Restore the key, or name its file with --key. "
            "If it is lost, nobody can be added: move the lock file away to draw everything anew."
        )


def _say_what_was_worked_in(notebooks: Sequence[Path], changed: bool) -> None:
    """Which notebooks were left alone, and what to do about them."""
    if not notebooks:
        return
    several = len(notebooks) > 1
    shown = ", ".join(map(str, notebooks[:10])) + (f" and {len(notebooks) - 10} more" if len(notebooks) > 10 else "")
    still = (
        f" What changed does not stand {'in them' if several else 'there'}; grading goes by the lock file."
        if changed
        else ""
    )
    typer.echo(
        f"Somebody has worked in {shown}: {'they stay' if several else 'it stays'} as {'they are' if several else 'it is'}."
        f"{still} --force writes {'them' if several else 'it'} anew.",
        err=True,
    )
