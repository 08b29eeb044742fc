"""Archives for the browser: packages, the banks' files, and sympy, without what practice does not need there."""

from __future__ import annotations

import hashlib
import io
import pickle
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from importlib.metadata import Distribution
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

import shardwise
from shardwise.app.site.inside import PARSED
from shardwise.app.site.tabulated import tabulated
from shardwise.bank.bank import Bank, Banks
from shardwise.bank.digests import files_below
from shardwise.bank.discovery import SHIPPED, name_of
from shardwise.errors import ShardwiseError
from shardwise.plugins import ELEMENTS, KINDS, added

Files = dict[str, bytes]  # by name in the archive
_TAG = "cpython-314"  # of Python in the browser
SITE = "site"  # the folder of packages in the browser
_NOT_OURS = re.compile(r"(app/(static|(preview|server|variants)\.py|site/(?!__init__|inside))|cli|course|grading|sandbox|analysis|exchange"
                        r"|bank/(lint|beginnings|dependencies|scaffold|forking)"
                       r"|student/widget|__main__)|.*\.md$")  # fmt: skip
_BANK = re.compile(
    r"problems/[^/]+/[^/]+\.(yaml|md)$|problems/[^/]+\.yaml$|problems/[^/]+/figures/|solutions/(?!figures/)"
)


def packages() -> Files:
    """Return the program, and the packages that add kinds or pages of the app, with the metadata that names them."""
    found = _folder(Path(shardwise.__file__).parent, f"{SITE}/shardwise", _NOT_OURS)
    entries = [entry for group in (KINDS, ELEMENTS) for each in added(group).values() for entry in each]
    for name in sorted({entry.module.partition(".")[0] for entry in entries}):
        spec = find_spec(name)
        for folder in (spec.submodule_search_locations or ())[:1] if spec else ():
            found |= _folder(Path(folder), f"{SITE}/{name}", re.compile(r"(problems|solutions)/"))
    for dist in {entry.dist.name: entry.dist for entry in entries if entry.dist}.values():
        found |= _metadata(dist)
    return found


def bank_files(banks: Banks, known: Container[str]) -> tuple[Files, list[str]]:
    """Return the files of the banks, and the name under which each is opened in the browser, which has the packages in `known`.

    The shipped bank is inside its package there, as a wheel has it, so that it has the same name in a student's record.
    """
    found: Files = {}
    names: list[str] = []
    for bank in banks.all:
        is_shipped = name_of(bank.folder) == SHIPPED
        place = f"{SITE}/shardwise_bank" if is_shipped else f"banks/{bank.folder.name}"
        if f"/{place}" in names:
            raise ShardwiseError(f"Two banks are called {bank.folder.name}. Rename the folder of one.")
        names.append(SHIPPED if is_shipped else f"/{place}")
        found |= {f"{place}/{name}": data for name, data in _files_of(bank, known)}
    return found, names


def top_level(packed: bytes) -> set[str]:
    """Return the names of the packages and modules in an archive of compiled modules."""
    with ZipFile(io.BytesIO(packed)) as opened:
        return {name.partition("/")[0].removesuffix(".pyc") for name in opened.namelist() if ".dist-info/" not in name}


def with_bytecode(files: Files, compiled: Path, *, keep: bool) -> Files:
    """Return files with the bytecode of the modules that have not changed since `compiled` was made, by their digests.

    It replaces the modules, or with `keep` is added to them: a bank's references are found by their files.
    """
    made: Files = {}
    with ZipFile(compiled) as opened:
        held = set(opened.namelist())
        for name, data in files.items():
            pyc = f"{hashlib.sha256(data).hexdigest()}.pyc"
            is_held = name.endswith(".py") and pyc in held
            if keep or not is_held:
                made[name] = data
            if is_held:
                folder, _, module = name.removesuffix(".py").rpartition("/")
                cached = f"{folder}/__pycache__/{module}.{_TAG}.pyc"
                made[cached if keep else f"{name}c"] = opened.read(pyc)
    return made


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return a zip of these files, which is the same whenever they are."""
    made = io.BytesIO()
    with ZipFile(made, "w") as packed:
        for name, data in sorted(files.items()):
            packed.writestr(ZipInfo(name), data, ZIP_DEFLATED, 9)
    return made.getvalue()


def _folder(folder: Path, place: str, without: re.Pattern[str]) -> Files:
    names: Iterable[str] = (name for name in files_below(folder) if not without.match(name))
    return {f"{place}/{name}": (folder / name).read_bytes() for name in names}


def _files_of(bank: Bank, known: Container[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of a bank that practice reads, and its problems as plain data, since browsers have no fast parser of YAML.

    Its still figures are served with the page, so an empty file stands for each.
    """
    parsed = {name: problem.source.data for name, problem in bank.problems.items()}
    yield PARSED, pickle.dumps(parsed, protocol=4)
    tables = tabulated(bank, known)
    for name in [f"{part}/{name}" for part in ("problems", "solutions") for name in files_below(bank.folder / part)]:
        if name in tables:
            yield from tables[name].items()
        elif _BANK.match(name) and not _is_in_another_chapter(bank, name):
            yield name, b"" if "/figures/" in name else (bank.folder / name).read_bytes()


def _is_in_another_chapter(bank: Bank, name: str) -> bool:
    """Return whether a file belongs to a chapter that the site omits."""
    part, *folders, _ = name.split("/")
    return part == "problems" and bool(folders) and folders[0] not in bank.chapters


def _metadata(dist: Distribution) -> Files:
    """Return the metadata by which Python finds the entry points of a package."""
    folder = f"{SITE}/{dist.name.replace('-', '_')}-{dist.version}.dist-info"
    about = f"Metadata-Version: 2.1\nName: {dist.name}\nVersion: {dist.version}\n"
    return {f"{folder}/METADATA": about.encode(), f"{folder}/entry_points.txt": _entry_points(dist).encode()}


def _entry_points(dist: Distribution) -> str:
    groups = {entry.group for entry in dist.entry_points if entry.group.startswith("shardwise.")}
    return "".join(
        f"[{group}]\n"
        + "".join(f"{entry.name} = {entry.value}\n" for entry in dist.entry_points if entry.group == group)
        for group in sorted(groups)
    )
