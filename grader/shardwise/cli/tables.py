"""Tables and progress bars in the terminal."""

from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

NARROWEST = 60  # columns, enough for the numbers of every table


def console(*, piped: int = 140) -> Console:
    """Return a rich console for tables that `print_columns` cannot print, with a fixed width when piped."""
    from rich.console import Console

    return Console(highlight=False, width=table_width(piped))


def table_width(piped: int = 140) -> int:
    """Return how many columns a table may use. In a narrower terminal the lines wrap, and no number is cut off."""
    return max(NARROWEST, shutil.get_terminal_size().columns) if sys.stdout.isatty() else piped


def print_columns(
    head: Sequence[str], rows: Sequence[Sequence[str]], *, right: Sequence[int] = (), width: float = math.inf
) -> None:
    """Print a table whose cells wrap to fit this width; the columns in `right` are right-aligned.

    It does not use rich, because loading rich takes longer than listing a bank.
    """
    from shardwise.markdown.escaping import printable
    from shardwise.markdown.terminal import in_columns

    shown = [[printable(text) for text in row] for row in (head, *rows)]
    first, *others = in_columns(shown, width, [place in right for place in range(len(head))])
    typer.secho(first, bold=True)
    for text in others:
        typer.echo(text)


@contextmanager
def progress_bar(what: str, total: int | None) -> Iterator[Any]:
    """Show a progress bar on a terminal, and nothing elsewhere; yield a function to call after each step."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    # No thread draws the bar: a process forked while it draws would inherit a lock that is never released.
    with typer.progressbar(length=total or 0, label=what, show_pos=True, file=sys.stderr) as bar:

        def advance(known_total: int | None = None) -> None:
            bar.length = known_total or bar.length
            bar.update(1)

        yield advance
