"""A student solves a whole chapter in JupyterLab, from the first cell to mastery, and comes back a week later."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect
from typer.testing import CliRunner

from browser.conftest import faults_of
from browser.hands import Mouse, form_of, give
from browser.in_jupyter import TIDY_UP, show
from checkout import ROOT
from shardwise.bank.bank import Bank, Problem
from shardwise.bank.posing import pose
from shardwise.cli.main import app
from shardwise.course.assigning.notebooks import chapter_notebook, file_text
from shardwise.kinds import kind_of
from shardwise.question import Outcome, Question

pytestmark = pytest.mark.slow  # two minutes

OWN = ROOT / "examples" / "bank"
CHAPTER = "01-loans-and-bonds"
TODAY, A_WEEK_LATER = "2026-12-01T09:00", "2026-12-08T09:00"
SEED_SHOWN = "section => section.getRootNode().host.question.seed"


def test_a_chapter_is_solved_from_its_first_cell_to_mastery_and_asked_again_a_week_later(
    in_lab: Page, lab: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bank, kept = Bank.open(OWN), tmp_path / "progress.sqlite"
    problems = list(bank.of_chapter(CHAPTER))
    page, faults = in_lab, faults_of(in_lab)
    open_notebook(page, lab, bank, kept, TODAY)
    expect(card(page)).to_contain_text(f"0 of {len(problems)}")
    for problem in problems:
        master(page, problem)
    monkeypatch.setenv("SHARDWISE_PROGRESS", str(kept))
    monkeypatch.setenv("SHARDWISE_NOW", TODAY)
    assert practised() == {"solved": len(problems), "mastered": len(problems), "due": 0}

    monkeypatch.setenv("SHARDWISE_NOW", A_WEEK_LATER)
    due = practised()["due"]
    assert due > 0
    page.evaluate(TIDY_UP)
    open_notebook(page, lab, bank, kept, A_WEEK_LATER)
    expect(card(page)).to_contain_text(f"{len(problems)} of {len(problems)}")
    expect(card(page)).to_contain_text(re.compile(rf"\b{due}\b.*due|due.*\b{due}\b", re.IGNORECASE | re.DOTALL))
    assert faults == []


def practised() -> dict[str, int]:
    """Return the progress in the chapter from `shardwise progress`."""
    done = CliRunner().invoke(app, ["progress", "--bank", str(OWN), "--json"])
    assert done.exit_code == 0, done.output
    (chapter,) = json.loads(done.stdout)
    return {name: chapter[name] for name in ("solved", "mastered", "due")}


def open_notebook(page: Page, lab: Any, bank: Bank, kept: Path, now: str) -> None:
    notebook = json.loads(file_text(chapter_notebook(bank, CHAPTER, named=str(OWN))))
    first = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    first["source"] = f"%env SHARDWISE_PROGRESS={kept}\n%env SHARDWISE_NOW={now}\n{first['source']}"
    show(page, lab, f"chapter-{now[:10]}.ipynb", notebook)


def card(page: Page) -> Locator:
    """Return the progress card in the first cell."""
    return page.locator(".jp-CodeCell").first.locator(".jp-OutputArea").last


def master(page: Page, problem: Problem) -> None:
    """Give a wrong answer, then the right one, then right answers to two other variants."""
    question = pose(problem, "0")
    form, mouse = form_of(page, question), Mouse(page)
    form.scroll_into_view_if_needed()
    give(mouse, form, question, wrong(question))
    expect(form.get_by_role("status")).to_contain_text(re.compile("Not yet|Partly right"))
    give(mouse, form, question, right(question))
    expect(form.get_by_role("status")).to_contain_text("✓ Correct")
    for _ in range(2):
        form.get_by_role("button", name=re.compile("New numbers|Another bug")).click()
        expect(form.get_by_role("status")).to_contain_text(re.compile("new numbers|another bug"))
        question = pose(problem, form.evaluate(SEED_SHOWN))
        give(mouse, form, question, right(question))
        expect(form.get_by_role("status")).to_contain_text("✓ Correct")


def right(question: Question) -> Any:
    if question.kind == "code":
        found = re.search(r"```python\n(.*?)```", question.solution, re.DOTALL)
        assert found, "the solution of a function shows it"
        return found[1]
    return as_fields(question, sample(question, Outcome.CORRECT))


def wrong(question: Question) -> Any:
    if question.kind == "code":
        return f"def {question.form.model_dump()['function']}(*_, **__):\n    return -1\n"
    return as_fields(question, sample(question, Outcome.INCORRECT, Outcome.PARTIAL))


def sample(question: Question, *outcomes: Outcome) -> Any:
    """Return an answer with one of these outcomes, as form fields send it; other samples are typed text."""
    found = [sample.raw for sample in kind_of(question).samples(question) if sample.outcome in outcomes]
    return next((raw for raw in found if isinstance(raw, dict)), found[0])


def as_fields(question: Question, raw: Any) -> Any:
    """Split a typed answer into fields."""
    if question.kind == "estimate" and isinstance(raw, str):
        return dict(zip(("value", "confidence"), raw.split(", "), strict=True))
    if question.kind == "layout":
        kind = kind_of(question)
        axes = [axis["name"] for axis in kind.view(question.form)["fields"][0]["axes"]]
        return dict(zip(axes, kind.parse(question.form, raw).layout, strict=True))
    return raw
