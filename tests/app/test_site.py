"""What `shardwise site` writes, and what it never touches."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path
from zipfile import ZipFile

import pytest

from checkout import ROOT, checkout_bank
from practice_site import files
from shardwise.app.site.compile import MARK, site_files, write_site
from shardwise.app.site.inside import Inside
from shardwise.app.site.one_file import write_one_file
from shardwise.app.site.tabulated import tabulated
from shardwise.bank.bank import Bank, Banks
from shardwise.bank.pages.interactive_figures import moving
from shardwise.errors import ShardwiseError


def test_a_folder_that_is_no_site_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("years of work", "utf-8")
    with pytest.raises(ShardwiseError, match="is not a site"):
        write_site(Banks([checkout_bank()]), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_site_is_replaced_and_keeps_its_documentation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = {"index.html": b"new", MARK: b""}
    monkeypatch.setattr("shardwise.app.site.compile.site_files", lambda banks, out: made)
    out = tmp_path / "site"
    (out / "docs").mkdir(parents=True)
    (out / "docs" / "index.html").write_text("docs", "utf-8")
    for _ in range(2):
        write_site(Banks([checkout_bank()]), out)
        (out / "app-old").mkdir()
    write_site(Banks([checkout_bank()]), out)
    assert sorted(path.name for path in out.iterdir()) == ["docs", "index.html", MARK]
    assert (out / "docs" / "index.html").read_text("utf-8") == "docs"
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_a_file_that_is_no_chapter_is_refused_and_left_alone(tmp_path: Path) -> None:
    thesis = tmp_path / "thesis.html"
    thesis.write_text("years of work", "utf-8")
    with pytest.raises(ShardwiseError, match="is not such a file"):
        write_one_file(Banks([checkout_bank()]), "1", thesis)
    assert thesis.read_text("utf-8") == "years of work"


def test_a_site_says_nothing_of_the_computer_it_was_made_on(tmp_path: Path) -> None:
    bank = Bank.open(shutil.copytree(ROOT / "examples" / "bank", tmp_path / "ours"))
    for name, data in site_files(Banks([bank]), tmp_path / "site").items():
        inside = [data]
        if name.endswith("python.zip"):
            with ZipFile(io.BytesIO(data)) as archive:
                inside = [archive.read(each) for each in archive.namelist()]
        for each in inside:
            assert str(tmp_path).encode() not in each, name
            assert str(ROOT).encode() not in each, name


def test_every_file_that_is_kept_offline_is_there() -> None:
    listed = json.loads(files()[MARK].decode().splitlines()[1].removeprefix("const FILES = ").removesuffix(";"))
    assert {*listed, MARK} == set(files())


def test_a_figure_from_a_table_shows_what_its_module_computes(tmp_path: Path) -> None:
    bank = checkout_bank()
    tables = tabulated(bank, {"yaml"})
    assert "solutions/interactive/ring.py" in tables
    for name, data in tables["solutions/interactive/ring.py"].items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    ours = moving([bank], "ring")
    chapter = tmp_path / "problems" / "01-ring"
    chapter.mkdir(parents=True)
    (chapter / "chapter.yaml").write_text("title: Rings\nsummary: All about rings.\nproblems: [a-ring]\n", "utf-8")
    (chapter / "a-ring.yaml").write_text("", "utf-8")
    table = moving([Bank.open(tmp_path)], "ring")
    settings = {**ours.start, "gpus": "6"}
    assert table.view == ours.view
    assert json.dumps(table.show(settings)) == json.dumps(ours.show(settings))


def test_a_program_that_the_page_had_to_end_is_marked_as_one_that_took_too_long() -> None:
    steps: list[tuple[float, int]] = []
    inside = Inside.__new__(Inside)
    inside._watch = lambda seconds, step: steps.append((seconds, step))
    inside._stopped, inside._step = {"3": "timeout", "5": "killed"}, 0
    calls = inside._run("def f(x):\n    return x", "f", [{"x": x} for x in range(6)])
    assert [call.status for call in calls] == ["returned", "timeout", "returned", "killed", "skipped", "skipped"]
    assert steps == [(10, 1), (2, 2), (2, 4), (0, 5)]
