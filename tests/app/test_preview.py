"""The preview's replies: every variant with what its author wants to see, and the last good one of a broken file."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from checkout import ROOT
from shardwise.app.preview import Preview, chosen_problems
from shardwise.bank.discovery import open_banks
from shardwise.errors import ShardwiseError
from shardwise.student.progress.file import VARIABLE

PAYMENT = {"problem": "01-loans-and-bonds/monthly-payment"}


@pytest.fixture
def bank(tmp_path: Path) -> Path:
    return Path(shutil.copytree(ROOT / "examples" / "bank", tmp_path / "bank"))


@pytest.fixture
def preview(bank: Path) -> Iterator[Preview]:
    made = Preview(open_banks([bank]), variants=3)
    yield made
    made.close()


def asked(preview: Preview, what: str) -> dict[str, Any]:
    return preview.reply({"do": what, **PAYMENT})


def test_a_variant_has_its_form_key_oracle_and_mistakes(preview: Preview) -> None:
    variants = asked(preview, "variants")["variants"]
    assert [variant["seed"] for variant in variants] == ["0", "1", "2"]
    for variant in variants:
        assert variant["agrees"]
        assert [float(text.split()[0].replace("\u202f", "")) for text in variant["oracle"]] == [
            pytest.approx(float(variant["key"].split()[0]), rel=1e-3)
        ]
        assert all(mistake["answer"] and mistake["html"] for mistake in variant["mistakes"])
        assert variant["given"]["question"]["seed"] == variant["seed"]
        assert variant["margin"] > 1
    assert asked(preview, "lint")["faults"] == []


def test_a_broken_file_shows_its_faults_and_its_last_good_version(preview: Preview, bank: Path) -> None:
    before = asked(preview, "variants")
    path = bank / "problems" / f"{PAYMENT['problem']}.yaml"
    text = path.read_text()
    stamp = asked(preview, "stamp")
    path.write_text(text.replace("kind: quantity", "kind: quantitty"))
    assert asked(preview, "stamp") != stamp
    assert asked(preview, "bank")["faults"] == []
    after = asked(preview, "variants")
    assert after["isOld"]
    assert after["variants"] == before["variants"]
    (fault,) = asked(preview, "lint")["faults"]
    assert fault.startswith("problems/01-loans-and-bonds/monthly-payment.yaml:")
    assert "unknown kind 'quantitty'" in fault
    path.write_text(text)
    asked(preview, "bank")
    assert not asked(preview, "variants")["isOld"]


def test_a_broken_chapter_keeps_the_problems_that_it_listed(preview: Preview, bank: Path) -> None:
    chapters = asked(preview, "bank")["chapters"]
    listing = bank / "problems" / "01-loans-and-bonds" / "chapter.yaml"
    listing.write_text(listing.read_text().replace("problems:", "problem:"))
    after = asked(preview, "bank")
    assert after["chapters"] == chapters
    assert any("unknown key 'problem'" in fault for fault in after["faults"])


def test_a_reference_that_ends_its_process_is_reported(preview: Preview, bank: Path) -> None:
    loans = bank / "solutions" / "loans.py"
    loans.write_text(loans.read_text() + "\nimport os\nos._exit(3)\n")
    asked(preview, "bank")
    assert asked(preview, "variants")["why"].startswith("The process that draws this problem died.")
    loans.write_text(loans.read_text().replace("\nimport os\nos._exit(3)\n", ""))
    asked(preview, "bank")
    assert len(asked(preview, "variants")["variants"]) == 3


def test_a_reference_that_raises_keyboard_interrupt_is_a_fault(preview: Preview, bank: Path) -> None:
    loans = bank / "solutions" / "loans.py"
    for raised in ("\nraise KeyboardInterrupt\n", "\ndef monthly_payment(): raise KeyboardInterrupt\n"):
        before = loans.read_text()
        loans.write_text(before + raised)
        asked(preview, "bank")
        assert asked(preview, "variants")["variants"] == []
        (fault,) = asked(preview, "lint")["faults"]
        assert "KeyboardInterrupt" in fault and "solutions/loans.py:" in fault
        loans.write_text(before)


def test_a_reference_that_loops_without_end_is_reported_and_the_next_version_is_drawn(
    preview: Preview, bank: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loans = bank / "solutions" / "loans.py"
    before = loans.read_text()
    loans.write_text(f"{before}\nwhile True:\n    pass\n")
    asked(preview, "bank")
    monkeypatch.setattr("shardwise.app.preview._PATIENCE", 3.0)
    assert "Does a reference loop without end?" in asked(preview, "variants")["why"]
    monkeypatch.undo()
    loans.write_text(before)
    asked(preview, "bank")
    assert len(asked(preview, "variants")["variants"]) == 3


def test_what_an_author_tries_is_not_saved_as_progress(
    preview: Preview, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "progress.sqlite"))
    key = asked(preview, "variants")["variants"][0]["key"]
    reply = preview.reply({"do": "check", **PAYMENT, "seed": "0", "answer": key})
    assert reply["verdict"]["outcome"] == "correct"
    assert not (tmp_path / "progress.sqlite").exists()


def test_an_unknown_problem_is_named_with_the_closest(bank: Path) -> None:
    banks = open_banks([bank])
    assert chosen_problems(banks, ["monthly-payment", "01"]) == ["monthly-payment", "01"]
    with pytest.raises(ShardwiseError, match="Did you mean monthly-payment"):
        chosen_problems(banks, ["monthly-paiment"])
