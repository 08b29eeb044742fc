"""Field types from a kind of another package, on a page backed by the real Python."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from checkout import problem_of, template
from shardwise.bank.posing import pose
from shardwise.kinds import kinds, scripts
from shardwise.kinds.scripts import script_in
from shardwise.question import Question

# Written as an author without a bundler would.
DIAL = """
import { css, html, previewed } from "shardwise:desk";

const dial = {
  template(place) {
    const { field, id, draft = "", set } = place;
    return html`<div class="dial">
      <label for=${id}>${field.label}</label>
      <input type="text" id=${id} .value=${draft ?? ""} @input=${(event) => set(event.target.value)} />
      ${previewed(place, dial.answer(field, draft), ({ read }) => html`<span class="reading">${read}</span>`)}
    </div>`;
  },
  answer: (_field, draft) => draft ?? "",
  style: css`.dial { border: 3px solid rgb(0, 0, 128); }`,
};

export const fields = { dial };
"""
Brings = Callable[[str, str], Question]


@pytest.fixture
def brings(monkeypatch: pytest.MonkeyPatch) -> Brings:
    """Return a question of a kind whose script has a field type."""

    def question(name: str, script: str) -> Question:
        kind = type(kinds()[name])
        field = {"type": "dial", "label": "Turn it", "start": {}}
        monkeypatch.setattr(kind, "script", script)
        monkeypatch.setattr(kind, "view", lambda self, form: {"how": "Turn it.", "fields": [field]})
        return pose(problem_of(template(name)), 0)

    return question


def test_a_page_asks_for_a_script_once(bare: Any, brings: Brings) -> None:
    question = brings("quantity", DIAL)
    bare.problem(question)
    scripts._offered.clear()  # who asks now gets none
    given = bare.desk.open(question)
    scripts._offered.clear()
    bare.beside("problem", given)
    expect(bare.page.get_by_label("Turn it")).to_have_count(2)


def test_a_form_that_goes_on_to_a_question_of_such_a_kind_gets_its_script(bare: Any, brings: Brings) -> None:
    plain = pose(problem_of(template("choice")), 0)
    form = bare.problem(plain)
    bare.desk._session.following = lambda question: brings("quantity", DIAL)
    form.get_by_role("button", name="Next").click()
    expect(form.get_by_label("Turn it")).to_be_visible()
    expect(form.locator(".dial")).to_have_css("border-top-width", "3px")


@pytest.mark.parametrize(
    ("script", "why"),
    [
        (script_in("no_such_package"), "The forms of no_such_package have not been built. Run `make desk`"),
        ("export const fields = { number: {} };", "cannot be called “number”"),
        ("export const fields = ;", "Unexpected token"),
    ],
)
def test_a_script_that_cannot_be_used_is_reported_in_a_line(bare: Any, brings: Brings, script: str, why: str) -> None:
    form = bare.problem(brings("quantity", script))
    expect(form.page.get_by_role("alert")).to_contain_text(why)
