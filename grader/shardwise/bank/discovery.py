"""Which banks are meant: those that are named, those of the surroundings, or the one that is installed."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from shardwise.bank.bank import Bank, Banks
from shardwise.errors import ShardwiseError
from shardwise.text_files import read_text

SHIPPED = "shipped"  # the name of the bank that is installed as shardwise-bank
VARIABLE = "SHARDWISE_BANK"
SETTINGS = "shardwise.toml"


def open_banks(named: Sequence[str | Path] = (), *, start: Path | None = None, settings: bool = True) -> Banks:
    """The banks that are `named`; else those of SHARDWISE_BANK; else those of the nearest shardwise.toml; else the shipped one.

    A bank is a folder, or the word "shipped". Raises ShardwiseError when there is none. Without `settings` no shardwise.toml
    counts: one that lies where notebooks are graded may be a student's, and the references of a bank are code that is run.
    """
    folders = [_folder(name, Path()) for name in named] or _of_environment()
    if not folders and settings:
        folders = named_by_settings(start or Path.cwd())
    try:
        return Banks([Bank.open(folder) for folder in dict.fromkeys(folders or [shipped()])])
    except OSError as error:  # a name that is too long, a folder that may not be read
        raise ShardwiseError(f"{str(error.filename)[:80]!r} cannot be opened: {error.strerror}.") from None


def settings_near(start: Path) -> Path | None:
    """The nearest shardwise.toml, in this folder or above it, whatever it is: one that cannot be read is said, not passed over."""
    return next((folder / SETTINGS for folder in (start, *start.parents) if os.path.lexists(folder / SETTINGS)), None)


def shipped() -> Path:
    """Where the shipped bank lies. Raises ShardwiseError when it is not installed."""
    if importlib.util.find_spec("shardwise_bank") is None:
        raise ShardwiseError(
            "No bank of problems is installed here. Install the shipped one:  pip install shardwise-bank\n"
            f'Or name your own: --bank DIR, the variable {VARIABLE}, or bank = ["DIR"] in a {SETTINGS}.'
        )
    import shardwise_bank

    try:
        folder: Path = shardwise_bank.folder()
    except FileNotFoundError as error:  # an editable install whose checkout has moved
        raise ShardwiseError(str(error)) from None
    return folder


def name_of(folder: Path) -> str:
    """What the bank in a folder is called from wherever it is used: "shipped", or the folder. It is text that can be kept."""
    with suppress(ShardwiseError):
        if folder == shipped():
            return SHIPPED
    return os.fsencode(folder).decode("utf-8", "backslashreplace")  # of a name in another encoding than UTF-8


def _folder(name: str | Path, beside: Path) -> Path:
    if str(name).strip() == SHIPPED:
        return shipped()
    try:
        return (beside / Path(str(name).strip()).expanduser()).resolve()
    except (OSError, RuntimeError, ValueError) as error:  # nobody's home, a loop of links, a character no path has
        raise ShardwiseError(f"{str(name)[:80]!r} is no folder that can be opened: {error}") from None


def _of_environment() -> list[Path]:
    return [_folder(name, Path()) for name in os.environ.get(VARIABLE, "").split(os.pathsep) if name.strip()]


def named_by_settings(start: Path) -> list[Path]:
    """Return the folders of the banks of the nearest shardwise.toml, in this folder or above it; their paths are relative to that file."""
    file = settings_near(start)
    if file is None:
        return []
    import tomllib  # here, because most folders have no settings

    try:
        settings = tomllib.loads(read_text(file, str(file)))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        why = "it is nested too deeply." if isinstance(error, RecursionError) else error
        raise ShardwiseError(f"{file} cannot be read: {why}") from None
    names = settings.get("bank", [])
    names = [names] if isinstance(names, str) else names
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ShardwiseError(f'{file}: I expected bank = ["FOLDER", ...], and this is {names!r:.80}.')
    if unknown := sorted(set(settings) - {"bank"}):
        raise ShardwiseError(f"{file}: I know the setting bank, and not {', '.join(unknown)}.")
    return [_folder(name, file.parent) for name in names]
