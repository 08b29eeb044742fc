"""`shardwise lint --prose`: what prose should avoid, where it is, and what to write instead."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest
from typer.testing import CliRunner

from shardwise.bank.files import Avoided
from shardwise.bank.lint import prose
from shardwise.bank.lint.prose import Style, count_words, split_sentences, style
from shardwise.cli.main import app
from shardwise.errors import Faulty


def avoided(text: str) -> list[str]:
    return [what for _, what, _ in style().findings(text)]


def test_a_phrase_is_found_over_the_end_of_a_line_and_in_capitals() -> None:
    assert avoided("How large is it?\nWith how\nmany GPUs?") == ["“With how many”"]


@pytest.mark.parametrize(
    "text",
    [
        "`what stands here` is code, and so is $shall$.",
        "There is no number that fits.",
        "```\nbeside\n```",
        "Continue with {{ shall_we }}.",
        "We recommend the amended text.",  # words that contain a word to avoid
    ],
)
def test_code_formulas_and_good_english_are_left_alone(text: str) -> None:
    assert avoided(text) == []


def test_a_long_sentence_is_reported_with_its_number_of_words() -> None:
    long = "It has " + "many " * 39 + "words."
    assert avoided(f"Short. {long}")[0].startswith("a sentence of 42 words: “It has many")


def test_tables_lists_and_branches_are_not_one_long_sentence() -> None:
    row = "| " + "word " * 30 + "|"
    items = "\n".join("- " + "word " * 30 for _ in range(3))
    branches = "{% if a %}" + "word " * 30 + "{% else %}" + "word " * 30 + "{% endif %}"
    assert avoided(f"{row}\n{row}\n\n{items}\n\n{branches}") == []


def test_a_formula_counts_as_a_word() -> None:
    assert [count_words(sentence) for _, sentence in split_sentences("It takes ____ s. Then ______ more.")] == [4, 3]


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    """A new bank whose first chapter contains two phrases to avoid."""
    assert CliRunner().invoke(app, ["init", "bank", str(tmp_path / "bank")]).exit_code == 0
    return tmp_path / "bank"


def test_a_bank_is_checked_with_its_own_words(bank: Path) -> None:
    lesson = next(bank.glob("problems/*/lesson.md"))
    written = lesson.read_text("utf-8").count("\n") + 3
    lesson.write_text(lesson.read_text("utf-8") + "\n\nThe rest is left out.\nAsk the wizard.\n", "utf-8")
    (bank / "problems" / "prose.yaml").write_text("avoid:\n  - {avoid: wizards?, write: engineer}\n", "utf-8")
    done = CliRunner().invoke(app, ["lint", "--bank", str(bank), "--prose"])
    place = lesson.relative_to(bank).as_posix()
    assert done.exit_code == 1
    assert f"{place}:{written}: “left out”\n     Write omit, ignore, or neglect." in done.output
    assert f"{place}:{written + 1}: “wizard”\n     Write engineer." in done.output
    assert "2 faults in the prose" in done.output


def test_a_new_bank_has_nothing_to_avoid_and_its_prose_file_is_not_a_stray(bank: Path) -> None:
    (bank / "problems" / "prose.yaml").write_text("longest_sentence: 40\n", "utf-8")
    done = CliRunner().invoke(app, ["lint", "--bank", str(bank), "--prose"])
    assert done.exit_code == 0, done.output
    done = CliRunner().invoke(app, ["lint", "--bank", str(bank), "--seeds", "1"])
    assert "prose.yaml" not in done.output


LONG = "many " * 50 + "words."


def prose_fault(bank: Path) -> tuple[str, str]:
    """Place and message of the only fault that makes a check impossible."""
    done = CliRunner().invoke(app, ["lint", "--bank", str(bank), "--prose"])
    assert isinstance(done.exception, Faulty), done.output
    (fault,) = done.exception.faults
    return fault.place, fault.message


@pytest.mark.parametrize(
    ("expression", "why"),
    [
        ("a(", "is not a regular expression: missing ), unterminated subpattern"),
        ("a{4294967299}", "is not a regular expression: the repetition number is too large"),
        ("x*", "matches an empty text, so it would be found everywhere"),
    ],
)
def test_a_bad_expression_is_a_fault_in_its_file(bank: Path, expression: str, why: str) -> None:
    (bank / "problems" / "prose.yaml").write_text(f"avoid:\n  - {{avoid: '{expression}', write: better}}\n", "utf-8")
    assert prose_fault(bank) == ("problems/prose.yaml:2:5", f"avoid.0: “{expression}” {why}")


def test_an_expression_nested_too_deeply_is_a_fault_in_its_file(bank: Path) -> None:
    nested = "(" * 5000 + "x" + ")" * 5000
    (bank / "problems" / "prose.yaml").write_text(f"avoid:\n  - {{avoid: '{nested}', write: better}}\n", "utf-8")
    place, message = prose_fault(bank)
    assert place == "problems/prose.yaml:2:5"
    assert len(message) < 200


def test_an_expression_that_matches_nothing_in_places_is_not_found_there() -> None:
    nothing = Style([Avoided(avoid="(?=wizard)", write="engineer")], 40)
    assert list(nothing.findings("Ask the wizard.")) == []


@pytest.mark.parametrize("what", ["a folder", "a dangling link"])
@pytest.mark.parametrize("name", ["prose.yaml", "01-first-chapter/lesson.md"])
def test_a_file_that_cannot_be_read_is_not_passed_over(bank: Path, what: str, name: str) -> None:
    path = bank / "problems" / name
    path.unlink(missing_ok=True)
    path.mkdir() if what == "a folder" else path.symlink_to("nowhere")
    place, message = prose_fault(bank)
    assert place == f"problems/{name}"
    assert message.startswith("cannot be read: ")


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Windows has no timer of CPU time")
def test_an_expression_that_takes_forever_is_named_with_the_file(bank: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prose, "_SECONDS", 0.5)
    (bank / "problems" / "prose.yaml").write_text("avoid:\n  - {avoid: '(\\w+\\s?)+@', write: better}\n", "utf-8")
    assert prose_fault(bank) == (
        "problems/01-first-chapter/lesson.md",
        "“(\\w+\\s?)+@” of problems/prose.yaml takes more than 0.5 seconds to check",
    )


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Windows has no timer of CPU time")
def test_a_lesson_that_takes_forever_is_named(bank: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prose, "_SECONDS", 0.5)
    (bank / "problems" / "01-first-chapter" / "lesson.md").write_text("{{" * 400_000, "utf-8")
    assert prose_fault(bank) == (
        "problems/01-first-chapter/lesson.md",
        "the file takes more than 0.5 seconds to check",
    )


def test_blank_lines_before_a_lesson_count(bank: Path) -> None:
    (bank / "problems" / "01-first-chapter" / "lesson.md").write_text(f"\n\n\n# Title\n\n{LONG}\n", "utf-8")
    done = CliRunner().invoke(app, ["lint", "--bank", str(bank), "--prose"])
    assert "lesson.md:6: a sentence of 51 words" in done.output


@pytest.mark.parametrize("head", ["|", "|-", "|+", "|2", ">", ">-", "| # why", "&anchor |", "!!str |"])
def test_the_text_of_a_block_begins_on_the_line_below(bank: Path, head: str) -> None:
    path = bank / "problems" / "01-first-chapter" / "chapter.yaml"
    path.write_text(re.sub("(?m)^summary:.*", f"summary: {head}\n  {LONG}", path.read_text("utf-8")), "utf-8")
    done = CliRunner().invoke(app, ["lint", "--bank", str(bank), "--prose"])
    assert "chapter.yaml:3: a sentence of 51 words" in done.output


def test_a_text_whose_first_line_ends_in_a_bar_is_no_block(bank: Path) -> None:
    path = bank / "problems" / "01-first-chapter" / "chapter.yaml"
    path.write_text(re.sub("(?m)^summary:.*", f'summary: "Odd |\n  {LONG}"', path.read_text("utf-8")), "utf-8")
    done = CliRunner().invoke(app, ["lint", "--bank", str(bank), "--prose"])
    assert "chapter.yaml:2: a sentence of" in done.output


def test_with_two_banks_a_fault_names_its_bank(bank: Path, tmp_path: Path) -> None:
    assert CliRunner().invoke(app, ["init", "bank", str(tmp_path / "other")]).exit_code == 0
    (bank / "problems" / "01-first-chapter" / "lesson.md").write_text(LONG, "utf-8")
    both = ["--bank", str(tmp_path / "other"), "--bank", str(bank)]
    done = CliRunner().invoke(app, ["lint", *both, "--prose"])
    assert f"{bank}/problems/01-first-chapter/lesson.md:1: a sentence of 51 words" in done.output


@pytest.mark.parametrize("name", ["lesson.md", "chapter.yaml"])
def test_a_chapter_can_be_named_by_its_files(bank: Path, name: str) -> None:
    named = ["lint", f"problems/01-first-chapter/{name}", "--bank", str(bank), "--prose"]
    assert "No faults in the prose" in CliRunner().invoke(app, named).output


def test_two_reports_at_once_are_refused(bank: Path) -> None:
    done = CliRunner().invoke(app, ["lint", "--bank", str(bank), "--prose", "--fairness"])
    assert str(done.exception) == "Use only one of --fairness and --prose."
