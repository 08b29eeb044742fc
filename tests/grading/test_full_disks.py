"""Full and read-only disks: one line, no partial file, nothing lost, and everything works again when there is space."""

from __future__ import annotations

import resource
import subprocess
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from drawing import every_sixth_at_once
from shardwise.atomic_files import write_together
from shardwise.bank.bank import Bank
from shardwise.bank.posing import pose
from shardwise.bank.scaffold import init_bank
from writing_commands import COMMANDS, begun, complaints, events, left, prepared

WRITING = sorted({*COMMANDS} - {"lint", "practice"})


def limited(size: int) -> Callable[[], None]:
    """Limit the size of files, which has the effect of a full disk or quota without special permissions."""
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


@cache
def undisturbed(name: str, tests: Path) -> dict[str, bytes]:
    """The files of a command with enough space, in a folder as deep as the tests', because pages contain links."""
    with TemporaryDirectory(dir=tests) as folder:
        whole = Path(folder) / "whole"
        prepared(whole, name)
        assert complaints(begun(whole, name)) == []
        return left(whole)


@pytest.mark.parametrize("name", every_sixth_at_once(WRITING))
def test_a_full_disk_is_reported_and_nothing_is_half_written(name: str, tmp_path: Path) -> None:
    folder = tmp_path / "full"
    size = (400, 0)[WRITING.index(name) % 2]  # the first line of a file still fits, or nothing does
    prepared(folder, name)
    before, kept = left(folder), events(folder)
    ran = begun(folder, name, preexec_fn=limited(size))
    said = complaints(ran)
    after = left(folder)
    assert (ran.returncode, len(said)) == (2, 1), said
    assert said[0].startswith("shardwise: ")
    assert any(place in said[0] for place in ("out/", "bank/", "kept/", "temporary directory"))
    assert not [path for path in after if path.endswith(".new")]
    assert not {
        path: data
        for path, data in after.items()
        if data and data != before.get(path, b"") and path != "out/course.key"
    }
    assert events(folder) == kept
    again = begun(folder, name)
    assert complaints(again) == [] and again.returncode == 0
    whole = undisturbed(name, tmp_path.parent)
    assert left(folder).keys() == whole.keys()
    assert name == "assign" or left(folder) == whole  # every course key is different, and so are its draws


def test_practice_continues_on_a_full_disk_with_one_warning(tmp_path: Path) -> None:
    prepared(tmp_path / "full", "practice")
    ran = begun(tmp_path / "full", "practice", preexec_fn=limited(0), stdout=subprocess.PIPE)
    out, _ = ran.communicate()
    assert ran.returncode == 0
    assert " ".join(out.split()).count("You can still practise") == 1


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[] if name in ("assign", "grade", "new") else [pytest.mark.slow]) for name in WRITING],
)
def test_a_read_only_folder_is_reported_in_a_sentence(name: str, tmp_path: Path) -> None:
    prepared(tmp_path / "own", name)
    before = left(tmp_path / "own")
    bound = [word for inner in ("out", "kept", "bank") for word in ("--ro-bind", *[str(tmp_path / "own" / inner)] * 2)]
    ran = begun(tmp_path / "own", name, inside=["bwrap", "--dev-bind", "/", "/", *bound])
    said = complaints(ran)
    assert (ran.returncode, len(said)) == (2, 1), said
    assert "ead-only" in said[0] or "readonly" in said[0]
    assert ".new" not in said[0]
    assert {**left(tmp_path / "own"), "typed": b""} == {**before, "typed": b""}


def test_bytecode_that_a_full_disk_truncated_is_rebuilt(tmp_path: Path) -> None:
    init_bank(tmp_path / "bank")
    asked = pose(Bank.open(tmp_path / "bank").find("first-quantity"), 1)
    cut_off = list((tmp_path / "bank").rglob("*.pyc"))
    assert cut_off
    for path in cut_off:
        path.write_bytes(path.read_bytes()[:60])
    assert pose(Bank.open(tmp_path / "bank").find("first-quantity"), 1).key == asked.key


def test_files_that_depend_on_each_other_are_written_together_or_not_at_all(tmp_path: Path) -> None:
    listing, taken = tmp_path / "listing", tmp_path / "taken"
    listing.write_text("old")
    taken.mkdir()
    with pytest.raises(IsADirectoryError):
        write_together({listing: b"new", tmp_path / "a" / "b" / "one": b"1", taken: b"2"})
    assert sorted(path.name for path in tmp_path.iterdir()) == ["listing", "taken"]
    assert listing.read_text() == "old"
    write_together({listing: b"new", tmp_path / "a" / "b" / "one": b"1"})
    assert listing.read_text() == "new" and (tmp_path / "a" / "b" / "one").read_text() == "1"
