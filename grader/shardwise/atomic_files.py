"""Writing files where a disk may be full and a process may be killed: a file is there as a whole or not at all."""

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
_WAITS = (0.5, 2.0)  # seconds before a write is tried again: a log that rotates, a copy that somebody deletes
_LOCKED: set[IO[str]] = set()  # the open files of the locks that this process holds
_T = TypeVar("_T")


class NoRoom(ShardwiseError):
    """The disk is full, and stayed so."""


def write_file(path: Path, data: bytes, *, private: bool = False) -> None:
    """Write a file; a reader sees the old contents or the new, never a part of them. Raises OSError.

    A private file is for its owner alone, and so are the folders on the way to it that are made.
    """
    make_folder(path.parent, mode=0o700 if private else 0o777)
    with replacing(path, private=private) as fresh:
        fresh.write_bytes(data)


def make_folder(folder: Path, *, mode: int) -> None:
    """Make a folder and those above it that are missing, all of them with this mode."""
    for above in (*reversed(folder.parents), folder):
        if not above.exists():
            above.mkdir(mode=mode, exist_ok=True)


def write_together(files: Mapping[Path, bytes]) -> None:
    """Write files that need one another: all of them, or none where one cannot be written. Raises OSError.

    The first takes its place last: let it be the one that names the others.
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
            with suppress(OSError):  # it was not made, or somebody else has put something there
                folder.rmdir()
        raise


@contextmanager
def replacing(path: Path, *, private: bool = False) -> Iterator[Path]:
    """A path to write to; it replaces `path` if nothing was raised meanwhile. A private file is for its owner alone."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder; name a file", str(path))
    fresh = path.with_name(f".{path.name}.{os.getpid()}.new")
    try:
        if private:
            os.close(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
        yield fresh
        fresh.replace(path)
    except OSError as error:
        if error.filename in (None, str(fresh)):  # a full disk names no file, and of `fresh` nobody knows but we
            error.filename, error.filename2 = str(path), None
        raise
    finally:
        with suppress(OSError):  # where nothing may be written, not even what is missing may be taken away
            fresh.unlink()


def patiently(act: Callable[[], _T], folder: Path) -> _T:
    """Do what writes below `folder`; when the disk is full, wait and do it again. Raises NoRoom."""
    waits = list(_WAITS)
    while True:
        try:
            return act()
        except Exception as error:
            if not _is_full(error):
                raise
        if not waits:
            raise NoRoom(
                f"There is no room left where {folder} lies. What was graded before that is kept: make room, and run "
                "the same command again."
            )
        time.sleep(waits.pop(0))


def _is_full(error: Exception) -> bool:
    """Whether a file or a database found no room; sqlite3 is not loaded for that, since some Pythons are without it."""
    return getattr(error, "errno", None) in _FULL or getattr(error, "sqlite_errorname", "") == "SQLITE_FULL"


@contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Hold the lock on `folder` as the only process that writes there. Raises ShardwiseError if another does.

    It also does when the folder was taken away meanwhile, with what was written there. The kernel releases the lock when
    the process ends, even if it is killed.
    """
    make_folder(folder, mode=0o700)  # keys, answers or points are to be in it
    try:
        import fcntl
    except ImportError:  # Windows, where only one's own code is ever graded, and a folder with an open file stays
        yield
        return
    place = folder / ".lock"
    with place.open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise ShardwiseError(
                f"Another shardwise is writing into {folder}. Wait for it, or take another folder."
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
    """A process that was forked holds the locks of the one that started it, and would keep them when that was killed."""
    for file in _LOCKED:
        file.close()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_let_go)


def _is(path: Path, file: int) -> bool:
    """Whether an open file still lies at a path."""
    with suppress(OSError):
        return os.path.samestat(path.stat(), os.fstat(file))
    return False


def _gone(folder: Path) -> ShardwiseError:
    return ShardwiseError(
        f"{folder} was deleted or moved away while something was written into it. Run the same command again."
    )
