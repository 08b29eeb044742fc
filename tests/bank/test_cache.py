"""The cache of a bank holds solutions and mistakes: it is for its owner alone, and nobody else's is believed."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from shardwise.bank import compiled
from shardwise.bank.compiled import Compiled


@pytest.fixture
def cached(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a cache that was written under a umask which lets everybody read and write."""
    monkeypatch.setattr(compiled, "cache_folder", lambda: tmp_path)
    before = os.umask(0)
    try:
        (tmp_path / "banks").mkdir()
        known = Compiled.of(tmp_path)
        (tmp_path / "chapter.yaml").write_text(
            "title: Loans\nsummary: What borrowed money costs.\nproblems: [a-loan]\n"
        )
        known.read(tmp_path / "chapter.yaml", "chapter.yaml", "chapter")
        known.keep()
    finally:
        os.umask(before)
    [file] = (tmp_path / "banks").iterdir()
    return file


def is_believed(file: Path) -> bool:
    """Whether a cache knows what was read; nothing is then read anew, and so nothing has to be kept."""
    known = Compiled.of(file.parents[1])
    file.unlink()
    known.read(file.parents[1] / "chapter.yaml", "chapter.yaml", "chapter")
    known.keep()
    return not file.exists()


def test_a_cache_is_for_its_owner_alone_whatever_the_umask(cached: Path) -> None:
    assert stat.S_IMODE(cached.stat().st_mode) == 0o600
    assert stat.S_IMODE(cached.parent.stat().st_mode) == 0o700
    assert is_believed(cached)


@pytest.mark.parametrize("place", ["the file", "its folder"])
def test_a_cache_that_others_can_write_is_not_believed(cached: Path, place: str) -> None:
    (cached if place == "the file" else cached.parent).chmod(0o777)
    assert not is_believed(cached)


def test_a_cache_that_somebody_else_made_is_not_believed(cached: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: cached.stat().st_uid + 1)
    assert not is_believed(cached)
