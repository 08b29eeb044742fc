"""The course key, which draws seeds and signs lock files, so that nobody without it can make either."""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from shardwise.atomic_files import write_file
from shardwise.errors import ShardwiseError
from shardwise.text_files import read_bounded

KEY_FILE = "course.key"  # next to the lock files that it signs
VARIABLE = "SHARDWISE_KEY"  # contains the key itself, like a CI secret
_DIGITS = r"[0-9a-fA-F]{64}"
_MOST = 1000  # bytes of a key file


def course_key(path: Path) -> tuple[bytes, bool]:
    """Return the key in a file and whether it was just created. Anybody with the key can draw every student's questions."""
    if path.exists():
        key, made = read_key(path), False
        path.chmod(0o600)  # a copy may have lost its permissions
    else:
        key, made = secrets.token_bytes(32), True
        path.parent.mkdir(parents=True, exist_ok=True)
        file = os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w")
        try:
            with file:
                file.write(key.hex() + "\n")
        except BaseException as error:  # half a key would be used as one the next time
            path.unlink()
            if isinstance(error, OSError):
                error.filename = str(path)  # the error of a full disk has no file name
            raise
    _remember(key, path)
    return key, made


def read_key(path: Path) -> bytes:
    """Return the key in a file. Raises ShardwiseError if there is none."""
    try:
        return _key(read_bounded(path, _MOST).decode("utf-8-sig", errors="replace"), str(path))
    except OSError as error:
        raise ShardwiseError(f"The course key {path} cannot be read: {error.strerror}.") from None


def named_key(path: Path | None) -> bytes | None:
    """Return the key that a command was given, from a file or from the variable SHARDWISE_KEY; None without either."""
    if path is not None:
        return read_key(path)
    text = os.environ.get(VARIABLE)
    return _key(text, f"The variable {VARIABLE}") if text else None


def _key(text: str, where: str) -> bytes:
    if not re.fullmatch(_DIGITS, text.strip()):
        raise ShardwiseError(f"{where} is not a course key: a key is 64 hexadecimal digits.")
    return bytes.fromhex(text.strip())


def key_fingerprint(key: bytes) -> str:
    """Return the fingerprint of a key, which does not reveal the key."""
    return hashlib.sha256(b"shardwise course key" + key).hexdigest()[:32]


def key_for(lock: Path, known_by: str) -> bytes:
    """Return the key of a lock file, from next to it or from where `assign` last used it here. Raises ShardwiseError."""
    beside = lock.with_name(KEY_FILE)
    places = [beside, *(Path(place) for place in _remembered().get(known_by, ()))]
    for place in places:
        if place.is_file() and key_fingerprint(key := read_key(place)) == known_by:
            return key
    seen = f"{beside} is another key" if beside.is_file() else f"{beside} does not exist"
    raise ShardwiseError(
        f"Cannot verify {lock}: the course key that signed it is missing, because {seen}. Name the key file with --key, or put "
        f"the key into {VARIABLE}."
    )


def key_of_results(known_by: str, given: Sequence[bytes] = ()) -> bytes | None:
    """Return the key with this fingerprint that signed results, if it was given or is known here."""
    named = named_key(None)
    candidates: list[bytes] = [*given, *([named] if named else [])]
    for key in candidates:
        if key_fingerprint(key) == known_by:
            return key
    for place in map(Path, _remembered().get(known_by, ())):
        with suppress(ShardwiseError):
            if key_fingerprint(key := read_key(place)) == known_by:
                return key
    own: bytes = own_key()  # if no key can be saved on this computer
    return own if key_fingerprint(own) == known_by else None


@cache
def own_key() -> bytes:
    """Return this user's key, which signs results that have no course key: those of practice notebooks only."""
    try:
        return course_key(_register().with_name("results.key"))[0]
    except OSError:  # the key cannot be saved, so it signs only what this process writes
        return secrets.token_bytes(32)


def is_ours(known_by: str) -> bool:
    """Return whether `assign` has used the key with this fingerprint on this computer."""
    return known_by in _remembered()


def _register() -> Path:
    import platformdirs

    return Path(platformdirs.user_data_dir("shardwise", appauthor=False)) / "course-keys.json"


def _remembered() -> dict[str, list[str]]:
    """Return the fingerprints of keys that were used here with the paths of their files, but no keys."""
    with suppress(OSError, ValueError, TypeError, AttributeError):
        return {
            str(name): [str(place) for place in places] for name, places in json.loads(_register().read_bytes()).items()
        }
    return {}


def _remember(key: bytes, path: Path) -> None:
    """Record a key as ours. If the record cannot be written, users have to name lock files."""
    known, place = _remembered(), str(path.resolve())
    places = known.setdefault(key_fingerprint(key), [])
    if place not in places:
        places.append(place)
        with suppress(OSError):
            write_file(_register(), json.dumps(known, indent=1).encode(), private=True)
