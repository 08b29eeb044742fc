"""Problem forms on a page without Jupyter: the samples of every kind, keyboard only, both themes, and a phone."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

from browser.conftest import HOLD
from browser.hands import Keys, Mouse, answers, fill, give
from checkout import TEMPLATES, asked, checkout_bank, posed, template
from contrast import PALE
from drawing import every_sixth_at_once
from shardwise.bank.posing import pose
from shardwise.kinds import kind_of
from shardwise.kinds.order import OrderForm, OrderKey
from shardwise.kinds.quantity.model import QuantityKey
from shardwise.markdown.plain import to_plain

OLD = re.compile(r"\bold\b")
NUMBER, ORDER, LAST = "bytes-per-gpu", "order-ring-events", "ring-or-tree"


def press(form: Locator, button: str) -> None:
    form.get_by_role("button", name=button, exact=True).click()


@pytest.mark.parametrize("kind", every_sixth_at_once(TEMPLATES))
def test_everybody_can_use_the_form_of_every_kind(bare: Any, kind: str) -> None:
    form = bare.problem(posed(template(kind), 2))
    press(form, "Check")
    expect(form.get_by_role("status")).not_to_be_empty()
    press(form, "Solution")
    expect(form.locator(".more")).to_contain_text("Solution")
    bare.is_fit_for_all()


def test_right_wrong_and_unreadable_are_told_apart_and_a_right_answer_says_what_to_take_along(bare: Any) -> None:
    question = asked(NUMBER)
    key = question.key
    assert isinstance(key, QuantityKey)
    form = bare.problem(question)
    field, status = form.get_by_label("Your answer"), form.get_by_role("status")
    for typed, said in ((f"{key.mistakes[0].value!r} B", "Not yet"), ("40 GB/s", "Unreadable"), ("", "No answer yet")):
        field.fill(typed)
        field.press("Enter")
        expect(status).to_contain_text(said)
    expect(form.get_by_role("button", name="Next")).not_to_have_class("primary")
    field.fill("40 GB/s")
    expect(form.locator(".reading")).to_contain_text("is a bandwidth")
    field.press("Enter")
    expect(form.locator(".reading")).to_be_empty()  # the verdict says it
    expect(status).to_contain_text("is a bandwidth")
    field.fill(f"{key.value!r} B")
    field.press("Enter")
    expect(status).to_contain_text("✓ Correct")
    expect(form.locator(".reading")).to_contain_text("Read as ")
    expect(status).not_to_contain_text("I read")  # the reading is under the field
    expect(status).to_contain_text("The bytes that each GPU sends hardly grow")
    expect(form.get_by_role("button", name="Next")).to_have_class("primary")
    bare.is_fit_for_all()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_button_can_be_read_under_the_mouse(bare: Any, theme: Any) -> None:
    bare.page.emulate_media(color_scheme=theme)
    form = bare.problem(asked(NUMBER))
    for name in ("Check", "Solution"):
        form.get_by_role("button", name=name, exact=True).hover()
        assert bare.page.evaluate(PALE, ".shardwise") == [], name


def test_the_same_verdict_twice_is_two_events_for_a_screen_reader(bare: Any) -> None:
    form = bare.problem(asked(NUMBER))
    press(form, "Check")
    status = form.get_by_role("status")
    expect(status).to_contain_text("No answer yet")
    first = status.locator("> *").element_handle()
    press(form, "Check")
    bare.page.wait_for_function("(element) => !element.isConnected", arg=first)
    expect(status).to_contain_text("No answer yet")


def test_an_estimate_is_committed_before_and_compared_after(bare: Any) -> None:
    question = asked(NUMBER)
    key: Any = question.key
    form = bare.problem(question)
    form.get_by_text("Estimate first").click()
    rough = form.get_by_label("What is your estimate")
    rough.fill("a lot")
    rough.press("Enter")
    expect(rough).to_have_accessible_description(re.compile("“a lot”"))  # said at the field, and not far below
    expect(rough).to_have_attribute("aria-invalid", "true")
    expect(form.get_by_role("status")).to_be_empty()
    bare.is_fit_for_all()
    rough.fill(f"{key.value / 2e9:.3f} GB")
    expect(rough).to_have_accessible_description("")
    press(form, "Save estimate")
    expect(form).to_contain_text("Your estimate: 1.498 GB")
    expect(rough).to_have_count(0)
    expect(form.get_by_label("Your answer")).to_be_focused()
    form.get_by_label("Your answer").fill("5 GB")
    press(form, "Check")
    expect(form.get_by_role("status")).not_to_contain_text("You estimated")  # it would tell how large it is
    form.get_by_label("Your answer").fill(f"{key.value!r} B")
    press(form, "Check")
    expect(form.get_by_role("status")).to_contain_text(
        "You estimated 1.498 GB: the right order of magnitude, too small by a factor of 2"
    )
    bare.is_fit_for_all()


def test_variants_can_be_gone_back_to_with_what_was_typed_and_outlast_the_page(bare: Any) -> None:
    first, second = asked(NUMBER), asked(NUMBER, 1)
    form = bare.problem(first)
    field, back = form.get_by_label("Your answer"), form.get_by_role("button", name="Back")
    expect(back).to_have_count(0)
    field.fill("1 GB")
    press(form, "New numbers")
    expect(form).to_contain_text(to_plain(second.prompt)[:40])
    expect(field).to_have_value("")
    field.fill("2 GB")
    bare.page.reload()
    expect(field).to_have_value("2 GB")
    expect(form).to_contain_text(to_plain(second.prompt)[:40])
    back.click()
    expect(form).to_contain_text(to_plain(first.prompt)[:40])
    expect(field).to_have_value("1 GB")
    expect(back).to_have_count(0)
    assert bare.faults == []


def test_next_opens_the_following_problem_and_says_when_there_is_none(bare: Any) -> None:
    chapter = checkout_bank().of_chapter("01-ring-all-reduce")
    form = bare.problem(pose(chapter[-2], 0))
    press(form, "Next")
    title = form.get_by_role("heading", name=pose(chapter[-1], 0).title)
    expect(title).to_be_focused()
    press(form, "Next")
    expect(form.get_by_role("status")).to_contain_text("problems of this chapter are solved. Still open:")
    press(form, "Back")
    expect(form.get_by_role("heading", name=pose(chapter[-2], 0).title)).to_be_focused()
    bare.page.reload()
    expect(form.get_by_role("heading", name=pose(chapter[-2], 0).title)).to_be_visible()


def test_next_goes_to_the_form_of_the_following_problem_where_the_page_has_one(bare: Any) -> None:
    first, second = (pose(problem, 0) for problem in checkout_bank().of_chapter("01-ring-all-reduce")[:2])
    bare.problem(first)
    bare.beside("problem", bare.desk.open(second))
    form, other = (bare.page.get_by_role("region", name=question.title) for question in (first, second))
    expect(other).to_be_visible()
    press(form, "Next")
    expect(other.get_by_role("heading", name=second.title)).to_be_focused()
    expect(form.get_by_role("heading", name=first.title)).to_be_visible()


def order_of(form: Locator) -> list[str]:
    return [text.strip(" )") for text in form.locator(".order .letter").all_inner_texts()]


def test_items_are_put_in_order_by_keys_alone(bare: Any) -> None:
    question = asked(ORDER)
    key = question.key
    assert isinstance(key, OrderKey)
    form = bare.problem(question)
    give(Keys(bare.page), form, question, key.order)
    assert order_of(form) == list(key.order)
    expect(form.locator("[aria-live]", has_text=" is now ")).to_contain_text(f" of {len(key.order)}.")
    expect(form.get_by_role("status")).to_contain_text("✓ Correct")


def test_an_item_is_dragged_to_its_place(bare: Any) -> None:
    question = asked(ORDER)
    shown = question.form
    assert isinstance(shown, OrderForm)
    labels = [item.label for item in shown.items]
    form, mouse = bare.problem(question), bare.page.mouse
    rows = form.get_by_role("listitem")
    start, end = rows.nth(0).locator(".item").bounding_box(), rows.nth(3).locator(".item").bounding_box()
    mouse.move(start["x"] + 5, start["y"] + 5)
    mouse.down()
    for share in (0.3, 0.6, 1.0):
        mouse.move(start["x"] + 5, start["y"] + share * (end["y"] + end["height"] - start["y"]))
    mouse.up()
    moved = [*labels[1:4], labels[0], *labels[4:]]
    assert order_of(form) == moved
    mouse.move(start["x"] + 5, start["y"] + 5)  # it has been put down
    assert order_of(form) == moved


def test_a_busy_python_is_said_and_an_answer_to_other_numbers_is_not_shown(bare: Any) -> None:
    form, page = bare.problem(asked(NUMBER)), bare.page
    page.evaluate("""() => {
      const { host } = document.querySelector(".shardwise");
      const { ask } = host;
      window.answers = [];
      host.ask = async (request) => {
        if (request.do === "check") await new Promise((go) => window.answers.push(go));
        return ask(request);
      };
    }""")
    press(form, "Check")
    expect(form.get_by_role("status")).to_contain_text("Still waiting for the kernel")
    press(form, "New numbers")
    expect(form.get_by_role("status")).to_contain_text("new numbers")
    page.evaluate("() => window.answers.forEach((go) => go())")
    page.wait_for_timeout(300)
    expect(form.get_by_role("status")).to_contain_text("new numbers")


def test_a_verdict_is_pale_while_the_next_answer_is_checked(bare: Any) -> None:
    form, page = bare.problem(asked(NUMBER)), bare.page
    status = form.get_by_role("status")
    form.get_by_label("Your answer").fill("1.4985 GB")
    press(form, "Check")
    expect(status).to_contain_text("You counted one phase")
    expect(status).not_to_have_class(OLD)
    page.evaluate(HOLD)
    press(form, "Check")
    expect(status).to_have_class(OLD)
    expect(status).to_contain_text("Still waiting for the kernel")
    expect(status).not_to_have_class(OLD)  # that is said now
    page.evaluate("window.letGo()")
    expect(status).to_contain_text("You counted one phase")
    expect(status).not_to_have_class(OLD)


def test_an_edit_pales_the_verdict_and_says_that_it_is_about_the_previous_answer_until_the_next_check(
    bare: Any,
) -> None:
    form = bare.problem(asked(NUMBER))
    field, status, since = form.get_by_label("Your answer"), form.get_by_role("status"), form.locator(".since")
    field.fill("1.4985 GB")
    expect(since).to_be_empty()
    press(form, "Check")
    expect(status).to_contain_text("You counted one phase")
    field.fill("2 GB")
    expect(status).to_have_class(OLD)
    expect(since).to_have_text("About your previous answer:")
    expect(since).to_have_attribute("aria-live", "polite")
    bare.is_fit_for_all()  # which measures its contrast
    field.fill("1.4985 GB")
    expect(status).not_to_have_class(OLD)  # it is the answer that the verdict is about
    field.fill("2 GB")
    press(form, "Check")
    expect(status).not_to_contain_text("You counted one phase")
    expect(status).not_to_have_class(OLD)
    expect(since).to_be_empty()


@pytest.mark.parametrize("calm", ["reduce", "no-preference"])
def test_a_new_text_is_scrolled_into_view_and_the_focus_stays_on_the_button(bare: Any, calm: Any) -> None:
    page = bare.page
    page.emulate_media(reduced_motion=calm)
    page.set_viewport_size({"width": 1100, "height": 330})
    form = bare.problem(asked(NUMBER))
    field = form.get_by_label("Your answer")
    field.fill("1.4985 GB")
    for button, text in (
        ("Check", form.locator(".said > *")),
        (f"Hint ({len(asked(NUMBER).hints)} left)", form.locator(".more").first),
        ("Solution", form.locator(".more", has_text="Solution")),
    ):
        shown = form.get_by_role("button", name=button, exact=True)
        shown.click()
        expect(text).to_be_in_viewport(ratio=0.9 if button != "Solution" else 0.5)
        page.wait_for_function("top => Math.abs(scrollY - (window.before ?? -1)) < 1 || void (window.before = scrollY)")
        top = text.bounding_box()["y"]
        assert 0 <= top < 330  # of a tall text one sees the beginning
        assert form.evaluate("form => form.shadowRoot.activeElement.textContent").strip() in (button, "Hint (2 left)")
    before = page.evaluate("scrollY")
    form.get_by_role("button", name="Check", exact=True).focus()
    page.set_viewport_size({"width": 1100, "height": 1500})
    page.evaluate("scrollTo(0, 0)")
    form.get_by_role("button", name="Check", exact=True).click()
    expect(form.get_by_role("status")).to_contain_text("You counted one phase")
    assert before > 0 and page.evaluate("scrollY") == 0  # all of it is in view


def test_the_page_around_a_form_hears_of_verdicts_and_moves_and_may_lead_on(bare: Any) -> None:
    question = asked(NUMBER)
    form = bare.problem(question)
    bare.page.evaluate("""() => {
      window.heard = [];
      for (const what of ["checked", "went"])
        document.body.addEventListener(`shardwise-${what}`, ({ detail }) => window.heard.push([what, detail]));
    }""")
    form.get_by_label("Your answer").fill(f"{question.key.value!r} B")  # type: ignore[attr-defined]
    press(form, "Check")
    expect(form.get_by_role("status")).to_contain_text("✓ Correct")
    press(form, "New numbers")
    expect(form.get_by_role("status")).to_contain_text("new numbers")
    press(form, "Back")
    expect(form.get_by_role("status")).to_contain_text("Previous question")
    place = {"problem": question.id, "seed": question.seed}
    assert bare.page.evaluate("window.heard") == [
        ["checked", {**place, "outcome": "correct"}],
        ["went", {**place, "seed": asked(NUMBER, 1).seed}],
        ["went", place],
    ]
    bare.page.evaluate("""() => {
      const form = document.querySelector(".shardwise");
      form.host.next = () => window.heard.push("next");
      form.requestUpdate();
    }""")
    expect(form.get_by_role("button", name="Next")).to_have_count(0)
    press(form, "Continue")
    assert bare.page.evaluate("window.heard.at(-1)") == "next"


def test_a_wait_is_forgotten_when_the_reply_comes(bare: Any) -> None:
    form, page = bare.problem(asked(NUMBER)), bare.page
    status = form.get_by_role("status")
    press(form, "Check")
    expect(status).to_contain_text("No answer yet")
    page.evaluate(HOLD)
    form.get_by_role("button", name="Hint").click()
    expect(status).to_contain_text("Still waiting for the kernel")
    page.evaluate("window.letGo()")
    expect(form).to_contain_text("Hint 1.")
    expect(status).to_contain_text("No answer yet")


# The positions of all controls, except those of a chart.
PLACES = """form => [...form.shadowRoot.querySelectorAll(".fields :is(button, input, textarea), .stage button, form .primary")]
  .map((part) => [part.ariaLabel || part.id || part.textContent.trim(), part.getBoundingClientRect().top])"""


@pytest.mark.parametrize(
    ("name", "width"),
    [
        (NUMBER, 1100),
        ("bytes-per-gpu-formula", 1100),
        ("split-the-backward", 1100),
        pytest.param("split-the-backward", 640, marks=pytest.mark.slow),
        pytest.param("split-the-backward", 500, marks=pytest.mark.slow),
    ],
)
def test_nothing_moves_away_from_under_a_click_when_python_says_how_an_answer_is_read(
    bare: Any, name: str, width: int
) -> None:
    bare.page.set_viewport_size({"width": width, "height": 1500})
    question = asked(name)
    fields = kind_of(question).view(question.form)["fields"]
    form, page = bare.problem(question), bare.page
    hands = Mouse(page)
    given = answers(question, name)
    for state in ("unreadable", "wrong"):
        page.evaluate(HOLD)
        fill(hands, form, fields, given[state])
        before = form.evaluate(PLACES)
        shown = form.locator(".fields").text_content()
        page.evaluate("window.letGo()")
        expect(form.locator(".fields")).not_to_have_text(shown)
        assert form.evaluate(PLACES) == before


@pytest.mark.slow
def test_a_host_that_loses_python_is_said_wherever_one_waits_for_it(bare: Any) -> None:
    form, page = bare.problem(posed(template("code"))), bare.page
    page.evaluate("""() => {
      const { host } = document.querySelector(".shardwise");
      host.ask = () => new Promise((_, lose) => { window.lose = () => lose(new Error("Python is gone.")); });
    }""")
    press(form, "Run")
    ran = form.locator(".ran")
    expect(ran).to_have_text("Running …")
    expect(ran).to_contain_text("Still waiting for the kernel")
    page.evaluate("window.lose()")
    expect(ran).to_have_text("Python is gone.")
    for button in ("Check", "Solution", "New numbers"):
        press(form, button)
        page.evaluate("window.lose()")
        expect(form.get_by_role("status")).to_have_text("Python is gone.")
        page.evaluate("""() => { document.querySelector(".shardwise").said = { outcome: "", html: "" }; }""")


def test_hints_are_there_again_when_one_comes_back_to_a_variant(bare: Any) -> None:
    form = bare.problem(asked(NUMBER))
    hints = form.locator(".more")
    form.get_by_role("button", name="Hint").click()
    expect(hints).to_have_count(1)
    press(form, "New numbers")
    expect(hints).to_have_count(0)
    form.get_by_role("button", name="Back").click()
    expect(hints).to_have_count(1)
    expect(form.get_by_role("button", name="Hint")).to_contain_text(f"({len(asked(NUMBER).hints) - 1} left)")


HARMLESS = [  # what a notebook may hold that a stranger wrote, or that was kept when the problem was another
    (ORDER, ["z", "q"]),
    (LAST, "b"),
    (LAST, {"__proto__": 1}),
    (NUMBER, {"a": 1}),
    ("ring-time-bug", 7),
    ("ring-time-function", 7),
    ("ring-time-bug", {"line": 999, "mended": {"999": 5}}),
    ("gpipe-time-in-less-memory", {"lines": "F1", "steps": 3}),
    ("gpipe-time-in-less-memory", {"lines": [], "steps": [{}], "under": 7}),
    ("a-layout-that-fits", 7),
]


@pytest.mark.slow
def test_a_draft_that_fits_no_field_does_no_harm(bare: Any) -> None:
    for name, draft in HARMLESS:
        question = asked(name)
        bare.page.goto(bare.page.url if bare.page.url.startswith("http") else "about:blank")
        bare.problem(question)
        bare.page.evaluate(
            "([key, draft]) => localStorage.setItem(key, JSON.stringify(draft))", [f"answer {question.id} 0", draft]
        )
        form = bare.problem(question)
        press(form, "Check")
        expect(form.get_by_role("status")).not_to_be_empty()
    assert bare.faults == []


def test_markup_in_what_a_notebook_keeps_is_text(bare: Any) -> None:
    question, markup = asked(NUMBER), "<img src=x onerror='window.ran = true'>"
    bare.problem(question)
    for key, kept in (
        (f"estimate {question.id} 0", {"typed": markup, "read": markup, "html": markup}),
        (f"answer {question.id} 0", markup),
    ):
        bare.page.evaluate("([key, kept]) => localStorage.setItem(key, JSON.stringify(kept))", [key, kept])
    form = bare.problem(question)
    expect(form).to_contain_text(f"Your estimate: {markup}")
    press(form, "Check")
    expect(form.get_by_role("status")).to_contain_text(markup)
    assert form.locator("img").count() == 0
    assert bare.page.evaluate("window.ran") is None
