"""Atomic files: even if the disk is full or the process is killed, a file is written as a whole or not at all."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO, TypeVar

from shardwise.errors import ShardwiseError

_FULL = (errno.ENOSPC, errno.EDQUOT)
_WAITS = (0.5, 2.0)  # seconds before a write is retried; a rotating log or a deleted copy may free space
_LOCKED: set[IO[str]] = set()  # the open lock files of this process
_T = TypeVar("_T")


class NoRoom(ShardwiseError):
    """The disk is full, even after waiting."""


def write_file(path: Path, data: bytes, *, private: bool = False) -> None:
    """Write a file; a reader sees the old or the new contents, but never a part of them. Raises OSError.

    Only its owner can read a private file and the folders that are created for it.
    """
    make_folder(path.parent, mode=0o700 if private else 0o777)
    with replacing(path, private=private) as fresh:
        fresh.write_bytes(data)


def make_folder(folder: Path, *, mode: int) -> None:
    """Create a folder and its missing parents, all with this mode."""
    for above in (*reversed(folder.parents), folder):
        if not above.exists():
            above.mkdir(mode=mode, exist_ok=True)


def write_together(files: Mapping[Path, bytes]) -> None:
    """Write files that depend on each other: all of them, or none if one cannot be written. Raises OSError.

    The first is put in place last, so it should be the one that refers to the others.
    """
    fresh_files = [path for path in files if not path.exists()]
    folders = sorted({above for path in files for above in path.parents if not above.exists()})
    try:
        with ExitStack() as stack:
            for path, data in files.items():
                path.parent.mkdir(parents=True, exist_ok=True)
                stack.enter_context(replacing(path)).write_bytes(data)
    except BaseException:
        for path in fresh_files:
            path.unlink(missing_ok=True)
        for folder in reversed(folders):
            with suppress(OSError):  # it was not created, or somebody else has put something there
                folder.rmdir()
        raise


@contextmanager
def replacing(path: Path, *, private: bool = False) -> Iterator[Path]:
    """Yield a path to write to, which replaces `path` unless an error occurs. Only its owner can read a private file."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder; name a file", str(path))
    fresh = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        if private:
            os.close(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
        yield fresh
        fresh.replace(path)
    except OSError as error:
        if error.filename in (None, str(fresh)):  # a full disk's error has no file name, and users do not know `fresh`
            error.filename, error.filename2 = str(path), None
        raise
    finally:
        with suppress(OSError):  # in a read-only folder, even removing a missing file fails
            fresh.unlink()


def patiently(act: Callable[[], _T], folder: Path) -> _T:
    """Call a function that writes to `folder`; if the disk is full, wait and retry. Raises NoRoom."""
    waits = list(_WAITS)
    while True:
        try:
            return act()
        except Exception as error:
            if not _is_full(error):
                raise
        if not waits:
            raise NoRoom(
                f"The disk with {folder} is full. Grades so far are saved. Free some space, then run "
                "the same command again."
            )
        time.sleep(waits.pop(0))


def _is_full(error: Exception) -> bool:
    """Return whether a file or a database reports a full disk, without importing sqlite3, which some Pythons lack."""
    return getattr(error, "errno", None) in _FULL or getattr(error, "sqlite_errorname", "") == "SQLITE_FULL"


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Hold the lock on `folder` as the only process that writes to it. Raises ShardwiseError if another does.

    It also raises one if the folder was deleted or moved meanwhile. The kernel releases the lock when the process ends, even
    if it is killed.
    """
    make_folder(folder, mode=0o700)  # it will contain keys, answers or points
    try:
        import fcntl
    except (
        ImportError
    ):  # Windows, where users grade only their own code, and a folder with an open file cannot be deleted
        yield
        return
    place = folder / ".lock"
    with place.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ShardwiseError(
                f"Another shardwise command is writing to {folder}. Wait until it ends, or use another folder."
            ) from None
        _LOCKED.add(file)
        try:
            yield
        except (OSError, ShardwiseError) as error:
            if _is(place, file.fileno()):
                raise
            raise _gone(folder) from error
        finally:
            _LOCKED.discard(file)
        if not _is(place, file.fileno()):
            raise _gone(folder)


def _let_go() -> None:
    """Release the locks in a forked process, which would otherwise keep them after its parent is killed."""
    for file in _LOCKED:
        file.close()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_let_go)


def _is(path: Path, file: int) -> bool:
    """Return whether an open file is still the one at a path."""
    with suppress(OSError):
        return os.path.samestat(path.stat(), os.fstat(file))
    return False


def _gone(folder: Path) -> ShardwiseError:
    return ShardwiseError(
        f"{folder} was deleted or moved while files were being written to it. Run the same command again."
    )
