"""The progress card on a page without Jupyter: fit for all, and its buttons open questions with the keyboard alone."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from checkout import asked, checkout_bank, fresh_session
from shardwise.bank.bank import Banks
from shardwise.bank.discovery import name_of
from shardwise.student.progress.card import card_of
from shardwise.student.progress.events import Event, Variant
from shardwise.student.progress.file import ProgressFile
from shardwise.student.progress.journal import Journal

SEED_SHOWN = "section => section.getRootNode().host.question.seed"
CHAPTER, NUMBER = "01-ring-all-reduce", "bytes-per-gpu"


def practised(folder: Path, *, days: int, count: int) -> Journal:
    """Return the journal of a student who solved the first problems of a chapter some days ago, and mastered the first."""
    file, at = ProgressFile(folder / "progress.sqlite"), datetime.now(UTC) - timedelta(days=days)
    for problem in checkout_bank().of_chapter(CHAPTER)[:count]:
        for seed in "012" if problem.slug == "gpus-behind-one-link" else "0":
            variant = Variant(name_of(checkout_bank().folder), problem.id, seed)
            file.add(Event(at, variant, problem.digest, "answer", "form", "correct", 2.0))
    return Journal(file)


def test_a_card_of_a_chapter_is_fit_for_all_and_opens_questions_by_keys(bare: Any, tmp_path: Path) -> None:
    journal = practised(tmp_path, days=9, count=7)
    card = bare.show("progress", card_of(Banks([checkout_bank()]), CHAPTER, journal).view)
    expect(card.get_by_role("img", name="mastered")).to_have_count(1)
    expect(card.get_by_role("img", name="solved")).to_have_count(6)
    expect(card).to_contain_text("3 more wait for the next days.")
    bare.is_fit_for_all()
    button = card.get_by_role("button", name="1.9 How much faster is NVLink than the network?")
    button.focus()
    button.press("Enter")
    expect(card.get_by_role("heading", name="How much faster is NVLink than the network?")).to_be_focused()
    bare.is_fit_for_all()


def test_a_card_goes_to_the_form_that_the_page_has_but_asks_what_is_due_with_new_numbers(
    bare: Any, tmp_path: Path
) -> None:
    bare.show("progress", card_of(Banks([checkout_bank()]), CHAPTER, practised(tmp_path, days=9, count=3)).view)
    bare.beside("problem", bare.desk.open(asked(NUMBER)))
    form = bare.page.locator(".shardwise").last
    due, listed = bare.page.get_by_role("button", name="1.3 How much does each GPU send?").all()
    listed.click()
    expect(form.get_by_role("heading", name="How much does each GPU send?")).to_be_focused()
    due.click()
    expect(bare.page.get_by_role("heading", name="How much does each GPU send?")).to_have_count(2)
    assert [each.evaluate(SEED_SHOWN) for each in bare.page.locator("section[aria-labelledby=title]").all()] == [
        "1",
        "0",
    ]


def test_a_card_of_all_chapters_is_fit_for_all(bare: Any) -> None:
    bare.show("progress", card_of(Banks([checkout_bank()]), None, fresh_session().journal).view)
    bare.is_fit_for_all()
