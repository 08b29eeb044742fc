"""The commands `start` and `preview`, which open a page on this computer."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated

import typer

from shardwise.cli.interrupts import say_when_stopped
from shardwise.cli.options import BankNames, banks_of
from shardwise.errors import ShardwiseError
from shardwise.student.progress.file import usual_path

if TYPE_CHECKING:
    from shardwise.app.server import AppServer

commands = typer.Typer()
Browser = Annotated[bool, typer.Option(help="Open the browser.")]
Port = Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")]


def start_app(browser: Browser = True, port: Port = 0, bank: BankNames = None) -> None:
    """Practise in the browser: lessons, problems and your progress on one page.

    It runs on this computer only, until you press Ctrl-C.
    """
    from shardwise.app.app import App
    from shardwise.app.server import AppServer
    from shardwise.student.session import Session

    app = App(Session.of(banks_of(bank)))
    _serve(lambda: AppServer(app, port), "Your answers are saved." if usual_path() else "", browser)


@commands.command(epilog="Example:  shardwise preview my-problem --bank my-bank")
def preview(
    problems: Annotated[
        list[str] | None, typer.Argument(help="Problems, or the beginning of their ids. Default: all.")
    ] = None,
    variants: Annotated[int, typer.Option(min=1, max=100, help="Number of variants of each problem.")] = 12,
    browser: Browser = True,
    port: Port = 0,
    bank: BankNames = None,
) -> None:
    """Look at a bank in the browser while you write it.

    For each problem, the page shows many variants as students see them, with parameters, key, oracle, mistakes, hints, solution and
    the faults that the lint finds. It follows every saved change. It runs on this computer only, until you press Ctrl-C.
    """
    from shardwise.app.preview import Preview, chosen_problems
    from shardwise.app.server import AppServer

    banks = banks_of(bank)
    shown = Preview(banks, chosen_problems(banks, problems or ()), variants)
    try:
        _serve(lambda: AppServer(shown, port, "preview"), "", browser)
    finally:
        shown.close()


def _serve(server_of: Callable[[], AppServer], stopped: str, browser: bool) -> None:
    """Serve a page until Ctrl-C. Raises ShardwiseError if its port is taken."""
    import webbrowser

    from shardwise.app.server import STATIC

    if not (STATIC / "app.js").is_file():
        raise ShardwiseError("The app has not been built. Run `make desk` in the checkout.")
    try:
        server = server_of()
    except OSError as error:
        raise ShardwiseError(f"Cannot listen on that port: {error.strerror}. Choose another, or omit --port.") from None
    with server:
        if stopped:
            say_when_stopped(stopped)
        typer.echo(f"Open {server.url}\nStop with Ctrl-C.")
        if browser:
            webbrowser.open(server.url)
        server.serve_forever()
