"""The command line: every command loads only what it needs, and says every fault without a traceback."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from shardwise import __version__
from shardwise.cli import course as courses
from shardwise.cli.options import Json, Root, Seed, bank_at
from shardwise.cli.tables import (
    console,
    print_question,
    print_reports,
    progress,
)
from shardwise.errors import Faulty, ShardwiseError

app = typer.Typer(
    help="Practice problems for people who train large models on many GPUs: drawn, checked, assigned and graded.",
    no_args_is_help=True,
    rich_markup_mode=None,  # rich would take longer to load than all commands but grade take to run
    pretty_exceptions_enable=False,
    add_completion=False,
)

app.add_typer(courses.commands)


@app.command("list", epilog="Example:  shardwise list --chapter 01-ring-all-reduce --json")
def list_problems(
    chapter: Annotated[str | None, typer.Option(help="Only this chapter.")] = None,
    kind: Annotated[str | None, typer.Option(help="Only this kind.")] = None,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """List the problems of the bank."""
    rows = [
        {
            "id": one.id,
            "kind": one.template.kind,
            "chapter": one.id.partition("/")[0],
            "title": one.template.title,
            "points": one.template.points,
            "difficulty": one.template.difficulty,
            "tags": list(one.template.tags),
            "covers": list(one.template.covers),
            "source": one.template.source,
            "digest": one.digest,
        }
        for one in bank_at(root).problems.values()
        if chapter in (None, one.id.partition("/")[0]) and kind in (None, one.template.kind)
    ]
    if not rows:
        raise ShardwiseError("No problem is of that chapter and kind. `shardwise list` shows them all.")
    if as_json:
        typer.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    from rich.table import Table

    table = Table("problem", "kind", "points", "difficulty", "title", box=None, header_style="bold")
    for row in rows:
        table.add_row(row["id"], row["kind"], f"{row['points']:g}", row["difficulty"], row["title"])
    console().print(table)
    console().print(f"{len(rows)} problems", style="dim")


@app.command(epilog="Example:  shardwise show bytes-per-gpu --seed 7")
def show(problem: str, seed: Seed = "0", as_json: Json = False, root: Root = None) -> None:
    """Show a question as drawn for a seed, with key, mistakes, hints and solution."""
    from shardwise.bank.bank import pose

    question = pose(bank_at(root).find(problem), seed)
    if as_json:
        key = question.key.model_dump(mode="json")
        document = {
            **question.model_dump(mode="json", exclude={"key"}),
            "key": key,
            "mistakes": key.get("mistakes", key.get("say", [])),
        }
        typer.echo(json.dumps(document, ensure_ascii=False, indent=2))
        return
    print_question(question)


@app.command(epilog='Example:  shardwise check bytes-per-gpu --seed 7 "1.75 GB"')
def check(problem: str, answer: str, seed: Seed = "0", as_json: Json = False, root: Root = None) -> None:
    """Mark one answer. For a code problem the answer is a file with the function."""
    from shardwise.bank.bank import pose
    from shardwise.markdown.feedback import as_plain
    from shardwise.marking import check as mark
    from shardwise.question import Outcome

    question = pose(bank_at(root).find(problem), seed)
    raw: str = answer
    if question.kind == "code":
        path = Path(answer)
        if not path.is_file():
            raise ShardwiseError(f"A code problem is checked from a file with the function, and {answer!r} is no file.")
        try:
            raw = path.read_text("utf-8")
        except UnicodeDecodeError:
            raise ShardwiseError(f"{answer} is not UTF-8 text, so it is no Python file.") from None
    if question.kind in ("code", "bugline"):
        from shardwise.grading.sandboxes import runner

        with runner() as run:
            feedback = mark(question, raw, runner=run)
    else:
        feedback = mark(question, raw)
    typer.echo(feedback.model_dump_json(indent=2) if as_json else as_plain(feedback))
    raise typer.Exit(0 if feedback.outcome == Outcome.CORRECT else 1)


@app.command(epilog="Example:  shardwise lint problems/01-ring-all-reduce --seeds 1000")
def lint(
    paths: Annotated[
        list[str] | None, typer.Argument(help="Chapters or problems; the whole bank when left out.")
    ] = None,
    seeds: Annotated[int, typer.Option(min=1, help="How many draws of each problem.")] = 200,
    workers: Annotated[int | None, typer.Option(min=1, help="Processes; one a core when left out.")] = None,
    root: Root = None,
) -> None:
    """Prove the bank sound: every key against its oracle, every mistake apart, every text rendered."""
    from shardwise.bank.lint import faults_of
    from shardwise.bank.lint import lint as run

    only = [one for one in map(_id_of, paths or []) if one]
    with progress("proving", None) as advance:
        reports = run(root, seeds=seeds, only=only, workers=workers, progress=advance)
    print_reports(reports)
    faults = faults_of(reports)
    for fault in faults:
        typer.echo(str(fault), err=True)
    proved = sum(1 for one in reports if one.kind)
    typer.echo(
        f"{proved} problem{'s' if proved != 1 else ''}, {seeds} draws each: "
        + (f"{len(faults)} faults" if faults else "all sound")
    )
    raise typer.Exit(1 if faults else 0)


def _id_of(path: str) -> str:
    """The id that a path in the bank stands for; nothing for the bank itself."""
    parts = path.replace("\\", "/").removesuffix(".yaml").split("/")
    if "problems" in parts:
        parts = parts[parts.index("problems") + 1 :]
    return "/".join(part for part in parts if part not in ("", "."))


@app.command(epilog="Example:  shardwise schema > problem.schema.json")
def schema(
    of: Annotated[str, typer.Argument(help="problem, chapter or set")] = "problem",
) -> None:
    """Print the JSON Schema of a file that authors write, so that an editor completes it."""
    from pydantic import TypeAdapter

    from shardwise.bank.bank import Chapter, template_model

    if of == "set":
        from shardwise.course.assignments import SetDefinition

        model: Any = SetDefinition
    elif of in ("problem", "chapter"):
        model = template_model() if of == "problem" else Chapter
    else:
        raise ShardwiseError(f"There is no schema of {of!r}; there are problem, chapter and set.")
    document = TypeAdapter(model).json_schema()
    document["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    document["title"] = f"shardwise {of}"
    typer.echo(json.dumps(document, indent=2, ensure_ascii=False))


@app.command(epilog="Example:  shardwise new 02-zero/optimizer-offload --kind quantity")
def new(
    problem: Annotated[str, typer.Argument(help="The id: chapter folder and slug.")],
    kind: Annotated[str, typer.Option(help="quantity, choice, order, formula, code or bugline")] = "quantity",
    root: Root = None,
) -> None:
    """Start a new problem from a template that passes the lint, and list it in its chapter."""
    from shardwise.bank.scaffold import write

    path = write(problem, kind, root)
    typer.echo(f"Wrote {path}. Make it yours, then:  shardwise lint {problem}")


@app.command(epilog="Example:  shardwise render --check")
def render(
    check: Annotated[bool, typer.Option("--check", help="Write nothing; fail when a notebook differs.")] = False,
    out: Annotated[Path, typer.Option(help="The folder to write into.")] = Path("notebooks"),
    force: Annotated[bool, typer.Option("--force", help="Overwrite notebooks that somebody has worked in.")] = False,
    root: Root = None,
) -> None:
    """Write the chapters' practice notebooks."""
    from shardwise.course.notebooks import render as run

    bank = bank_at(root)
    drifted = run(bank, out, check=check, force=force)
    for path in drifted:
        typer.echo(f"{path.name} {'differs from the bank' if check else 'written'}")
    typer.echo(f"{len(bank.chapters)} notebooks, {len(drifted)} {'drifted' if check else 'changed'}")
    if check and drifted:
        typer.echo("Run `shardwise render` and commit what it writes.", err=True)
        raise typer.Exit(1)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"shardwise {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options of every command."""


def main() -> None:
    """The `shardwise` command."""
    try:
        app()
    except Faulty as error:
        for fault in error.faults:
            print(fault, file=sys.stderr)
        print(f"{len(error.faults)} fault{'s' if len(error.faults) != 1 else ''}", file=sys.stderr)
        raise SystemExit(2) from None
    except ShardwiseError as error:
        print(f"shardwise: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    except OSError as error:  # a folder that is not there, or may not be written
        print(f"shardwise: {error.filename or 'a file'}: {error.strerror or error}", file=sys.stderr)
        raise SystemExit(2) from None
