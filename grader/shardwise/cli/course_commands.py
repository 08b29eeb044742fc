"""The commands for a whole course: `init course`, `gradebook` and `feedback-zip`."""

from __future__ import annotations

import json
import math
import shutil
import sys
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from shardwise.cli.authoring import beginnings
from shardwise.cli.course_paths import results_to_read
from shardwise.cli.options import Json, must_end_in
from shardwise.cli.tables import print_columns
from shardwise.cli.trust import trust_if_possible
from shardwise.errors import ShardwiseError

if TYPE_CHECKING:
    from shardwise.course.assigning.roster import Student
    from shardwise.course.course_file import Course
    from shardwise.grading.gradebook import Gradebook

_MOST_ROWS = 60  # nobody reads a longer table in a terminal

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
    trust_if_possible(folder / OWN_BANK)
    for path in written:
        typer.echo(f"Wrote {path}")
    for path in kept:
        typer.echo(f"Kept {path}, which existed.")
    typer.echo(
        f"Keep {folder / 'course.key'} secret and back it up: without it you can neither add students nor grade."
    )
    typer.echo(f"Put your students into roster.csv, then:  cd {quote(str(folder))} && shardwise assign week-1")


@commands.command(
    epilog="Example:  shardwise gradebook results/week-1 results/week-2 --weight week-2=2 --drop-lowest 1"
)
def gradebook(
    sets: Annotated[
        list[str] | None,
        typer.Argument(help="Sets of the course, or folders with results. Default: all sets of the course."),
    ] = None,
    weight: Annotated[
        list[str] | None,
        typer.Option(metavar="SET=NUMBER", help="Weight of a set in the total. Default: the course's, or 1."),
    ] = None,
    drop_lowest: Annotated[
        int | None,
        typer.Option(min=0, help="How many of each student's lowest sets do not count. Default: the course's, or 0."),
    ] = None,
    out: Annotated[Path, typer.Option(help="File for the table.")] = Path("gradebook.csv"),
    as_json: Json = False,
    into: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Fill the points into this export of Canvas, Moodle or Blackboard, as FILE-filled, ready to be imported.",
        ),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="SET=HEADER", help="With --into: the column of a set, if it has another name or title."),
    ] = None,
    scale: Annotated[
        bool, typer.Option("--scale", help="With --into: convert points to the maximum of the column.")
    ] = False,
    roster: Annotated[
        Path | None, typer.Option(help="With --into: roster with the students' ids there. Default: the course's.")
    ] = None,
) -> None:
    """Add up the sets of a course.

    Each set counts by its weight, whatever its points. A missing submission counts as 0 after the due date. Excused sets
    do not count. A student's total is left open while one of their submissions could not be graded.
    """
    from shardwise.grading.gradebook import make_gradebook, results_by_set, write_gradebook

    if into and as_json:
        raise ShardwiseError("Use only one of --into and --json.")
    if (column or scale) and not into:
        raise ShardwiseError("--column and --scale need the table to fill:  --into FILE")
    if into and into.resolve() == out.resolve():
        raise ShardwiseError(f"--out {out} would replace the table to fill. Choose another file for the gradebook.")
    must_end_in(".csv", out)
    folders, course = results_to_read(sets or ())
    if course and out.resolve() == course.roster.resolve():
        raise ShardwiseError(f"--out {out} would replace the roster. Choose another file for the gradebook.")
    results = results_by_set(folders, course.sets if course else None)
    if not results:
        whose = " of this course" if course else ""
        raise ShardwiseError(f"No results of a set{whose} found in {', '.join(map(str, folders))}.")
    known = {name: each.weight for name, each in course.sets.items()} if course else {}
    weights = known | {name: _number(text) for name, text in _by_set(weight, results, "--weight").items()}
    if drop_lowest is None:
        drop_lowest = course.definition.drop_lowest if course else 0
    made = make_gradebook(results, weights, drop_lowest, datetime.now(UTC))
    write_gradebook(made, out)
    if as_json:
        typer.echo(json.dumps(made.document(), ensure_ascii=False, indent=2))
        return
    _print_gradebook(made)
    typer.echo(f"Wrote {out}")
    if into:
        _fill_in(made, into, _by_set(column, results, "--column"), roster, course, scale=scale)


def _fill_in(
    made: Gradebook, into: Path, chosen: Mapping[str, str], roster: Path | None, course: Course | None, *, scale: bool
) -> None:
    """Fill a gradebook into a platform's table, and print what did not match."""
    from shardwise.exchange.grade_tables import read_grade_table
    from shardwise.exchange.learning_platforms import fill_grades, without_rows, write_filled

    students = _students(roster, course)
    table = read_grade_table(into)
    filled = fill_grades(table, made, students, titles=course.titles() if course else {}, chosen=chosen, scale=scale)
    path = write_filled(table, into)
    typer.echo(f"Wrote {path}, to import into {filled.columns.platform}: {filled.cells} grades.")
    for name, header in filled.headers.items():
        typer.echo(f"  {name} → {'new column ' if name in filled.added else ''}{header}")
    for line in (*filled.notes, *without_rows(filled)):
        typer.echo(line, err=True)


def _students(roster: Path | None, course: Course | None) -> Sequence[Student]:
    """Return the students of a roster, or of the course's."""
    from shardwise.course.assigning.roster import load_roster

    roster = roster or (course.roster if course else None)
    return load_roster(roster) if roster else ()


@commands.command("feedback-zip", epilog="Example:  shardwise feedback-zip week-1 --submissions moodle-download.zip")
def feedback_zip(
    name: Annotated[str, typer.Argument(metavar="SET", help="A set of the course, or a folder with results.")],
    submissions: Annotated[
        Path | None,
        typer.Option(
            help="The submissions as Moodle offers them for download: an archive or a folder. Default: the names that the notebooks were graded under."
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="File for the archive. Default: feedback-moodle.zip in the folder with results.")
    ] = None,
    roster: Annotated[
        Path | None, typer.Option(help="Roster with the students' names in Moodle. Default: the course's.")
    ] = None,
) -> None:
    """Pack the feedback pages for Moodle.

    In the assignment, choose “Upload multiple feedback files in a zip”. Each student sees their own page.
    """
    from shardwise.exchange.feedback_zip import write_feedback_zip
    from shardwise.grading.results import read_results

    [folder], course = results_to_read([name])
    out = out or folder / "feedback-moodle.zip"
    must_end_in(".zip", out)
    done = write_feedback_zip(read_results(folder), folder, _students(roster, course), out, submissions)
    typer.echo(f"Wrote {out} with {done.pages} feedback page{'s' * (done.pages != 1)}.")
    if done.unknown:
        typer.echo(f"Not included, because their folder in Moodle is unknown: {', '.join(done.unknown)}.", err=True)
        raise typer.Exit(1)


def _by_set(given: Sequence[str] | None, sets: Collection[str], option: str) -> dict[str, str]:
    """Parse an option such as --weight week-2=2 into a value per set. Raises ShardwiseError for unknown sets."""
    found: dict[str, str] = {}
    for each in given or ():
        name, equals, value = each.partition("=")
        if not equals:
            raise ShardwiseError(f"{option} needs a set and a value, such as week-2=2, not {each!r}.")
        if name not in sets:
            raise ShardwiseError(f"{option}: unknown set {name!r}. Sets with results: {', '.join(sets)}.")
        found[name] = value
    return found


def _number(text: str) -> float:
    from shardwise.course.course_file import LARGEST_WEIGHT

    try:
        weight = float(text)
    except ValueError:
        weight = math.nan
    if not 0 <= weight <= LARGEST_WEIGHT:
        raise ShardwiseError(f"A weight is a number from 0 to {LARGEST_WEIGHT:,}, not {text!r}.")
    return weight


def _print_gradebook(made: Gradebook) -> None:
    """Print the points and totals of each student, and the mean total of each section."""
    from shardwise.grading.gradebook import points_text

    head = ("student", "name", "section", *made.weights, "total", "remarks")
    rows = [
        (
            each.student, each.name, each.section, *(points_text(score.points) for score in each.scores.values()),
            "" if each.total is None else f"{points_text(each.total)} %", "; ".join(each.remarks),
        )
        for each in made.students
    ]  # fmt: skip
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 140
    print_columns(head, rows[:_MOST_ROWS], right=range(3, 4 + len(made.weights)), width=max(width, 60))
    if len(rows) > _MOST_ROWS:
        typer.echo(f"and {len(rows) - _MOST_ROWS} more students")
    means = made.section_means()
    for section, (count, mean) in means.items():
        who = f"Section {section}" if section else "No section" if len(means) > 1 else "All"
        typer.echo(f"{who}: {count} total{'s' * (count != 1)}, mean {points_text(mean)} %")
