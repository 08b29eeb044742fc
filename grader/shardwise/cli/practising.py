"""The commands for students: `practice` asks what is due, `progress` shows, exports or deletes the record."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from shardwise.atomic_files import write_file
from shardwise.bank.bank import Banks
from shardwise.bank.discovery import name_of
from shardwise.cli.interrupts import say_when_stopped, stoppable
from shardwise.cli.options import BankNames, ChapterName, Json, banks_of
from shardwise.cli.tables import print_columns
from shardwise.errors import ShardwiseError
from shardwise.student.progress.clock import now
from shardwise.student.progress.file import ProgressFile, usual_path
from shardwise.text_files import read_bounded

if TYPE_CHECKING:
    from shardwise.student.progress.chapters import ProblemRow, Progress

commands = typer.Typer()
_LARGEST = 100_000_000  # bytes of an exported record; a thousand answers have 300,000


@commands.command(epilog="Example:  shardwise practice --daily")
def practice(
    daily: Annotated[
        bool,
        typer.Option(
            "--daily", help="Practise five problems across chapters: those that are due first, then new ones."
        ),
    ] = False,
    more: Annotated[bool, typer.Option("--more", help="With --daily: five more after today's five.")] = False,
    chapter: ChapterName = None,
    bank: BankNames = None,
) -> None:
    """Practise up to five problems that are due today.

    They come with new numbers. With --chapter, practise that chapter: problems that are due first, then those not solved yet.
    Every answer is saved at once, so you can stop at any time.
    """
    from shardwise.student.drill import Drill
    from shardwise.student.progress.chapters import streak
    from shardwise.student.session import Session

    if more and not daily:
        raise ShardwiseError("--more adds five problems to today's five. Use it with --daily.")
    if daily and chapter is not None:
        raise ShardwiseError("--daily covers all chapters and --chapter only one. Use one of them.")
    say_when_stopped("Your answers are saved.")
    banks = banks_of(bank)
    session = Session.of(banks)
    chapter = None if chapter is None else banks.find_chapter(chapter)
    before = _progress(banks, chapter, session.journal.events())
    rows = _asked(before, chapter, daily=daily, more=more)
    if not rows:
        typer.echo(_today_is_done(before) if daily else _nothing(before, chapter))
        return
    done = f", after the {before.done_today} you did today" if daily and before.done_today and not more else ""
    typer.echo(f"{len(rows)} problem{'s' * (len(rows) != 1)}{done}\n")
    drill = Drill(session, input, typer.echo, stoppable, pauses=sys.stdin.isatty())
    drill.run(rows)
    events = session.journal.events()
    after = _progress(banks, chapter, events)
    right = f"{drill.right} of {drill.asked} right." if drill.asked else ""
    still = _due(after) or ("Nothing more is due." if before.due else "")
    if right or still:
        typer.echo(f"{right} {still}".strip())
    if daily and not more and not after.daily():
        days = streak(events, now())
        typer.echo(f"Today's five are done.{f' {days} days in a row.' if days > 1 else ''}")
    if trouble := session.journal.trouble():
        typer.echo(trouble, err=True)


def _asked(found: Progress, chapter: str | None, *, daily: bool, more: bool) -> list[ProblemRow]:
    """Return the problems to ask, in this order."""
    if daily:
        return found.daily(more=more)
    if chapter is None:
        return found.due_today
    return found.chapters[0].left


def _due(found: Progress) -> str:
    """Return how many problems are still due, today and later; empty if none is."""
    today, later = len(found.due_today), found.waiting
    waits = f"{later} more wait{'s' * (later == 1)} for the next days." if later else ""
    return f"{today} due today. {waits}".strip() if today else waits


def _today_is_done(found: Progress) -> str:
    """Return the message when today's five, or all problems, are done."""
    if not found.daily(more=True):
        return "There are no more problems for today."
    return "\n".join(
        filter(None, ("Today's five are done.", _due(found), "Five more:  shardwise practice --daily --more"))
    )


def _nothing(found: Progress, chapter: str | None) -> str:
    """Return the message when no problem is due."""
    days = [row.record.due for each in found.chapters for row in each.rows if row.record.due]
    following = _due(found) or (
        f"Nothing is due today. The next problem is due on {min(days).astimezone():%d %B %Y}."
        if days
        else "Nothing is due."
    )
    if chapter:
        return f"{following} Every problem of {chapter} is solved."
    return f"{following}\nFive for today:  shardwise practice --daily\nA chapter:       shardwise practice --chapter {quote(found.chapters[0].name)}"


@commands.command(epilog="Example:  shardwise progress --export progress.json")
def progress(
    as_json: Json = False,
    export: Annotated[
        Path | None,
        typer.Option("--export", metavar="FILE", help="Write the whole record as JSON; - for standard output."),
    ] = None,
    added: Annotated[
        Path | None,
        typer.Option(
            "--import", metavar="FILE", help="Add a record that was exported elsewhere; - for standard input."
        ),
    ] = None,
    forget: Annotated[
        bool, typer.Option("--forget", help="Delete the record of one problem or of all, after asking.")
    ] = False,
    problem: Annotated[str | None, typer.Option(help="With --forget: the problem to delete.")] = None,
    everything: Annotated[bool, typer.Option("--all", help="With --forget: delete the whole record.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="With --forget: do not ask.")] = False,
    bank: BankNames = None,
) -> None:
    """Show your progress and what is due.

    For each chapter, it lists the problems that you solved and mastered, your points, and the problems that are due. The record
    is saved only on this computer.
    """

    if not forget and (problem or everything or yes):
        raise ShardwiseError("--problem, --all and --yes work only with --forget.")
    path = usual_path()
    if path is None:
        raise ShardwiseError("There is no record of your progress: SHARDWISE_PROGRESS is off.")
    kept = ProgressFile(path)
    if forget:
        _forget(kept, problem, everything=everything, yes=yes, bank=bank)
    elif added:
        _import(kept, added, banks_of(bank))
    elif export:
        _export(kept, export)
    else:
        _show(banks_of(bank), kept, as_json=as_json)


@commands.command(epilog="Example:  shardwise clear notebooks/01-first-chapter.ipynb")
def clear(
    notebooks: Annotated[list[Path], typer.Argument(metavar="NOTEBOOK...", help="The notebooks to clear.")],
    bank: BankNames = None,
) -> None:
    """Remove your answers from practice notebooks, so that you can hand them on.

    Drafts in forms, typed answers and outputs are removed. Cells that you added keep their text.
    """
    from shardwise.course.assigning.clearing import clear_notebook

    banks = banks_of(bank)
    for path in notebooks:
        typer.echo(f"{path}: {clear_notebook(banks, path)}")


def _progress(banks: Banks, chapter: str | None, events: Any) -> Progress:
    """Return the progress in all chapters, or in the one of that name."""
    from shardwise.student.progress.chapters import progress_of

    return progress_of(banks, events, now(), only=chapter)


def _show(banks: Banks, kept: ProgressFile, *, as_json: bool) -> None:
    from shardwise.markdown.escaping import safe
    from shardwise.markdown.terminal import columns, to_terminal

    found = _progress(banks, None, kept.events())
    if as_json:
        typer.echo(json.dumps(_document(found), ensure_ascii=False, indent=2))
        return
    rows = [
        (
            each.name,
            f"{each.solved} of {len(each.rows)}",
            f"{each.points:g} of {each.most:g}",
            str(each.mastered),
            str(len(each.due)),
        )
        for each in found.chapters
    ]
    head = ("chapter", "solved", "points", "mastered", "due")
    others = sum(2 + max(map(len, column)) for column in list(zip(head, *rows, strict=True))[1:])
    print_columns(head, [(_cut(name, columns() - others), *rest) for name, *rest in rows])
    for name, count in found.strangers.items():
        typer.echo(
            f"{safe(name)}: {count} event{'s' * (count != 1)} for a problem that this bank no longer has; still on record.",
            err=True,
        )
    if due := _due(found):
        typer.echo(due)
    typer.secho(to_terminal("Mastered: three different variants solved without a hint."), dim=True)
    typer.secho(f"Saved in {kept.path} and nowhere else.", dim=True)


def _cut(name: str, width: int) -> str:
    """Shorten a chapter's name to this width; the number at its beginning remains."""
    return name if len(name) <= width else f"{name[: width - 1]}…"


def _document(found: Progress) -> list[dict[str, Any]]:
    """Return the progress as JSON data: a list of chapters with their problems."""
    return [
        {
            "chapter": each.name, "title": each.title,
            "solved": each.solved, "problems": len(each.rows), "points": each.points, "most": each.most,
            "mastered": each.mastered, "due": len(each.due),
            "rows": [
                {
                    "problem": row.problem.id, "points": row.record.points, "most": row.most,
                    "solved": row.record.is_solved, "unaided": len(row.record.unaided), "mastered": row.record.is_mastered,
                    "due": row.record.due.isoformat() if row.record.due else None,
                }
                for row in each.rows
            ],
        }
        for each in found.chapters
    ]  # fmt: skip


def _export(kept: ProgressFile, out: Path) -> None:
    """Write the whole record."""

    text = json.dumps(kept.exported(), ensure_ascii=False, indent=1) + "\n"
    if str(out) == "-":
        typer.echo(text, nl=False)
    else:
        write_file(out, text.encode(), private=True)
        typer.echo(f"Wrote {out}")


def _import(kept: ProgressFile, source: Path, banks: Banks) -> None:
    """Add a record that another computer or browser exported."""
    try:
        raw = sys.stdin.buffer.read(_LARGEST + 1) if str(source) == "-" else read_bounded(source, _LARGEST)
        document = json.loads(raw)
    except OSError as error:
        raise ShardwiseError(f"Cannot read {source}: {error.strerror or error}.") from None
    except (ValueError, RecursionError):
        raise ShardwiseError(f"{source} is not JSON. `shardwise progress --export FILE` writes a record.") from None
    count = kept.add_exported(document, [name_of(bank.folder) for bank in banks.all])
    typer.echo(f"Added {count} event{'s' * (count != 1)} to {kept.path}.")


def _forget(kept: ProgressFile, problem: str | None, *, everything: bool, yes: bool, bank: list[str] | None) -> None:
    """Delete the record of a problem, or all of it, after asking."""
    if bool(problem) == everything:
        raise ShardwiseError("--forget needs --problem NAME or --all.")
    events = kept.events()
    if problem is not None:
        known = {event.variant.problem for event in events}
        found = [name for name in known if problem in (name, name.rpartition("/")[2])]
        problem = found[0] if len(found) == 1 else banks_of(bank).find(problem).id
    count = sum(1 for event in events if problem in (None, event.variant.problem))
    what = "the whole record" if problem is None else f"the record of {problem}"
    if not yes and not typer.confirm(
        f"Delete {what} ({count} event{'s' * (count != 1)}) in {kept.path}? You cannot undo this."
    ):
        raise ShardwiseError("Nothing was deleted.")
    kept.forget(problem)
    typer.echo(f"Deleted {what}.")
