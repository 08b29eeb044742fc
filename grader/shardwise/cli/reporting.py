"""The commands about how a class does on a set: report."""

from __future__ import annotations

from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from shardwise.cli.options import must_be_a_folder
from shardwise.errors import ShardwiseError

if TYPE_CHECKING:
    from shardwise.course.assigning.lockfile import Lock

commands = typer.Typer()


@commands.command(epilog="Example:  shardwise report results/")
def report(
    results: Annotated[
        Path, typer.Argument(metavar="RESULTS|SET", help="Folder with the results of a set; in a course, the set's name or file.")
    ],
    set_name: Annotated[
        str | None, typer.Option("--set", help="Name of the set, if the folder has results of several sets.")
    ] = None,
    lock: Annotated[
        Path | None,
        typer.Option(help="Lock file of the set. Default: the course's, or search the folders above the results."),
    ] = None,
    key: Annotated[
        Path | None, typer.Option("--key", help="File of the course key. Default: as for `shardwise grade`.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the report. Default: the folder with the results.")] = None,
) -> None:
    """Report which items of a set work.

    The page report.html shows the scores, facility and discrimination of every item, frequent mistakes and wrong answers that
    nobody listed, whether all draws were equally hard, the reliability of the set, and answers that match another student's
    key. The same numbers are in report.csv and report.json. All of these files name students: they are for instructors.
    """
    from shardwise.analysis.report import report_of
    from shardwise.analysis.report_files import PAGE, write_report
    from shardwise.analysis.responses import responses_of
    from shardwise.grading.results import read_results

    folder, near = _folder_of(results)
    if out:
        must_be_a_folder(out)
    found = read_results(folder)
    name = set_name or _only_set({result.set for result in found}, folder)
    opened = _lock_of(name, [lock] if lock else near, folder, key)
    responses = responses_of(found, opened)
    if not responses.results:
        raise ShardwiseError(f"{folder} has no results of the set {name!r}.")
    made = report_of(responses, set_name=name, title=str(opened.header.get("title") or name))
    written = write_report(made, out or folder)
    counts, flags = made["students"], sum(len(item["flags"]) for item in made["items"])
    typer.echo(
        f"{counts['graded']} graded, {counts['missing']} missing, {counts['ungraded'] + counts['incomplete']} not graded, "
        f"{counts['excused']} excused; {len(made['items'])} items, {flags} thing{'s' * (flags != 1)} to look at"
    )
    if counts["graded"] < made["enough"]:
        typer.echo(f"With fewer than {made['enough']} students, discrimination and reliability are mostly chance.")
    typer.echo(f"Wrote {', '.join(path.name for path in written)} in {quote(str(out or folder))}. Open {quote(str((out or folder) / PAGE))}.")


def _folder_of(given: Path) -> tuple[Path, list[Path]]:
    """Return the folder with the results, and the lock file of a set that is named within a course."""
    from shardwise.course.assigning.lockfile import LOCK_SUFFIX
    from shardwise.course.course_file import course_around
    from shardwise.grading.results import RESULTS

    if (given / RESULTS).is_file():
        return given, []
    course = course_around(Path.cwd())
    if course is None:
        raise ShardwiseError(
            f"{given} has no {RESULTS}, which `shardwise grade` writes. Name the folder that you gave as --out; in the folder "
            "of a course, the name of a set is enough."
        )
    name = _name_in(given) if given.suffix in (".yaml", ".yml") and given.is_file() else given.name
    lock = course.assigned(name) / f"{name}{LOCK_SUFFIX}"
    return course.results(name), [lock] if lock.is_file() else []


def _name_in(path: Path) -> str:
    """Return the name that a set's file gives the set."""
    from shardwise.template.yaml_source import load_yaml

    return str(load_yaml(path).data.get("name", path.stem))


def _only_set(names: set[str], folder: Path) -> str:
    known = sorted(filter(None, names))
    if len(known) != 1:
        several = f"results of several sets: {', '.join(known)}. Choose one with --set" if known else "no results of a set"
        raise ShardwiseError(f"{folder} has {several}.")
    return known[0]


def _lock_of(name: str, given: list[Path], folder: Path, key: Path | None) -> Lock:
    """Return the lock file of a set, which has the questions and keys."""
    from shardwise.course.assigning.keys import named_key
    from shardwise.grading.intake import locks_near

    found = locks_near([folder], given, named_key(key))
    if name not in found.known:
        others = f" {' '.join(found.unused)}" if found.unused else ""
        raise ShardwiseError(f"Found no lock file of the set {name!r}, which has the questions and keys. Name it with --lock.{others}")
    return found.known[name]
