"""The commands that report how a class did on a set, or predict it: report and simulate."""

from __future__ import annotations

import json
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shardwise.cli.course_paths import results_to_read, set_file
from shardwise.cli.options import BankNames, Json, banks_of, must_be_a_folder
from shardwise.cli.tables import print_columns, progress_bar
from shardwise.errors import ShardwiseError

if TYPE_CHECKING:
    from shardwise.analysis.simulation import Rates, Slot
    from shardwise.bank.bank import Banks
    from shardwise.course.assigning.lockfile import Lock
    from shardwise.course.assigning.set_file import SetDefinition
    from shardwise.course.course_file import Course

commands = typer.Typer()


@commands.command(epilog="Example:  shardwise report results/")
def report(
    results: Annotated[
        Path,
        typer.Argument(
            metavar="RESULTS|SET", help="Folder with the results of a set; in a course, the set's name or file."
        ),
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
    out: Annotated[
        Path | None, typer.Option(help="Folder for the report. Default: the folder with the results.")
    ] = None,
) -> None:
    """Report which items of a set work.

    The page report.html shows the scores, the facility and discrimination of every item, frequent mistakes, unlisted wrong
    answers, whether all draws were equally hard, the reliability of the set, and answers that match another student's key.
    The same numbers are in report.csv and report.json. These files name students and are for instructors only.
    """
    from shardwise.analysis.report import report_of
    from shardwise.analysis.report_files import PAGE, write_report
    from shardwise.analysis.responses import responses_of
    from shardwise.grading.results import read_results

    (folder,), course = results_to_read([str(results)])
    if out:
        must_be_a_folder(out)
    found = read_results(folder)
    name = _chosen_set(set_name, {result.set for result in found}, folder)
    opened = _lock_of(name, [lock] if lock else [], folder, course, key)
    responses = responses_of(found, opened)
    made = report_of(responses, set_name=name, title=str(opened.header.get("title") or name))
    written = write_report(made, out or folder)
    counts, flags = made["students"], sum(len(item["flags"]) for item in made["items"])
    typer.echo(
        f"{counts['graded']} graded, {counts['missing']} missing, {counts['ungraded'] + counts['incomplete']} not graded, "
        f"{counts['excused']} excused; {len(made['items'])} item{'s' * (len(made['items']) != 1)}, {flags} thing{'s' * (flags != 1)} to look at"
    )
    if counts["graded"] < made["enough"]:
        typer.echo(f"With fewer than {made['enough']} students, discrimination and reliability are mostly noise.")
    typer.echo(
        f"Wrote {', '.join(path.name for path in written)} in {quote(str(out or folder))}. Open {quote(str((out or folder) / PAGE))}."
    )


@commands.command("simulate", epilog="Example:  shardwise simulate sets/week-1.yaml --students 500")
def simulate_set(
    definition: Annotated[Path, typer.Argument(metavar="SET", help="The set's YAML file; in a course, its name.")],
    students: Annotated[int, typer.Option(min=2, max=100_000, help="Size of the class.")] = 300,
    roster: Annotated[Path | None, typer.Option(help="Roster; the class has as many students as it lists.")] = None,
    ability_sd: Annotated[
        float,
        typer.Option(
            min=0, max=10, help="How much students differ: the standard deviation of their abilities, in logits."
        ),
    ] = 1.0,
    rates: Annotated[
        Path | None,
        typer.Option(
            help="report.json of an earlier class with the rates of right answers and mistakes to use. Default: usual rates."
        ),
    ] = None,
    draws: Annotated[int, typer.Option(min=1, max=1000, help="Number of draws of each problem.")] = 40,
    seed: Annotated[int, typer.Option(min=0, help="The seed of the simulated students.")] = 0,
    out: Annotated[
        Path | None, typer.Option(help="Folder for the full report: report.html, report.csv and report.json.")
    ] = None,
    as_json: Json = False,
    bank: BankNames = None,
) -> None:
    """Predict how a class will do on a set.

    Simulated students of different ability give right answers, recognised mistakes and other answers to real draws of each
    problem, and their answers are marked. This predicts the spread of scores, facility, discrimination and reliability, and
    finds mistakes that earn points or that marking does not distinguish from others.
    """
    from shardwise.analysis.report import report_of
    from shardwise.analysis.report_files import PAGE, write_report
    from shardwise.analysis.simulation import findings_in, marked_draws, simulated_responses
    from shardwise.course.assigning.roster import load_roster
    from shardwise.course.assigning.set_file import load_set

    if out:
        must_be_a_folder(out)
    banks = banks_of(bank)
    made = load_set(set_file(definition), banks)
    known = _rates(rates)
    count = len(load_roster(roster)) if roster else students
    slots = _slots(made, banks)
    names = [name for slot in slots for name in slot.problems]
    with progress_bar("drawing", len(names)) as advance:
        drawn = marked_draws(banks, names, draws, advance)
    found = simulated_responses(slots, drawn, known, students=count, ability_sd=ability_sd, seed=seed)
    if missing := [name for name in names if rates and name.rpartition("/")[2] not in known]:
        typer.echo(f"{rates} does not contain {', '.join(missing)}. Using the usual rates for them.", err=True)
    how = {
        "ability_sd": ability_sd, "draws": draws, "rates": f"the rates in {rates.name}" if rates else "usual rates of mistakes",
        "findings": findings_in(drawn),
    }  # fmt: skip
    report = report_of(found, set_name=made.name, title=made.title, simulated=how)
    if as_json:
        typer.echo(json.dumps(report, ensure_ascii=False, indent=2))
    else:
        _print_prediction(report)
    if out:
        write_report(report, out)
        typer.echo(f"Wrote {quote(str(out / PAGE))}.", err=as_json)


def _print_prediction(report: Any) -> None:
    """Print the report on a simulated class."""
    from shardwise.markdown.plain import to_plain

    rows = [
        (item["item"], f"{item['points']:g}", f"{100 * item['facility']:.0f} %", "–" if item["discrimination"] is None else f"{item['discrimination']:.2f}")
        for item in report["items"]
    ]  # fmt: skip
    print_columns(("item", "points", "facility", "discrimination"), rows, right=(1, 2, 3))
    scores, reliability = report["scores"], report["reliability"]
    if scores["n"]:
        typer.echo(
            f"{scores['n']} simulated students: mean score {100 * scores['mean']:.0f} %, standard deviation {100 * (scores['sd'] or 0):.0f} %, "
            f"from {100 * scores['lowest']:.0f} to {100 * scores['highest']:.0f} %"
        )
    if reliability["alpha"] is None:
        typer.echo(f"Reliability cannot be computed. {reliability['why']}")
    else:
        typer.echo(
            f"Reliability (Cronbach's alpha) {reliability['alpha']:.2f}; standard error of measurement {reliability['error']:.1f} of "
            f"{reliability['points']:g} points"
        )
    for each in report["simulated"]["findings"]:
        typer.echo(
            f"{each['item']}: in {each['draws']} of {each['of']} draws, a mistake {each['what']}: {to_plain(each['mistake'])}"
        )


def _slots(made: SetDefinition, banks: Banks) -> list[Slot]:
    """Return the slots of a set with the ids of their problems."""
    from shardwise.analysis.simulation import Slot
    from shardwise.course.assigning.set_file import Pool

    return [
        Slot(tuple(banks.find(name).id for name in entry.pool), entry.choose, entry.points)
        if isinstance(entry, Pool)
        else Slot((banks.find(entry.id).id,), points=entry.points)
        for entry in made.problems
    ]


def _rates(path: Path | None) -> dict[str, Rates]:
    """Return the rates in a report.json; none if no file is given."""
    from shardwise.analysis.simulation import rates_in

    if path is None:
        return {}
    try:
        return rates_in(json.loads(path.read_text("utf-8")))
    except (ValueError, TypeError, LookupError):
        raise ShardwiseError(
            f"{path} was not written by `shardwise report`. Name the report.json of an earlier class."
        ) from None


def _chosen_set(name: str | None, names: set[str], folder: Path) -> str:
    """Return the named set, or the only one. Raises ShardwiseError if it has no results, or if there are several."""
    known = sorted(filter(None, names))
    if not known:
        raise ShardwiseError(f"Cannot find results of a set in {folder}.")
    if name is not None and name not in known:
        raise ShardwiseError(
            f"Cannot find results of the set {name!r} in {folder}. Sets with results: {', '.join(known)}."
        )
    if name is None and len(known) > 1:
        raise ShardwiseError(f"{folder} has results of several sets: {', '.join(known)}. Choose one with --set.")
    return name or known[0]


def _lock_of(name: str, given: list[Path], folder: Path, course: Course | None, key: Path | None) -> Lock:
    """Return the lock file of a set. Raises ShardwiseError if none is found."""
    from shardwise.course.assigning.keys import named_key
    from shardwise.grading.intake import locks_near

    if course and not given and course.lock(name).is_file():
        given, key = [course.lock(name)], key or (course.key if course.key.is_file() else None)
    found = locks_near([folder], given, named_key(key))
    if name not in found.known:
        others = f" {' '.join(found.unused)}" if found.unused else ""
        raise ShardwiseError(
            f"Cannot find the lock file of the set {name!r}, which contains the questions and keys. Name it with --lock.{others}"
        )
    return found.known[name]
