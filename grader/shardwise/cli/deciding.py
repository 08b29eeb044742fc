"""The `override` command, and the search for the overrides of a run."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shardwise.cli.options import must_be_a_folder
from shardwise.errors import ShardwiseError

if TYPE_CHECKING:
    from shardwise.course.assigning.lockfile import Lock
    from shardwise.grading.overrides.overrides_file import Overrides

commands = typer.Typer()

OverridesFile = Annotated[
    Path | None,
    typer.Option(
        "--overrides",
        help="File of your decisions. Default: the one that course.yaml names, or overrides.yaml next to the lock file.",
    ),
]


def overrides_near(locks: Iterable[Lock], given: Path | None = None) -> Path | None:
    """Return the file of overrides for these lock files, which may not exist yet; None without lock files.

    A student's folder never has one that counts, because only the folders of lock files are searched. Raises ShardwiseError
    for a given file that does not exist, and if the lock files have different ones.
    """
    from shardwise.course.course_file import course_around
    from shardwise.grading.overrides.overrides_file import OVERRIDES_FILE

    if given is not None:
        if not given.exists():
            raise ShardwiseError(f"{given} does not exist. `shardwise override` creates it.")
        return given
    places = []
    for lock in locks:
        course = course_around(lock.path.parent)
        places.append(course.at(course.definition.overrides) if course else lock.path.with_name(OVERRIDES_FILE))
    known = [place for place in dict.fromkeys(places) if place.exists() or place.is_symlink()]
    if len(known) > 1:
        raise ShardwiseError(f"{' and '.join(map(str, known))} may both apply. Name one with --overrides.")
    return next(iter((*known, *places)), None)


def overrides_at(path: Path | None) -> Overrides:
    """Return the overrides in a file; none if it does not exist."""
    from shardwise.grading.overrides.overrides_file import NO_OVERRIDES, load_overrides

    return load_overrides(path) if path and (path.exists() or path.is_symlink()) else NO_OVERRIDES


def say_what_decides_nothing(path: Path | None, overrides: Overrides, locks: Iterable[Lock]) -> None:
    """Warn about entries whose set has no lock file here and is not in the course; its name may be a typo."""
    from shardwise.course.assigning.lockfile import LOCK_SUFFIX
    from shardwise.course.course_file import course_around

    known = set()
    for lock in locks:
        known |= {
            lock.set_name,
            *(near.name.removesuffix(LOCK_SUFFIX) for near in lock.path.parent.glob(f"*{LOCK_SUFFIX}")),
        }
        if course := course_around(lock.path.parent):
            known |= {Path(each.file).stem for each in course.definition.sets}
            known |= {folder.name for folder in course.assigned("x").parent.glob("*")}
    for name, count in overrides.sets().items():
        if known and name not in known:
            entries = "1 entry decides" if count == 1 else f"{count} entries decide"
            typer.echo(f"{path}: {entries} nothing, because the set {name!r} has no lock file here.", err=True)


@commands.command(
    epilog='Example:  shardwise override week-1.lock.jsonl --student ada --question first-quantity --points 3 --why "Misprint"'
)
def override(
    lock: Annotated[
        Path, typer.Argument(metavar="LOCK", help="The set: its lock file, a folder with one, or its name in a course.")
    ],
    why: Annotated[str, typer.Option(help="The reason, for the record; students do not see it.")],
    student: Annotated[
        list[str] | None, typer.Option(help="A student by id, alias or name. Repeat it. Without students: everybody.")
    ] = None,
    section: Annotated[list[str] | None, typer.Option(help="A section of the roster. Repeat it.")] = None,
    question: Annotated[str, typer.Option(help="The question: its problem's slug.")] = "",
    points: Annotated[
        float | None, typer.Option(min=0, help="Points of the question, or of the notebook without --question.")
    ] = None,
    at_least: Annotated[float | None, typer.Option(min=0, help="Points that the question earns at least.")] = None,
    accept: Annotated[
        str | None, typer.Option(metavar="ANSWER", help="Another right answer, such as 42 GB or the text of an option.")
    ] = None,
    accept_expression: Annotated[
        str | None, typer.Option(help="Another right number in base units, such as '2 * key'.")
    ] = None,
    accept_feedback: Annotated[
        str | None, typer.Option(metavar="WORDS", help="Accept every answer whose feedback contains these words.")
    ] = None,
    drop: Annotated[bool, typer.Option("--drop", help="The question does not count.")] = False,
    bonus: Annotated[bool, typer.Option("--bonus", help="The question's points count, but not its maximum.")] = False,
    excuse: Annotated[bool, typer.Option("--excuse", help="The set does not count for these students.")] = False,
    due: Annotated[str | None, typer.Option(help="Their due date, such as 2026-12-08T23:59:00+01:00.")] = None,
    late: Annotated[
        str | None, typer.Option(metavar="PER DAY|none", help="What lateness costs, such as 10% or 2, or none.")
    ] = None,
    grace: Annotated[str | None, typer.Option(help="With --late: how late counts as on time, such as 15 min.")] = None,
    cap: Annotated[str | None, typer.Option(help="With --late: the largest deduction, such as 50%.")] = None,
    attempts: Annotated[str | None, typer.Option(help="Which notebook counts: last, best or average.")] = None,
    note: Annotated[str, typer.Option(help="Words for the student, shown on the feedback page.")] = "",
    key: Annotated[Path | None, typer.Option(help="File of the course key. Default: as for `shardwise grade`.")] = None,
    file: OverridesFile = None,
) -> None:
    """Decide about points, questions, deadlines or attempts.

    The decision is added to overrides.yaml. The next `shardwise grade` or `shardwise regrade` applies it, and every later one.
    """
    from pydantic import ValidationError

    from shardwise.cli.course_paths import lock_file
    from shardwise.course.assigning.dates import in_words
    from shardwise.course.assigning.keys import named_key
    from shardwise.course.assigning.lockfile import Lock
    from shardwise.grading.batch import now_in_utc, who_runs
    from shardwise.grading.overrides.model import Override
    from shardwise.grading.overrides.overrides_file import Overrides, add_overrides

    opened = Lock(lock_file(lock), named_key(key))
    path = file or overrides_near([opened])
    assert path is not None
    must_be_a_folder(path.parent)
    accepted = {"answer": accept, "expression": accept_expression, "feedback": accept_feedback}
    given: dict[str, Any] = {
        "set": opened.set_name, "student": tuple(student or ()), "section": tuple(section or ()), "question": question,
        "points": points, "at_least": at_least, "accept": _without_none(accepted), "drop": drop, "bonus": bonus,
        "excuse": excuse, "due": due, "late": _late(late, grace, cap), "attempts": attempts, "note": note,
        "why": why, "by": who_runs(), "at": now_in_utc(),
    }  # fmt: skip
    try:
        entry = Override.model_validate(
            {name: value for name, value in given.items() if value not in (None, {}, (), "") and value is not False}
        )
    except ValidationError as error:
        raise ShardwiseError("\n".join(_in_words(each) for each in error.errors())) from None
    Overrides((entry,)).check([opened])
    add_overrides(path, [entry])
    typer.echo(f"Added to {path}. Run `shardwise grade` again to apply it.")
    given_points, most = max(entry.points or 0.0, entry.at_least or 0.0), _most_points(opened, entry.question)
    if given_points > most:
        of = f"{entry.question} has" if entry.question else "the notebook has"
        typer.echo(f"Check the points: {of} {most:g}, and you gave {given_points:g}.", err=True)
    if entry.due and opened.due and entry.due < opened.due:
        typer.echo(f"Check the date: the set is due {in_words(opened.due)}, and you gave an earlier date.", err=True)


def _most_points(lock: Lock, question: str) -> float:
    """Return the points of a question, or of a notebook."""
    slug = question.rpartition("/")[2]
    for student in lock.students():
        points = [each.points for each in lock.questions(student) if slug in ("", each.slug)]
        if points:  # with a pool, not everybody has the question
            return sum(points)
    return math.inf


def _late(per_day: str | None, grace: str | None, cap: str | None) -> Any:
    if per_day is None and (grace or cap):
        raise ShardwiseError("--grace and --cap need --late.")
    return per_day if per_day in (None, "none") else _without_none({"per_day": per_day, "grace": grace, "cap": cap})


def _without_none(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value is not None}


def _in_words(error: Any) -> str:
    """Return the message for an option with an invalid value."""
    where = " ".join(part for part in error["loc"] if isinstance(part, str) and part != "rule")
    if error["type"] == "string_too_short":
        return f"--{where}: write at least {error['ctx']['min_length']} characters."
    if error["type"] == "missing":
        return f"--{where} is empty."
    return f"{where + ': ' if where else ''}{str(error['msg']).removeprefix('Value error, ')}."
