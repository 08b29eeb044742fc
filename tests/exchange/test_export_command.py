"""The commands `export` and `transcribe`, and the page of the docs about them."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from checkout import ROOT, checkout_bank
from shardwise.bank.posing import pose
from shardwise.cli.main import app
from shardwise.errors import ShardwiseError
from shardwise.exchange.moodle_xml import CHANGED, OMITTED, why_omitted

PAGE = (ROOT / "docs" / "exporting.md").read_text("utf-8")
SET = "name: midterm\ntitle: Midterm\nproblems: [ring-time, ring-time-function, order-ring-events]\n"
BANK = ("--bank", str(ROOT))


@pytest.fixture(autouse=True)
def _in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("midterm.yaml").write_text(SET)
    Path("roster.csv").write_text("student,name\nada,Ada Lovelace\nbo,Bo Berg\n")


def run(*words: str, expected: int = 0) -> str:
    """Run a command and return what it prints. Raises what it raises."""
    done = CliRunner().invoke(app, words, catch_exceptions=False, env={"COLUMNS": "200"})
    assert done.exit_code == expected, done.output
    return done.output


def test_export_to_moodle_says_what_it_omits_and_how_to_draw_the_same_again() -> None:
    said = run("export", "midterm.yaml", "--to", "moodle-xml", "--variants", "2", "--out", "quiz.xml", *BANK)
    assert "ring-time-function: Moodle cannot run a program" in said and CHANGED["order"] in said
    assert "2 of 3 problems in quiz.xml" in said
    seed = re.search(r"--seed (\w+)", said)
    assert seed is not None
    again = ("--variants", "2", "--seed", seed[1], "--out", "again.xml")
    assert "--seed" not in run("export", "midterm.yaml", "--to", "moodle-xml", *again, *BANK)
    assert Path("again.xml").read_bytes() == Path("quiz.xml").read_bytes()
    assert Path("quiz.xml").stat().st_mode & 0o077 == 0


def test_export_to_pdf_writes_papers_keys_and_a_table_that_it_never_overwrites() -> None:
    command = ("export", "midterm.yaml", "--to", "pdf", "--roster", "roster.csv", "--out", "exam", *BANK)
    run(*command)
    written = {path.relative_to("exam").as_posix() for path in Path("exam").rglob("*") if path.name != ".lock"}
    assert written == {
        "papers", "papers/midterm-ada.pdf", "papers/midterm-bo.pdf", "keys.pdf", "answers.csv", "midterm.lock.jsonl", "course.key",
    }  # fmt: skip
    assert not any(path.stat().st_mode & 0o077 for path in Path("exam").rglob("*.pdf"))
    Path("exam/answers.csv").write_text("student,name,q1\nada,,3 ms\n")
    before = Path("exam/midterm.lock.jsonl").read_bytes()
    assert "Kept exam/answers.csv" in run(*command)
    assert Path("exam/answers.csv").read_text() == "student,name,q1\nada,,3 ms\n"
    assert Path("exam/midterm.lock.jsonl").read_bytes() == before
    said = run("transcribe", "exam/answers.csv", "--out", "exam/typed")
    assert "1 notebook in exam/typed/submitted" in said and "Without an answer: bo" in said


@pytest.mark.parametrize("whose", [("--variants", "2"), ("--roster", "roster.csv")])
def test_a_set_with_sections_becomes_an_exam(whose: tuple[str, str]) -> None:
    dates = "due: 2036-12-01T23:59:00+01:00\nsections: {B: {due: 2036-12-08T23:59:00+01:00}}\n"
    Path("midterm.yaml").write_text(SET + dates)
    assert "2 papers in exam/papers" in run("export", "midterm.yaml", "--to", "pdf", *whose, "--out", "exam", *BANK)
    assert "2036" not in Path("exam/midterm.lock.jsonl").read_text()


def test_the_exam_of_a_course_is_drawn_with_its_key() -> None:
    Path("course.yaml").write_text("title: Systems\nsets: [midterm.yaml]\n")
    run("export", "midterm", "--to", "pdf", "--out", "exam", *BANK)
    assert Path("course.key").is_file() and not Path("exam/course.key").exists()


def test_papers_for_anybody_and_for_a_roster_do_not_mix() -> None:
    run("export", "midterm.yaml", "--to", "pdf", "--roster", "roster.csv", "--out", "exam", *BANK)
    with pytest.raises(ShardwiseError, match="already contains this exam with students' names"):
        run("export", "midterm.yaml", "--to", "pdf", "--out", "exam", *BANK)


def test_nothing_is_written_without_typst(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(ShardwiseError, match=r'pip install "shardwise\[exam\]"'):
        run("export", "midterm.yaml", "--to", "pdf", "--out", "exam", *BANK)
    assert not Path("exam").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--to", "pdf", "--seed", "3"), "--seed is for moodle-xml"),
        (("--to", "pdf", "--variants", "27"), "at most 26 variants"),
        (("--to", "pdf", "--variants", "3", "--roster", "roster.csv"), "Use either --roster"),
        (("--to", "moodle-xml", "--roster", "roster.csv"), "are for pdf"),
    ],
)
def test_an_option_of_the_other_format_is_refused(words: tuple[str, ...], said: str) -> None:
    output = run("export", "midterm.yaml", *words, "--out", "out", *BANK, expected=2)
    assert said in " ".join(output.split()), output
    assert not Path("out").exists()


def test_the_exams_own_lock_file_is_never_replaced() -> None:
    Path("exam").mkdir()
    Path("exam/midterm.lock.jsonl").write_text("{}\n")
    with pytest.raises(ShardwiseError, match="contains the exam's own lock file"):
        run("transcribe", "exam/answers.csv", "--out", "exam")


def test_the_docs_list_what_moodle_cannot_do_by_kind() -> None:
    rows = {
        kind: (where, what)
        for kind, where, what in re.findall(r"^\| `(\w+)` \| ([^|]+) \| ([^|]+) \|$", PAGE, re.MULTILINE)
    }
    assert {kind: rows[kind][1].partition(". ")[0] for kind in CHANGED} == CHANGED
    assert {kind: rows[kind] for kind in OMITTED} == {kind: ("omitted", why) for kind, why in OMITTED.items()}


def test_the_docs_count_what_moodle_asks_of_the_shipped_bank() -> None:
    questions = [pose(problem, 7) for problem in checkout_bank().read_all().problems.values()]
    asked = [question for question in questions if not why_omitted(question)]
    exact = [question for question in asked if question.kind not in CHANGED]
    said = (
        f"Of the {len(questions)} shipped problems, Moodle asks {len(asked)}, and marks {len(exact)} of these exactly"
    )
    assert said in PAGE
