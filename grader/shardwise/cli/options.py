"""Options that several commands share, and the banks that `--bank` names."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from shardwise.bank.bank import Banks
from shardwise.bank.discovery import VARIABLE, is_shipped, named_by_settings, open_banks, settings_near
from shardwise.cli.trust import must_be_trusted
from shardwise.errors import ShardwiseError

_BANK = 'Folder of a bank, or name of an installed one, such as "shipped". Repeat it for several banks; the first that has a problem is used. Default: '


def _named(otherwise: str) -> Any:
    return typer.Option("--bank", metavar="DIR", help=_BANK + otherwise)


BankNames = Annotated[
    list[str] | None, _named("SHARDWISE_BANK, the nearest shardwise.toml or course.yaml, or the installed bank.")
]
TrustedBankNames = Annotated[
    list[str] | None,
    _named(
        "SHARDWISE_BANK, or the installed bank. A shardwise.toml is ignored, because a student may have submitted it."
    ),
]
ChapterName = Annotated[
    str | None,
    typer.Option("--chapter", help="Only this chapter: its name, its number, or a part of its name or title."),
]
Seed = Annotated[str, typer.Option("--seed", help="The seed; the same seed draws the same question everywhere.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


def must_end_in(ending: str, path: Path | None, option: str = "out") -> None:
    """Raise ShardwiseError for an output file with another ending: a typo could overwrite the course key or a lock file."""
    if path and path.is_dir():
        raise ShardwiseError(f"--{option} needs a file to write, but {path} is a folder.")
    if path and path.suffix != ending:
        raise ShardwiseError(f"--{option} needs a file name that ends in {ending}, but {path} does not.")


def must_be_a_folder(out: Path) -> None:
    """Raise ShardwiseError for an `--out` that is a file."""
    if out.exists() and not out.is_dir():
        raise ShardwiseError(f"--out needs a folder, but {out} is a file. Name another folder.")


def banks_of(names: list[str] | None) -> Banks:
    """Open the banks that a command should use, and print which they are, unless it is the shipped one."""
    return _said(names, settings=True)


def trusted_banks_of(names: list[str] | None) -> Banks:
    """Open the banks that a person named or installed, and print which; ignore any in the folder that is being graded."""
    return _said(names, settings=False)


def _said(names: list[str] | None, *, settings: bool) -> Banks:
    import os

    if settings and not names and not os.environ.get(VARIABLE):
        file = settings_near(Path.cwd())
        names = _of_course(file)
        if file and not names:
            must_be_trusted(named_by_settings(Path.cwd()), file)
    banks = open_banks(names or (), settings=settings)
    if not is_shipped(banks):
        typer.echo(f"Bank: {banks}", err=True)
    if not (settings or names or os.environ.get(VARIABLE)) and (found := settings_near(Path.cwd())):
        typer.echo(
            f"Ignored {found}, because a student may have submitted it. Name your own bank with --bank.", err=True
        )
    return banks


def _of_course(settings: Path | None) -> list[str] | None:
    """Return the banks of the course around the current folder, unless a shardwise.toml is nearer."""
    folder = Path.cwd()
    if not any((above / "course.yaml").is_file() for above in (folder, *folder.parents)):
        return None  # most folders are in no course, and reading its file takes time
    from shardwise.cli.course_paths import banks_of_course
    from shardwise.course.course_file import course_around

    course = course_around(folder)
    is_nearer = course and settings and settings.resolve().parent.is_relative_to(course.folder)
    return None if is_nearer else banks_of_course(course)
