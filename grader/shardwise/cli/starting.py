"""The command `start`, which opens the app on this computer."""

from __future__ import annotations

from typing import Annotated

import typer

from shardwise.cli.interrupts import say_when_stopped
from shardwise.cli.options import BankNames, banks_of
from shardwise.errors import ShardwiseError
from shardwise.student.progress.file import usual_path


def start_app(
    browser: Annotated[bool, typer.Option(help="Open the browser.")] = True,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes a free one.")] = 0,
    bank: BankNames = None,
) -> None:
    """Practise in the browser: lessons, problems and your progress on one page.

    It runs on this computer only, until you press Ctrl-C.
    """
    import webbrowser

    from shardwise.app.server import STATIC, AppServer

    if not (STATIC / "app.js").is_file():
        raise ShardwiseError("The app has not been built. Run `make desk` in the checkout.")
    banks = banks_of(bank)
    try:
        server = AppServer(banks, port)
    except OSError as error:
        raise ShardwiseError(
            f"Cannot listen on port {port}: {error.strerror}. Choose another port, or omit --port."
        ) from None
    with server:
        if usual_path():
            say_when_stopped("Your answers are saved.")
        typer.echo(f"Open {server.url}\nStop with Ctrl-C.")
        if browser:
            webbrowser.open(server.url)
        server.serve_forever()
