"""`shardwise lint --prose`: what prose should avoid, where it is, and what to write instead."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from shardwise.bank.lint.prose import count_words, split_sentences, style
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


def test_a_bad_expression_is_a_fault_in_its_file(bank: Path) -> None:
    (bank / "problems" / "prose.yaml").write_text("avoid:\n  - {avoid: 'a(', write: better}\n", "utf-8")
    done = CliRunner().invoke(app, ["lint", "--bank", str(bank), "--prose"])
    assert isinstance(done.exception, Faulty)
    (fault,) = done.exception.faults
    assert fault.place == "problems/prose.yaml:2:5"
    assert fault.message == "avoid.0: “a(” is not a regular expression: missing ), unterminated subpattern"
