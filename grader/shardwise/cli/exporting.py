"""The commands `export`, which writes a set for Moodle or as an exam on paper, and `transcribe`, which reads answers on paper."""

from __future__ import annotations

import secrets
from enum import StrEnum
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from shardwise.bank.bank import Banks
from shardwise.cli.course_paths import set_file
from shardwise.cli.options import BankNames, banks_of, must_be_a_folder
from shardwise.cli.tables import progress_bar
from shardwise.course.assigning.keys import KEY_FILE, course_key, named_key
from shardwise.errors import ShardwiseError

if TYPE_CHECKING:
    from shardwise.course.assigning.set_file import SetDefinition

commands = typer.Typer()

_MOST_VARIANTS = 200
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


class _Format(StrEnum):
    MOODLE_XML = "moodle-xml"
    PDF = "pdf"


@commands.command(epilog="Example:  shardwise export sets/quiz.yaml --to moodle-xml --variants 20 --out quiz.xml")
def export(
    definition: Annotated[Path, typer.Argument(metavar="SET", help="The set's YAML file, or its name in a course.")],
    to: Annotated[_Format, typer.Option(help="moodle-xml for Moodle's question bank, pdf for an exam on paper.")],
    out: Annotated[Path, typer.Option(help="The XML file, or the folder for the PDFs.")],
    variants: Annotated[
        int | None,
        typer.Option(min=1, max=_MOST_VARIANTS, help="How many variants. Default: 20 for Moodle, 1 on paper."),
    ] = None,
    roster: Annotated[
        Path | None, typer.Option(help="PDF: a paper for each student of this CSV file, in place of --variants.")
    ] = None,
    seed: Annotated[
        str | None, typer.Option(help="Moodle: the seed of the variants. Keep it secret. Default: a random one.")
    ] = None,
    key: Annotated[
        Path | None,
        typer.Option(
            help="PDF: file of the course key; created if it does not exist. Default: the course's key, or else course.key in --out."
        ),
    ] = None,
    date: Annotated[str, typer.Option(help="PDF: the date on the cover. Default: a line to write it on.")] = "",
    bank: BankNames = None,
) -> None:
    """Export a set as questions for Moodle, or as an exam on paper.

    In Moodle, each problem becomes a category with its variants, and a quiz picks a random question from each. The command
    lists problems that Moodle cannot ask or marks differently. An exam has a paper with an answer sheet for each variant or
    student, the keys, and a table for the answers, which `shardwise transcribe` reads.
    """
    from shardwise.course.assigning.set_file import load_set

    banks = banks_of(bank)
    chosen = load_set(set_file(definition), banks)
    if to == _Format.PDF:
        if seed is not None:
            raise typer.BadParameter("--seed is for moodle-xml; the variants of an exam are drawn from the course key.")
        if roster and variants:
            raise typer.BadParameter("Use either --roster, for a paper per student, or --variants.")
        _export_exam(banks, chosen, out, roster=roster, variants=variants or 1, key=key, date=date)
        return
    if roster or key or date:
        raise typer.BadParameter("--roster, --key and --date are for pdf.")
    _export_quiz(banks, chosen, out, variants=variants or 20, seed=seed)


def _export_quiz(banks: Banks, chosen: SetDefinition, out: Path, *, variants: int, seed: str | None) -> None:
    from shardwise.atomic_files import write_file
    from shardwise.course.assigning.set_file import named_problems
    from shardwise.exchange.moodle_xml import draw_variants, moodle_quiz

    if out.is_dir():
        raise ShardwiseError(f"--out needs a file, such as {out / 'quiz.xml'}, but {out} is a folder.")
    used = seed or secrets.token_hex(8)
    with progress_bar("drawing", sum(1 for _ in named_problems(chosen))) as advance:
        drawn = draw_variants(banks, chosen, variants, used, progress=advance)
    quiz = moodle_quiz(chosen, drawn)
    for what, problems in (("Omitted", quiz.omitted), ("Marked differently", quiz.changed)):
        if problems:
            typer.echo("\n".join([f"{what}:", *(f"  {name}: {why}" for name, why in problems.items())]))
    for problem in drawn:
        if len(problem.variants) < variants and problem.variants[0].id not in quiz.omitted:
            typer.echo(f"{problem.variants[0].id} has only {len(problem.variants)} different variants.")
    if not quiz.carried:
        raise ShardwiseError("Moodle cannot ask any problem in this set, so nothing was written.")
    write_file(out, quiz.xml, private=True)
    typer.echo(f"{quiz.carried} of {len(drawn)} problems in {out}, which contains the answers.")
    if seed is None:
        typer.echo(f"Drawn with --seed {used}, which draws the same questions again. Keep it secret.")


def _export_exam(
    banks: Banks, chosen: SetDefinition, out: Path, *, roster: Path | None, variants: int, key: Path | None, date: str
) -> None:
    from shardwise.course.assigning.assignments import assign
    from shardwise.course.assigning.lockfile import LOCK_SUFFIX, Lock
    from shardwise.course.assigning.roster import Student, load_roster
    from shardwise.course.course_file import course_around
    from shardwise.exchange.exam_answers import TABLE
    from shardwise.exchange.exam_pdf import typesetter, write_exam

    must_be_a_folder(out)
    chosen = chosen.model_copy(update={"due": None, "sections": {}})  # nobody hands in a paper late
    if variants > len(_LETTERS):
        raise typer.BadParameter(f"An exam has at most {len(_LETTERS)} variants, A to Z. Use --roster for more.")
    typesetter()
    students = load_roster(roster) if roster else [Student(letter, letter) for letter in _LETTERS[:variants]]
    course = course_around(Path.cwd())
    place = key or (course.key if course else out / KEY_FILE)
    secret, fresh = course_key(place)
    if fresh:
        typer.echo(f"Created a course key: {place}. Keep it secret and back it up.")
    earlier = out / f"{chosen.name}{LOCK_SUFFIX}"
    if earlier.exists() and ({*Lock(earlier, secret).students()} <= {*_LETTERS}) != (roster is None):
        which = "with" if roster is None else "without"
        raise ShardwiseError(f"{out} already contains this exam {which} students' names. Use another --out.")
    done = assign(banks, chosen, students, secret, out, notebooks=False)
    lock = Lock(done.lock, secret)
    with progress_bar("typesetting", len(lock.places) + 1) as advance:
        kept = write_exam(lock, out, date=date, is_for_anybody=roster is None, progress=advance)
    count = len(lock.places)
    typer.echo(f"{count} paper{'s' * (count != 1)} in {out / 'papers'}, and their keys in {out / 'keys.pdf'}")
    typer.echo(
        f"Kept {out / TABLE}, which exists already."
        if kept
        else f"Type the answers into {out / TABLE}, then run: shardwise transcribe {_quoted(out / TABLE)} --out {_quoted(out / 'typed')}"
    )
    typer.echo(f"{done.lock} contains every question and answer key. Do not share it with students.")


@commands.command(epilog="Example:  shardwise transcribe exam/answers.csv --out exam/typed")
def transcribe(
    answers: Annotated[Path, typer.Argument(metavar="TABLE", help="The table answers.csv of an exam, filled in.")],
    out: Annotated[Path, typer.Option(help="Folder for the notebooks and their lock file.")],
    lock: Annotated[Path | None, typer.Option(help="The exam's lock file. Default: the one next to the table.")] = None,
    key: Annotated[
        Path | None, typer.Option(help="File of the course key. Default: the one that drew the exam.")
    ] = None,
) -> None:
    """Turn the answers of an exam on paper into notebooks for `grade`.

    The table has a line per student and a column per question. Type answers as they are on paper, with their units:
    "1.75 GB", "b", "1a 2c 3b", or a whole function.
    """
    from shardwise.course.assigning.lockfile import LOCK_SUFFIX, Lock
    from shardwise.exchange.exam_answers import transcribe as run

    must_be_a_folder(out)
    locks = [lock] if lock else sorted(answers.parent.glob(f"*{LOCK_SUFFIX}"))
    if len(locks) != 1:
        if not answers.is_file():
            raise ShardwiseError(
                f"{answers} is not a file. Name the table answers.csv that `shardwise export --to pdf` wrote."
            )
        raise ShardwiseError(f"Found {len(locks)} lock files next to {answers}. Name the exam's with --lock.")
    if out.resolve() == locks[0].parent.resolve():
        raise ShardwiseError(
            f"--out {out} contains the exam's own lock file. Name another folder, such as {out / 'typed'}."
        )
    done = run(Lock(locks[0], named_key(key)), answers, out)
    typer.echo(f"{done.students} notebook{'s' * (done.students != 1)} in {done.submitted}")
    if done.blank:
        typer.echo(f"Without an answer: {', '.join(done.blank[:10])}{' …' if len(done.blank) > 10 else ''}")
    if not done.students:
        typer.echo(f"{answers} has no answers yet. Type them in, save the table as CSV, and run this again.")
        return
    typer.echo(
        f"To mark them, run: shardwise grade {_quoted(done.submitted)} --lock {_quoted(done.lock)} --out {_quoted(out / 'results')}"
    )


def _quoted(path: Path) -> str:
    return quote(str(path))
