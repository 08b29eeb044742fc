"""The bank that ships with shardwise: a folder with problems/ and solutions/."""

from __future__ import annotations

from pathlib import Path

__all__ = ["folder"]

_PACKAGE = Path(__file__).resolve().parent
_CHECKOUT = _PACKAGE.parents[1]
# In a checkout, `solutions` is a symbolic link, or a text file where git creates no links. Either way, `shardwise_bank.solutions` can be imported.
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
        f"Neither {_PACKAGE} nor {_CHECKOUT} contains problems/ and solutions/. Reinstall shardwise-bank."
    )
