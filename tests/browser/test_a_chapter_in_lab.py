"""A student solves a whole chapter in JupyterLab, from the first cell to mastery, and comes back a week later."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect
from typer.testing import CliRunner

from checkout import ROOT
from shardwise.bank.bank import Bank, Problem
from shardwise.bank.posing import pose
from shardwise.cli.main import app
from shardwise.course.notebooks import chapter_notebook, file_text
from shardwise.kinds import kind_of
from shardwise.question import Outcome, Question

pytestmark = pytest.mark.slow  # two minutes

OWN = ROOT / "examples" / "bank"
CHAPTER = "01-loans-and-bonds"
TODAY, A_WEEK_LATER = "2026-12-01T09:00", "2026-12-08T09:00"
SEED_SHOWN = "section => section.getRootNode().host.question.seed"
RUN_ALL = """async () => {
  const app = window.jupyterapp;
  await app.restored;
  const panel = app.shell.currentWidget;
  await panel.context.ready;
  await panel.context.sessionContext.ready;
  await panel.context.sessionContext.session.kernel.info;
  await app.commands.execute("notebook:run-all-cells");
}"""


def test_a_chapter_is_solved_from_its_first_cell_to_mastery_and_asked_again_a_week_later(
    page: Page, lab: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bank, kept = Bank.open(OWN), tmp_path / "progress.sqlite"
    problems = list(bank.of_chapter(CHAPTER))
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
    open_notebook(page, lab, bank, kept, A_WEEK_LATER)
    expect(card(page)).to_contain_text(f"{len(problems)} of {len(problems)}")
    expect(card(page)).to_contain_text(re.compile(rf"\b{due}\b.*due|due.*\b{due}\b", re.IGNORECASE | re.DOTALL))


def practised() -> dict[str, int]:
    """What `shardwise progress` says of the chapter."""
    done = CliRunner().invoke(app, ["progress", "--bank", str(OWN), "--json"])
    assert done.exit_code == 0, done.output
    (chapter,) = json.loads(done.stdout)
    return {name: chapter[name] for name in ("solved", "mastered", "due")}


def open_notebook(page: Page, lab: Any, bank: Bank, kept: Path, now: str) -> None:
    notebook = json.loads(file_text(chapter_notebook(bank, CHAPTER, named=str(OWN))))
    notebook["metadata"]["kernelspec"] = {"name": "shardwise-test", "display_name": "test"}
    first = next(cell for cell in notebook["cells"] if cell["cell_type"] == "code")
    first["source"] = f"%env SHARDWISE_PROGRESS={kept}\n%env SHARDWISE_NOW={now}\n{first['source']}"
    name = f"chapter-{now[:10]}.ipynb"
    (lab.notebooks / name).write_text(json.dumps(notebook), "utf-8")
    page.goto(lab.address(name) + "&reset")
    page.wait_for_function("() => window.jupyterapp?.shell?.currentWidget?.context")
    page.evaluate(RUN_ALL)


def card(page: Page) -> Locator:
    """What the first cell shows: where the student stands."""
    return page.locator(".jp-CodeCell").first.locator(".jp-OutputArea").last


def master(page: Page, problem: Problem) -> None:
    """A wrong answer, then the right one, then the right ones to two other variants."""
    question = pose(problem, "0")
    form = page.get_by_role("region", name=question.title, exact=True)
    form.scroll_into_view_if_needed()
    give(form, question, wrong(question))
    expect(form.get_by_role("status")).to_contain_text(re.compile("Not yet|Partly right"))
    give(form, question, right(question))
    expect(form.get_by_role("status")).to_contain_text("✓ Correct")
    for _ in range(2):
        form.get_by_role("button", name="Another").click()
        expect(form.get_by_role("status")).to_contain_text("new")
        question = pose(problem, form.evaluate(SEED_SHOWN))
        give(form, question, right(question))
        expect(form.get_by_role("status")).to_contain_text("✓ Correct")


def right(question: Question) -> Any:
    if question.kind == "code":
        found = re.search(r"```python\n(.*?)```", question.solution, re.DOTALL)
        assert found, "the solution of a function shows it"
        return found[1]
    return sample(question, Outcome.CORRECT)


def wrong(question: Question) -> Any:
    if question.kind == "code":
        return f"def {question.form.model_dump()['function']}(*_, **__):\n    return -1\n"
    return sample(question, Outcome.INCORRECT, Outcome.PARTIAL)


def sample(question: Question, *outcomes: Outcome) -> Any:
    """An answer with one of these outcomes, as the fields of a form give it; other samples are texts as somebody types them."""
    found = [sample.raw for sample in kind_of(question).samples(question) if sample.outcome in outcomes]
    return next((raw for raw in found if isinstance(raw, dict)), found[0])


# Filling a form in -------------------------------------------------------------------------------------------------------


def give(form: Locator, question: Question, raw: Any) -> None:
    """Enter an answer as a student would, and check it."""
    fields = kind_of(question).view(question.form)["fields"]
    if question.kind == "estimate" and isinstance(raw, str):
        value, confidence = raw.split(", ")
        raw = {"value": value, "confidence": confidence}
    if question.kind == "layout":
        read = kind_of(question).parse(question.form, raw)
        raw = {axis["name"]: value for axis, value in zip(fields[0]["axes"], read.layout, strict=True)}
    fill(form, fields, raw)
    form.get_by_role("button", name="Check", exact=True).click()


def fill(within: Locator, fields: list[dict[str, Any]], raw: Any) -> None:
    for field in fields:
        if "name" not in field:
            enter(within, field, raw)
        elif field["name"] in raw:
            enter(within, field, raw[field["name"]])


def enter(within: Locator, field: dict[str, Any], raw: Any) -> None:
    match field["type"]:
        case "line":
            within.get_by_label(field["label"]).fill(str(raw))
        case "number":
            within.get_by_label(field["name"], exact=True).fill(repr(raw))
        case "program":
            within.get_by_label(field["label"]).fill(raw)
        case "options":
            for letter in raw.lower().split():
                within.locator(f"input[value='{letter}']").check()
        case "order":
            move(within, raw.split())
        case "pairs":
            for item, letter in raw.items():
                within.get_by_label(f"{item} belongs to").select_option(letter)
        case "listing":
            within.get_by_role("option").nth(raw - 1).click()
        case "group":
            fill(within, field["fields"], raw)
        case "layout":
            for axis, value in raw.items():
                within.get_by_role("combobox", name=axis).select_option(str(value))
        case "parts":
            for number, part in enumerate(field["parts"]):
                each = within.locator("details").nth(number)
                if each.get_attribute("open") is None:
                    each.locator("summary").click()
                if part["name"] in raw:
                    fill(each, part["fields"], raw[part["name"]])
        case other:
            pytest.fail(f"nobody fills in a field of the type {other}")


def move(within: Locator, order: list[str]) -> None:
    """Put items in an order, each up to its place, from first to last."""
    shown = within.locator("ol.order > li")
    for place, label in enumerate(order):
        now = shown.evaluate_all("rows => rows.map(row => row.dataset.label)")
        for _ in range(now.index(label) - place):
            within.get_by_role("button", name=f"Move {label} up", exact=True).click()
