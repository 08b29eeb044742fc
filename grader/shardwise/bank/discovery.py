"""Bank discovery: banks that are named, banks that the environment configures, or the installed bank."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from shardwise.bank.bank import Bank, Banks
from shardwise.errors import ShardwiseError
from shardwise.plugins import BANKS, added, described, load_added
from shardwise.text_files import read_text

SHIPPED = "shipped"  # the name of the bank that is installed as shardwise-bank
VARIABLE = "SHARDWISE_BANK"
SETTINGS = "shardwise.toml"


def open_banks(named: Sequence[str | Path] = (), *, start: Path | None = None, settings: bool = True) -> Banks:
    """Open the banks in `named`, or in SHARDWISE_BANK, or in the nearest shardwise.toml, or else the shipped bank.

    A bank is a folder, the name of an installed bank, or the word "shipped". Raises ShardwiseError if none is found. Without
    `settings`, any shardwise.toml is ignored: one in a folder of submissions may come from a student, and a bank's references
    are code.
    """
    folders = [_folder(name, Path()) for name in named] or _of_environment()
    if not folders and settings:
        folders = named_by_settings(start or Path.cwd())
    try:
        return Banks([Bank.open(folder) for folder in dict.fromkeys(folders or [shipped()])])
    except OSError as error:  # the name may be too long, or the folder unreadable
        raise ShardwiseError(f"{str(error.filename)[:80]!r} cannot be opened: {error.strerror}.") from None


def settings_near(start: Path) -> Path | None:
    """Return the nearest shardwise.toml in this folder or above. An unreadable one is returned too, so that it is reported."""
    return next((folder / SETTINGS for folder in (start, *start.parents) if os.path.lexists(folder / SETTINGS)), None)


def shipped() -> Path:
    """Return the folder of the shipped bank. Raises ShardwiseError if it is not installed."""
    if importlib.util.find_spec("shardwise_bank") is None:
        raise ShardwiseError(
            "No bank of problems is installed here. Install the shipped bank:  pip install shardwise-bank\n"
            f'Or name your own with --bank DIR, the variable {VARIABLE}, or bank = ["DIR"] in a {SETTINGS}.'
            + (f"\nOther packages have added banks:  --bank {' or '.join(added(BANKS))}" if added(BANKS) else "")
        )
    import shardwise_bank

    try:
        folder: Path = shardwise_bank.folder()
    except FileNotFoundError as error:  # the checkout of an editable install may have moved
        raise ShardwiseError(str(error)) from None
    return folder


def installed_bank(name: str) -> Path:
    """Return the folder of the bank that a package adds under this name. Raises ShardwiseError.

    A wheel carries problems/ and solutions/ inside the package. An editable install reads them above it, in the checkout.
    """
    inside = Path(getattr(load_added(BANKS, name), "__file__", None) or "nowhere").resolve().parent
    for folder in (inside, *inside.parents[:2]):
        if (folder / "problems").is_dir() and (folder / "solutions").is_dir():
            return folder
    raise ShardwiseError(
        f"Cannot find problems/ and solutions/ in {inside}, the package of the {described(BANKS, name)}. Reinstall it."
    )


@cache
def installed_banks() -> dict[str, Path]:
    """Return the folders of the installed banks by their names, without broken ones, which are reported when they are used."""
    found = {}
    with suppress(ShardwiseError):
        found[SHIPPED] = shipped()
    for name in added(BANKS):
        with suppress(ShardwiseError):
            found[name] = installed_bank(name)
    return found


def is_installed(folder: Path) -> bool:
    """Return whether a folder is that of an installed bank."""
    return folder in installed_banks().values()


def name_of(folder: Path) -> str:
    """Return a bank's name that is valid from any folder, as text that can be saved.

    It is "shipped", the name of another installed bank, or the path.
    """
    name = next((name for name, place in installed_banks().items() if place == folder), None)
    if name:
        return name
    return os.fsencode(folder).decode("utf-8", "backslashreplace")  # the name may not be UTF-8


def is_shipped(banks: Banks) -> bool:
    """Return whether these are only the shipped bank."""
    return all(name_of(bank.folder) == SHIPPED for bank in banks.all)


def bank_folders(names: Iterable[str], beside: Path) -> list[Path]:
    """Return the folders of banks that a file in the folder `beside` names."""
    return [_folder(name, beside) for name in names]


def _folder(name: str | Path, beside: Path) -> Path:
    if str(name).strip() == SHIPPED:
        return shipped()
    if str(name).strip() in added(BANKS):
        return installed_bank(str(name).strip())
    try:
        return (beside / Path(str(name).strip()).expanduser()).resolve()
    except (
        OSError,
        RuntimeError,
        ValueError,
    ) as error:  # an unknown home, a loop of links, or a character that no path can have
        raise ShardwiseError(f"{str(name)[:80]!r} cannot be opened as a folder: {error}") from None


def _of_environment() -> list[Path]:
    return [_folder(name, Path()) for name in os.environ.get(VARIABLE, "").split(os.pathsep) if name.strip()]


def named_by_settings(start: Path) -> list[Path]:
    """Return the folders of the banks that the nearest shardwise.toml names, in this folder or above.

    Paths in it are relative to that file.
    """
    file = settings_near(start)
    if file is None:
        return []
    import tomllib  # imported here, because most folders have no settings

    try:
        settings = tomllib.loads(read_text(file, str(file)))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        why = "it is nested too deeply." if isinstance(error, RecursionError) else error
        raise ShardwiseError(f"{file} cannot be read: {why}") from None
    names = settings.get("bank", [])
    names = [names] if isinstance(names, str) else names
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ShardwiseError(f'{file}: expected bank = ["FOLDER", ...], not {names!r:.80}.')
    if unknown := sorted(set(settings) - {"bank"}):
        raise ShardwiseError(f"{file}: unknown setting {', '.join(unknown)}. The only setting is bank.")
    return bank_folders(names, file.parent)
