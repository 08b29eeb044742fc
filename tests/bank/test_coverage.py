"""The curriculum of a bank: which problems cover which rows, the page about it, and faults in either."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from shardwise.bank.bank import Bank, Banks
from shardwise.bank.lint.coverage import coverage_page, coverage_table, summary
from shardwise.bank.lint.lint import faults_of, lint
from shardwise.bank.lint.unlisted_files import stray_files
from shardwise.bank.pages.curriculum import NAME, Curriculum, curriculum_of
from shardwise.bank.scaffold import starter
from shardwise.cli.main import app
from shardwise.errors import Faulty

ROWS = """\
about: Two books on rings, called A and B.
rows:
  - {id: A-P01, chapter: 01-rings, asks: how long a ring takes}
  - {id: A-P02, chapter: 01-rings, asks: why | not a tree, lesson: Two phases}
  - {id: A-P03, chapter: 01-rings, asks: what nobody asks}
  - {id: B-P01, chapter: 02-later, asks: what comes later}
  - {id: B-P02, chapter: 02-later, asks: what comes later still}
  - {id: E1, kind: erratum, asks: a misspelling, note: nothing follows from it}
"""


def a_bank(folder: Path, rows: str = ROWS, covers: str = "A-P01, B-P01") -> Bank:
    """A bank with one chapter and two problems, one of which covers some rows."""
    chapter = folder / "problems" / "01-rings"
    chapter.mkdir(parents=True)
    (chapter / "lesson.md").write_text("# Rings\n\n## Two phases\n\nFirst.\n")
    (chapter / "chapter.yaml").write_text("title: Rings\nsummary: About rings.\nproblems: [first-one, second-one]\n")
    (chapter / "first-one.yaml").write_text(starter("choice", "First").replace("tags:", f"covers: [{covers}]\ntags:"))
    (chapter / "second-one.yaml").write_text(starter("choice", "Second"))
    (folder / NAME).write_text(rows, "utf-8")
    return Bank.open(folder)


def curriculum(bank: Bank) -> Curriculum:
    found = curriculum_of(bank)
    assert found
    return found


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["coverage", *arguments])
    said = "" if done.exception is None or isinstance(done.exception, SystemExit) else str(done.exception)
    return done.exit_code, done.output + said


def said(bank: Bank, *only: str) -> list[str]:
    faults = faults_of(lint(Banks([bank]), seeds=1, only=only, workers=1))
    return [f"{fault.place}: {fault.message} / {fault.remedy}" for fault in faults]


def test_a_row_is_covered_by_problems_a_lesson_or_a_note(tmp_path: Path) -> None:
    bank = a_bank(tmp_path)
    assert [(row, cover) for row, _, _, cover in coverage_table(curriculum(bank))] == [
        ("A-P01", "first-one"),
        ("A-P02", "lesson: Two phases"),
        ("A-P03", "**nothing**"),
        ("B-P01", "first-one"),
        ("B-P02", "not yet"),
        ("E1", "nothing follows from it"),
    ]
    assert summary(curriculum(bank)) == ("6 rows, 1 not covered: A-P03; 1 in chapters that are not written yet")


def test_the_page_links_problems_and_lists_first_what_is_missing(tmp_path: Path) -> None:
    text = coverage_page(curriculum(a_bank(tmp_path)), tmp_path / "docs")
    counts, missing, rings, later, without = text.split("\n## ")
    assert "Two books on rings, called A and B." in counts
    assert "| 01-rings | 3 | 1 | 1 | 1 |" in counts
    assert "| 02-later | 2 | 1 | 0 | 1 (not yet) |" in counts
    assert missing.startswith("Not covered yet\n")
    assert "| A-P03 | what nobody asks | **nothing** |" in missing and "A-P01" not in missing
    assert rings.startswith("Rings\n")
    assert "| A-P01 | how long a ring takes | [first-one](../problems/01-rings/first-one.yaml) |" in rings
    assert "| A-P02 | why \\| not a tree | lesson: Two phases |" in rings
    assert later.startswith("02-later (not yet)\n")
    assert without.startswith("Without a chapter\n") and "| E1 | a misspelling | nothing follows from it |" in without


def test_the_page_is_written_and_checked(tmp_path: Path) -> None:
    a_bank(tmp_path)
    page_ = tmp_path / "docs" / "coverage.md"
    page_.parent.mkdir()
    named = ("--bank", str(tmp_path), "--write", str(page_))
    assert run(*named, "--check") == (
        1,
        f"Bank: {tmp_path} (1 chapter, 2 problems)\n"
        f"{page_} is out of date. Run `shardwise coverage --write {page_}` and commit it.\n",
    )
    assert not page_.exists()
    assert run(*named)[0] == 0
    before = page_.read_text("utf-8")
    assert run(*named, "--check")[0] == 0
    page_.write_text(before + "\n", "utf-8")
    assert run(*named, "--check")[0] == 1
    assert run(*named)[0] == 0
    assert page_.read_text("utf-8") == before
    code, out = run("--bank", str(tmp_path))
    assert (code, out.splitlines()[1].split()) == (0, ["row", "chapter", "asks", "covered", "by"])


def test_no_text_breaks_a_table_of_the_page_or_begins_html(tmp_path: Path) -> None:
    hostile = ROWS.replace("why | not a tree", '"why\\nnot <b>a\\\\| tree `a < b`"').replace(
        "02-later, asks: what comes later}", '"02\\n<i>", asks: last}'
    )
    text = coverage_page(curriculum(a_bank(tmp_path, hostile)), tmp_path)
    assert r"| A-P02 | why not \<b>a\\\| tree `a < b` | lesson: Two phases |" in text.splitlines()
    assert r"## 02 \<i> (not yet)" in text.splitlines()


def test_what_cannot_be_shown_is_reported(tmp_path: Path) -> None:
    for name in ("one", "two", "none"):
        a_bank(tmp_path / name)
    (tmp_path / "none" / NAME).unlink()
    assert "No bank here has a problems/curriculum.yaml" in run("--bank", str(tmp_path / "none"))[1]
    several = [part for name in ("one", "two") for part in ("--bank", str(tmp_path / name))]
    assert "Several of these banks have a curriculum. Name one with --bank." in run(*several)[1]
    assert run("--bank", str(tmp_path / "one"), "--bank", str(tmp_path / "none"))[0] == 0
    assert "--check needs the page to check" in run("--bank", str(tmp_path / "one"), "--check")[1]


def test_a_bank_may_have_a_curriculum_or_none(tmp_path: Path) -> None:
    assert said(a_bank(tmp_path)) == []
    (tmp_path / NAME).unlink()
    bank = Bank.open(tmp_path)
    assert curriculum_of(bank) is None
    assert said(bank) == stray_files(bank) == []


def test_a_row_that_is_not_in_the_curriculum_is_reported_at_its_place(tmp_path: Path) -> None:
    bank = a_bank(tmp_path, covers="A-P01, A-PO2, Z")
    faults = [
        "problems/01-rings/first-one.yaml:5:17: covers: curriculum.yaml has no row 'A-PO2' / Did you mean 'A-P02'?",
        "problems/01-rings/first-one.yaml:5:24: covers: curriculum.yaml has no row 'Z' / Correct it, or add a row.",
    ]
    assert said(bank) == said(bank, "first-one") == faults
    assert said(bank, "second-one") == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("A-P02", "A-P01", "4:10: rows: A-P01 is listed twice / Remove one."),
        ("lesson: Two phases", "lesson: Two phase", "4:68: rows: the lesson of 01-rings has no heading “## Two phase” / Did you mean 'Two phases'?"),
        ("later still", "later, lesson: Two phases", "7:68: rows: B-P02 names a lesson of 02-later, which is not written yet / Remove `lesson` until it is."),
        ("chapter: 01-rings, asks: what", "chapter: 01-ring, asks: what", "5:26: rows: A-P03 belongs to '01-ring', but another chapter has that number / Did you mean '01-rings'?"),
    ],
)  # fmt: skip
def test_a_row_that_contradicts_the_bank_is_reported_at_its_place(
    tmp_path: Path, old: str, new: str, fault: str
) -> None:
    assert said(a_bank(tmp_path, ROWS.replace(old, new), covers=""), "second-one") == [f"{NAME}:{fault}"]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (", note: nothing follows from it", "", "rows.5: E1 needs a chapter, or a note that says why the bank omits it"),
        ("note: nothing", "note: nothing, lesson: Two phases, about: it", "unknown key 'about'"),
        ("note: nothing", "lesson: Two phases, note: nothing", "rows.5: E1 has a lesson but no chapter"),
        ("kind: erratum", "kind: errata", "rows.5.kind: expected 'row' or 'erratum', but found 'errata'"),
    ],
)  # fmt: skip
def test_an_invalid_curriculum_is_reported_at_its_place(tmp_path: Path, old: str, new: str, words: str) -> None:
    bank = a_bank(tmp_path, ROWS.replace(old, new))
    with pytest.raises(Faulty) as caught:
        curriculum_of(bank)
    assert words in str(caught.value)
    assert f"{NAME}:8:" in str(caught.value)


def test_every_row_of_the_written_chapters_is_covered(whole_bank: Bank) -> None:
    found = curriculum(whole_bank)
    assert [row.id for row in found.rows if found.is_missing(row)] == []
