"""The commands of a course: assign, grade, regrade, history, and doctor for the machine that grades."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from shardwise.cli.options import BankNames, Json, banks_of
from shardwise.cli.tables import print_changes, print_grades, print_history, print_tiers, progress
from shardwise.errors import Faulty, ShardwiseError

commands = typer.Typer()

Paths = Annotated[list[Path], typer.Argument(help="Notebooks, folders of them, or zip archives.")]
Locks = Annotated[
    list[Path] | None, typer.Option(help="Lock file of the set; looked for above the notebooks when left out.")
]
Workers = Annotated[int | None, typer.Option(min=1, help="Processes; one a core when left out.")]


@commands.command(epilog="Example:  shardwise assign sets/week1.yaml --roster roster.csv --out course/week1")
def assign(
    definition: Annotated[Path, typer.Argument(metavar="SET", help="The set's YAML file.")],
    roster: Annotated[Path, typer.Option(help="CSV with the columns student and name.")],
    out: Annotated[Path, typer.Option(help="The folder for the notebooks and the lock file.")],
    key: Annotated[Path, typer.Option(help="The course key; made when it is not there. Keep it secret.")] = Path(
        "course.key"
    ),
    bank: BankNames = None,
) -> None:
    """Draw a set for every student: a notebook each, and a lock file that keeps every draw."""
    from shardwise.course.assignments import assign as run
    from shardwise.course.assignments import course_key, load_roster, load_set

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
    secret, fresh = course_key(key)
    if fresh:
        typer.echo(f"Made a course key: {key}. Keep it secret and keep it; without it nobody can be added later.")
    with progress("drawing", len(made["roster"])) as advance:
        done = run(banks, made["set"], made["roster"], secret, out, progress=advance)
    kept = f" ({done.kept} were drawn before and stay as they were)" if done.kept else ""
    typer.echo(f"{done.notebooks} notebooks in {out / 'notebooks'}{kept}")
    typer.echo(f"{done.lock} holds every draw and every key: do not hand it out.")


@commands.command(epilog="Example:  shardwise grade submitted/ --out results/ --junit results/junit.xml")
def grade(
    paths: Paths,
    out: Annotated[Path, typer.Option(help="The folder for grades.csv, results.jsonl and feedback/.")],
    lock: Locks = None,
    junit: Annotated[Path | None, typer.Option(help="Write JUnit XML here.")] = None,
    gradescope: Annotated[
        Path | None, typer.Option(help="Write Gradescope's results.json here (one notebook).")
    ] = None,
    workers: Workers = None,
    tier: Annotated[
        str | None, typer.Option(help="Take this tier of the sandbox (1, 1b or 2), not the strongest.")
    ] = None,
    scheduler: Annotated[
        str | None, typer.Option(help="Grade on the workers of this Dask scheduler: tcp://...")
    ] = None,
    slurm: Annotated[
        bool, typer.Option("--slurm", help="Grade on --workers Slurm jobs, as Dask is configured.")
    ] = False,
    kubernetes: Annotated[
        bool, typer.Option("--kubernetes", help="Grade on --workers pods, as Dask is configured.")
    ] = False,
    solutions: Annotated[bool, typer.Option("--solutions", help="Put worked solutions on the feedback pages.")] = False,
    unsafe: Annotated[
        bool,
        typer.Option("--unsafe-no-sandbox", help="Run student code with the rights you have. Only for your own code."),
    ] = False,
) -> None:
    """Grade notebooks in the sandbox. Run it again after any end: what is done is not done again.

    Exit code 0: all graded; 1: something could not be; 2: usage.
    """
    from contextlib import ExitStack

    from shardwise.grading import executors, sandboxes

    _must_exist(paths)
    place = _place(scheduler, slurm, kubernetes)
    if place is None:  # what runs the notebooks starts while we load what reads and marks them
        if workers == 1 or [path.suffix for path in paths] == [".ipynb"]:
            sandboxes.begin(unsafe=unsafe, tier=tier)
        else:
            executors.warm_up()

    from shardwise.atomic_files import alone_in, write
    from shardwise.grading import reports
    from shardwise.grading.batch import grade as run
    from shardwise.grading.worker import Settings

    if unsafe:
        typer.echo(
            "NO SANDBOX: the notebooks' code runs with your rights. It can read your files, your keys and the answers, use "
            "your network, and forge its own grade. Do this with your own code only.",
            err=True,
        )
    settings = Settings(unsafe=unsafe, tier=tier, solutions=solutions)
    with alone_in(out), _kept(out), ExitStack() as stack:
        executor, width = stack.enter_context(_where(place, settings, workers))
        batch = run(
            paths, out, locks=lock or (), settings=settings, workers=width, executor=executor,
            progress=stack.enter_context(progress("grading", None)),
        )  # fmt: skip
        reports.write(batch)
    if junit:
        reports.write_junit((one.graded for one in batch.rows()), junit)
    if gradescope:
        handed_in = [one.graded for one in batch.rows() if one.status != "missing"]
        if len(handed_in) != 1:
            raise ShardwiseError(f"--gradescope reports one notebook, and here are {len(handed_in)}.")
        write(gradescope, json.dumps(reports.gradescope(handed_in[0]), ensure_ascii=False, indent=2).encode())
    counts = print_grades(batch)
    raise typer.Exit(1 if counts["ungraded"] or counts["incomplete"] else 0)


@commands.command(epilog="Example:  shardwise regrade submitted/ --out results/")
def regrade(
    paths: Paths,
    out: Annotated[Path, typer.Option(help="The folder with the results that count.")],
    lock: Locks = None,
    workers: Workers = None,
    yes: Annotated[bool, typer.Option("--yes", help="Write without asking.")] = False,
    bank: BankNames = None,
) -> None:
    """Grade again by today's templates: show which points would change and why, and write when you say so."""
    import os

    from shardwise.atomic_files import alone_in
    from shardwise.grading.ledger import LEDGER
    from shardwise.grading.regrade import regrade as run

    _must_exist(paths)
    if not (out / LEDGER).is_file():
        raise ShardwiseError(f"{out} holds no results yet. Grade first:  shardwise grade ... --out {out}")
    with alone_in(out), _kept(out):
        with progress("grading again", None) as advance:
            again = run(
                paths, out, banks_of(bank), locks=lock or (), workers=workers or os.cpu_count() or 1,
                progress=advance,
            )  # fmt: skip
        count = print_changes(again)
        if not count:
            again.write()  # the same points by newer templates: nothing to decide
            typer.echo("No points change.")
        elif yes or _agreed(f"{count} answer{'s' if count > 1 else ''} would change. Write?"):
            again.write()
            typer.echo(f"Written: {out / 'grades.csv'}. What counted before stays on record:  shardwise history {out}")
        else:
            again.discard()
            typer.echo("Nothing was written.")


def _must_exist(paths: list[Path]) -> None:
    """Say which paths do not, before a folder is made for their results."""
    missing = [str(path) for path in paths if not path.exists()]
    if missing:
        raise ShardwiseError(f"{', '.join(missing)} {'does' if len(missing) == 1 else 'do'} not exist.")


def _agreed(question: str) -> bool:
    """A yes; a script that cannot be asked has to say --yes."""
    return sys.stdin.isatty() and typer.confirm(question)


@commands.command(epilog="Example:  shardwise history results/ --student ada")
def history(
    out: Annotated[Path, typer.Argument(help="The folder with the results.")],
    student: Annotated[str | None, typer.Option(help="Only this student.")] = None,
    as_json: Json = False,
) -> None:
    """Show every grading there was: when, by whom, by which engine and sandbox, and why there was another."""
    from shardwise.grading.ledger import LEDGER, Ledger
    from shardwise.grading.regrade import cause_of

    if not (out / LEDGER).is_file():
        raise ShardwiseError(f"{out} holds no results yet.")
    with Ledger(out / LEDGER) as ledger:
        entries = list(ledger.history(student))
    if not entries:
        raise ShardwiseError(f"Nothing of {student!r} was graded into {out}." if student else f"{out} is empty.")
    if as_json:
        for one in entries:
            about = {"at": one.at, "who": one.who, "engine": one.engine, "notebook": one.notebook, "key": one.key}
            typer.echo(json.dumps({**about, "result": one.graded.document()}, ensure_ascii=False))
        return
    print_history(entries, cause_of)


def _place(scheduler: str | None, slurm: bool, kubernetes: bool) -> str | None:
    """The cluster that was asked for."""
    asked = {scheduler: bool(scheduler), "slurm": slurm, "kubernetes": kubernetes}
    places = [place for place, wanted in asked.items() if wanted]
    if len(places) > 1:
        raise ShardwiseError("Grade in one place: --scheduler, --slurm or --kubernetes.")
    return places[0] if places else None


@contextmanager
def _where(place: str | None, settings: Any, workers: int | None) -> Iterator[tuple[Any, int]]:
    """What a batch runs on, and how wide that is: a cluster, or this machine."""
    import os

    if place is None:
        yield None, workers or os.cpu_count() or 1
        return
    from shardwise.grading.cluster import cluster

    with cluster(place, settings, lambda text: typer.echo(text, err=True), workers) as found:
        yield found


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
        typer.echo(json.dumps([asdict(one) for one in verdicts], indent=2))
    else:
        print_tiers(verdicts)
    raise typer.Exit(0 if any(one.passed for one in verdicts) else 1)


@contextmanager
def _kept(out: Path) -> Iterator[None]:
    """Whoever interrupts a batch is told that nothing is lost."""
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(f"Stopped. What was graded is kept in {out}; the same command goes on from there.", err=True)
        raise typer.Exit(130) from None
