"""The `assign` command, which writes a notebook of a set for every student."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from shlex import quote
from typing import Annotated, Any

import typer

from shardwise.cli.course_paths import paths_to_assign
from shardwise.cli.interrupts import say_when_stopped
from shardwise.cli.options import BankNames, banks_of, must_be_a_folder
from shardwise.cli.tables import progress_bar
from shardwise.course.assigning.keys import KEY_FILE, course_key
from shardwise.errors import Faulty, ShardwiseError

commands = typer.Typer()


@commands.command(epilog="Example:  shardwise assign sets/week1.yaml --roster roster.csv --out course/week1")
def assign(
    definition: Annotated[Path, typer.Argument(metavar="SET", help="The set's YAML file, or its name in a course.")],
    roster: Annotated[
        Path | None,
        typer.Option(
            help='CSV file as Canvas, Moodle, Blackboard, Brightspace, Gradescope or GitHub Classroom exports it, or with the columns "student" and "name". Default: the course\'s.'
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder for the notebooks and the lock file. Default: assigned/SET of the course."),
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option(
            help="File of the course key; created if it does not exist. Default: the course's, or course.key in the folder --out."
        ),
    ] = None,
    nbgrader: Annotated[
        Path | None,
        typer.Option(metavar="COURSE", help="Folder of an nbgrader course that also gets the set; created if needed."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Overwrite notebooks that contain work.")] = False,
    bank: BankNames = None,
) -> None:
    """Write a notebook of a set for every student.

    Each student gets different numbers; a lock file records them with the answer keys. Run it again after you add students or
    change the title, due date, attempts or points. In the folder of a course, the name of a set is enough.
    """
    from shardwise.course.assigning.assignments import assign as run
    from shardwise.course.assigning.dates import in_words
    from shardwise.course.assigning.roster import load_roster
    from shardwise.course.assigning.set_file import load_set

    definition, roster, out, key = paths_to_assign(definition, roster, out, key)
    say_when_stopped(f"Run the same command again to write the missing files in {out}.")
    must_be_a_folder(out)
    banks = banks_of(bank)
    faults: list[Any] = []
    made: dict[str, Any] = {}
    for name, load in (
        ("set", lambda: load_set(definition, banks)),
        ("roster", lambda: load_roster(roster, typer.echo)),
    ):
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
        typer.echo(
            f"Created a course key: {key}. Keep it secret and back it up: without it you cannot add students later."
        )
        if others := _keys_near(key):
            typer.echo(
                f"There is already a course key, {others[0]}, and a course needs only one. If this set belongs to that course, delete {out} "
                f"and run the command again with --key {quote(str(others[0]))}."
            )
    with progress_bar("drawing", 2 * len(made["roster"])) as advance:
        done = run(banks, made["set"], made["roster"], secret, out, force=force, progress=advance)
    if not key.is_file():
        raise ShardwiseError(
            f"{key} was deleted while the set was being drawn, and nothing can be graded without it. Delete {done.lock} too, "
            "then run the same command again."
        )
    kept = f" ({done.kept} assigned before, with unchanged questions)" if done.kept else ""
    some = ", ".join(done.left[:5]) + (" …" if len(done.left) > 5 else "")
    left = f"; no longer on the roster: {some}" if some else ""
    typer.echo(f"{done.notebooks} notebook{'' if done.notebooks == 1 else 's'} in {out / 'notebooks'}{kept}{left}")
    for change in done.changes:
        typer.echo(f"Changed: {change}")
    for section, count in done.other_sections.items():
        who = f"Section {section!r}" if section else "No section"
        until = f"due {in_words(due)}" if (due := made["set"].due) else "no due date"
        typer.echo(f"{who}: {count} student{'s' * (count != 1)}, {until}, as for the whole set.")
    _say_what_was_worked_in(done.worked_in, bool(done.changes))
    if nbgrader:
        from shardwise.exchange.nbgrader import put_into_nbgrader

        typer.echo(put_into_nbgrader(nbgrader, done.lock, secret))
    typer.echo(f"{done.lock} contains every student's questions and answer keys. Do not share it with students.")


def _keys_near(key: Path) -> list[Path]:
    """Return the course keys in sibling and parent folders of a new key's folder."""
    around = key.resolve().parent.parent
    found = {*around.glob("*/course.key"), around / "course.key", around.parent / "course.key"} - {key.resolve()}
    return sorted(path for path in found if path.is_file())


def _must_not_be_lost(key: Path | None, out: Path, name: str) -> None:
    """Raise ShardwiseError if a new key would be created next to lock files that another key has signed."""
    from shardwise.course.assigning.lockfile import LOCK_SUFFIX

    signed = sorted(out.glob(f"*{LOCK_SUFFIX}" if key is None else f"{name}{LOCK_SUFFIX}"))
    wanted = key or out / KEY_FILE
    if signed and not wanted.exists():
        raise ShardwiseError(
            f"{signed[0]} is signed with a course key, but {wanted} does not exist. Restore the key, or name its file with --key. "
            "If the key is lost, you cannot add students: move the lock file away to draw everything again."
        )


def _say_what_was_worked_in(notebooks: Sequence[Path], changed: bool) -> None:
    """Print which notebooks were not overwritten, and what to do about them."""
    if not notebooks:
        return
    several = len(notebooks) > 1
    shown = ", ".join(map(str, notebooks[:10])) + (f" and {len(notebooks) - 10} more" if len(notebooks) > 10 else "")
    still = (
        f" {'They do' if several else 'It does'} not show the change; grading follows the lock file." if changed else ""
    )
    typer.echo(
        f"Not overwritten, because {'they contain' if several else 'it contains'} work: {shown}."
        f"{still} Use --force to overwrite {'them' if several else 'it'}.",
        err=True,
    )
