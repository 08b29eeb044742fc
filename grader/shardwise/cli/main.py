"""The command line: every command loads only what it needs and reports errors without a traceback."""

from __future__ import annotations

import os
import sys
from copy import copy
from functools import cache
from io import TextIOWrapper
from typing import Annotated

import typer
from typer.main import get_command_name
from typer.models import CommandInfo

from shardwise import __version__
from shardwise.cli import (
    assigning,
    authoring,
    autograding,
    course_commands,
    deciding,
    exporting,
    grading,
    inspecting,
    linting,
    practising,
    problems,
    publishing,
    regrading,
    reporting,
    starting,
    trust,
)
from shardwise.cli.interrupts import pass_on
from shardwise.errors import Faulty, ShardwiseError
from shardwise.markdown.escaping import printable
from shardwise.plugins import COMMANDS, added, described, load_added

app = typer.Typer(
    help="Draw, check, assign and grade practice problems.",
    no_args_is_help=True,
    rich_markup_mode=None,  # loading rich takes longer than running any command except grade
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command("start", epilog="Example:  shardwise start")(starting.start_app)  # first in the help
app.add_typer(problems.commands)
app.add_typer(linting.commands)
app.add_typer(authoring.commands)
app.add_typer(starting.commands)
app.add_typer(assigning.commands)
app.add_typer(exporting.commands)
app.add_typer(grading.commands)
app.add_typer(regrading.commands)
app.add_typer(deciding.commands)
app.add_typer(course_commands.commands)
app.add_typer(autograding.commands)
app.add_typer(inspecting.commands)
app.add_typer(reporting.commands)
app.add_typer(publishing.commands)
app.add_typer(practising.commands)
app.add_typer(trust.commands)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"shardwise {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Handle the options of the program itself, and turn colour off where the terminal or its user has none."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        context.color = False


@cache
def with_added_commands() -> typer.Typer:
    """Return the app with the commands that other packages add; they cannot replace a built-in command.

    A command that cannot be loaded reports it when it is called; the other commands keep working.
    """
    ours = {_name(known) for known in app.registered_commands}
    for group in app.registered_groups:
        ours |= {
            str(group.name),
            *(map(_name, group.typer_instance.registered_commands) if group.typer_instance else ()),
        }
    for name in added(COMMANDS):
        if name not in ours:
            app.add_typer(_only(name))
    return app


def _name(command: CommandInfo) -> str:
    return command.name or get_command_name(getattr(command.callback, "__name__", ""))


def _only(name: str) -> typer.Typer:
    """Return the command that a package adds under this name."""
    try:
        commands = load_added(COMMANDS, name)
        if not isinstance(commands, typer.Typer):
            raise ShardwiseError(
                f"The {described(COMMANDS, name)} is not a Typer app. Fix that package, or uninstall it."
            )
        named = [known for known in commands.registered_commands if _name(known) == name]
        if not named:
            raise ShardwiseError(f"The {described(COMMANDS, name)} has no command of that name.")
        alone = copy(commands)
        alone.registered_commands = named
        return alone
    except ShardwiseError as error:
        return _broken(name, error)


def _broken(name: str, error: ShardwiseError) -> typer.Typer:
    """Return a command that only reports why it cannot be used."""
    commands = typer.Typer()

    @commands.command(
        name, help="Unavailable: its package is broken.", context_settings={"ignore_unknown_options": True}
    )
    def broken(words: Annotated[list[str] | None, typer.Argument()] = None) -> None:
        raise error

    return commands


def main() -> None:
    """Run the `shardwise` command."""
    if isinstance(sys.stdout, TextIOWrapper):  # a pipe on Windows or with LC_ALL=C cannot encode × and █
        sys.stdout.reconfigure(errors="replace")
    try:
        with_added_commands()()
    except (ShardwiseError, OSError, UnicodeEncodeError) as error:
        pass_on()
        print(printable(_message(error)), file=sys.stderr)  # file names can contain control characters
        raise SystemExit(2) from None


def _message(error: Exception) -> str:
    """Return the message for an error that ends a command."""
    match error:
        case Faulty():
            count = len(error.faults)
            return "\n".join([*map(str, error.faults), f"{count} fault{'s' * (count != 1)}"])
        case UnicodeEncodeError():
            why: object = "Cannot write the name of a file or folder: it is not UTF-8. Rename it."
        case OSError():  # a missing or read-only folder has a file name, a full disk has none
            why = f"{error.filename}: {error.strerror or error}" if error.filename else error.strerror or error
        case _:
            why = error
    return f"shardwise: {why}"
