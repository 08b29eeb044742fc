"""Gradescope's autograder zip: scripts, and a separate lock file for each student, but not the course key."""

from __future__ import annotations

import io
import json
import re
import secrets
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from importlib.metadata import version
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo, is_zipfile

from shardwise import __version__
from shardwise.atomic_files import replacing
from shardwise.course.assigning.keys import key_fingerprint
from shardwise.course.assigning.lockfile import LOCK_SUFFIX, Lock, LockWriter
from shardwise.errors import ShardwiseError
from shardwise.exchange.gradescope_run import KEY, LOCKS, NOT_GRADED
from shardwise.grading.reports import gradescope
from shardwise.grading.results import Result
from shardwise.plugins import KINDS, added

_WHEEL = r"\w[\w.]*(?:-[\w.!+]+){4,5}\.whl"  # the shape of a wheel's name, without which pip refuses it
_STOPPED = "Error in the grader, not in the notebook: it stopped before it wrote a result."


@dataclass(frozen=True)
class Autograder:
    """The contents of an autograder zip."""

    students: int
    requirements: tuple[str, ...]  # what its setup.sh installs


def write_autograder(lock: Lock, out: Path, *, visibility: str = "visible", wheels: Sequence[Path] = ()) -> Autograder:
    """Write the autograder zip of a set. Raises ShardwiseError for a wheel that pip would refuse.

    Its lock files are signed with a key that is generated for this zip. Nobody who has the zip can draw questions of the course
    or sign its lock files and ledgers. The lock file of the whole set has the students' names, but no questions.
    """
    for wheel in wheels:
        if not (re.fullmatch(_WHEEL, wheel.name) and wheel.is_file() and is_zipfile(wheel)):
            raise ShardwiseError(f"--wheel needs a wheel, NAME-VERSION-...-any.whl, but {wheel} is not a wheel.")
    key = secrets.token_bytes(32)
    kinds: set[str] = set()
    with replacing(out, private=True) as fresh, ZipFile(fresh, "w", ZIP_DEFLATED) as file:
        names: list[Mapping[str, Any]] = []
        for student in lock.students():
            line = json.loads(lock.line(student))
            kinds.update(_kinds_in(line["questions"]))
            names.append({**line, "questions": []})
            _add(file, f"{LOCKS}/{student}{LOCK_SUFFIX}", _lock_file(lock, [line], key))
        _add(file, f"{lock.set_name}{LOCK_SUFFIX}", _lock_file(lock, names, key))
        _add(file, KEY, f"{key.hex()}\n".encode())
        requirements = (*(f"./wheels/{wheel.name}" for wheel in wheels), *_requirements(kinds, wheels))
        _add(file, "requirements.txt", "".join(f"{each}\n" for each in requirements).encode())
        stopped = Result("", lock.set_name, status="ungraded", reason=_STOPPED)
        _add(file, NOT_GRADED, json.dumps(gradescope(stopped, visibility), indent=2).encode())
        python = f"{sys.version_info.major}.{sys.version_info.minor}"
        for name, written in (("setup.sh", {"PYTHON_VERSION": python}), ("run_autograder", {"VISIBILITY": visibility})):
            _add(file, name, _script(name, written), mode=0o755)
        for wheel in wheels:
            _add(file, f"wheels/{wheel.name}", wheel.read_bytes())
    return Autograder(len(names), requirements)


def _lock_file(lock: Lock, lines: Iterable[Mapping[str, Any]], key: bytes) -> bytes:
    """Return the contents of a lock file with the set's header and these students' lines, signed with `key`."""
    contents = io.BytesIO()
    writer = LockWriter(contents, key)
    for data in ({**lock.header, "key": key_fingerprint(key)}, *lines):
        writer.add(data)
    writer.end()
    return contents.getvalue()


def _kinds_in(data: Any) -> Iterator[str]:
    """Yield the kinds of questions in a lock file's line, and of their parts."""
    if isinstance(data, dict):
        if isinstance(data.get("kind"), str):
            yield data["kind"]
        data = list(data.values())
    for each in data if isinstance(data, list) else ():
        yield from _kinds_in(each)


def _requirements(kinds: Iterable[str], wheels: Sequence[Path]) -> Iterator[str]:
    """Yield the packages that can change a grade, at their versions on this computer, but for those given as wheels."""
    entries = [entry for name in kinds for entry in added(KINDS).get(name, ())]
    packages = {entry.dist.name: entry.dist.version for entry in entries if entry.dist}
    given = {wheel.name.partition("-")[0].replace("_", "-").lower() for wheel in wheels}
    for name, wanted in {"shardwise": __version__, **packages}.items():
        if name.replace("_", "-").lower() not in given:
            yield f"{name}=={wanted}"
    yield from (f"{name}=={version(name)}" for name in ("numpy", "sympy"))


def _script(name: str, written: Mapping[str, str]) -> bytes:
    text = resources.files(__package__).joinpath("gradescope", name).read_text("utf-8")
    for placeholder, value in written.items():
        text = text.replace(placeholder, value)
    return text.encode()


def _add(file: ZipFile, name: str, contents: bytes, mode: int = 0o600) -> None:
    info = ZipInfo(name)
    info.external_attr, info.compress_type = (0o100000 | mode) << 16, ZIP_DEFLATED
    file.writestr(info, contents)
