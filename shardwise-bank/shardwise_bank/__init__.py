"""The bank that ships with shardwise: a folder with problems/ and solutions/."""

from __future__ import annotations

from pathlib import Path

__all__ = ["folder"]


def folder() -> Path:
    """The folder that holds problems/ and solutions/.

    A wheel carries both inside this package. An editable install reads them at the root of its checkout.
    """
    package = Path(__file__).resolve().parent
    checkout = package.parents[1]
    for place in (package, checkout):
        if (place / "problems").is_dir() and (place / "solutions").is_dir():
            return place
    raise FileNotFoundError(
        f"Neither {package} nor {checkout} holds problems/ and solutions/. Install shardwise-bank once more."
    )
