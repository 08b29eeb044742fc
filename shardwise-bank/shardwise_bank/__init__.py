"""The bank that ships with shardwise: a folder with problems/ and solutions/."""

from __future__ import annotations

from pathlib import Path

__all__ = ["folder"]

_PACKAGE = Path(__file__).resolve().parent
_CHECKOUT = _PACKAGE.parents[1]
# In a checkout `solutions` is a link, and a file of text where git makes no links: `shardwise_bank.solutions` is found all the same.
if not (_PACKAGE / "solutions").is_dir():
    __path__.append(str(_CHECKOUT))


def folder() -> Path:
    """Return the folder that holds problems/ and solutions/.

    A wheel carries both inside this package. An editable install reads them at the root of its checkout.
    """
    for place in (_PACKAGE, _CHECKOUT):
        if (place / "problems").is_dir() and (place / "solutions").is_dir():
            return place
    raise FileNotFoundError(
        f"Neither {_PACKAGE} nor {_CHECKOUT} holds problems/ and solutions/. Install shardwise-bank once more."
    )
