"""The command `site`, which compiles the app into static files."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from shardwise.cli.options import BankNames, banks_of

commands = typer.Typer()


@commands.command(epilog="Example:  shardwise site public --bank my-bank")
def site(
    out: Annotated[
        Path,
        typer.Argument(help="Folder for the site, or file for a chapter; an earlier one is replaced.", metavar="OUT"),
    ],
    bank: BankNames = None,
    one_file: Annotated[
        str, typer.Option(help="Write only this chapter, as one HTML file that opens from a disk.", metavar="CHAPTER")
    ] = "",
) -> None:
    """Write the app as static files for any web server.

    Python runs in the reader's browser, so nobody has to install anything. Progress stays in that browser. The answer keys can be
    read there: use a site for practice only.

    With --one-file, OUT is an HTML file of about 18 MB with one chapter and everything that it needs. It opens from a disk, without a
    connection, in a recent Chrome or Edge.
    """
    from shardwise.app.site.compile import write_site
    from shardwise.app.site.one_file import write_one_file

    if one_file:
        size = write_one_file(banks_of(bank), one_file, out)
        typer.echo(f"Wrote {out} ({size / 1e6:.0f} MB). To look at it, open it in a browser.")
        return
    size = write_site(banks_of(bank), out)
    typer.echo(f"Wrote {out} ({size / 1e6:.0f} MB). To look at it:  python -m http.server --directory {out}")
