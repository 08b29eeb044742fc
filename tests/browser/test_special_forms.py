"""Forms that need more than a line of text, by keyboard only: what they show during the work, and then the verdict."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from added_kinds import installed
from browser.conftest import HOLD, picture
from browser.hands import Keys, give
from checkout import ROOT, asked, posed, template
from shardwise.bank.bank import Bank
from shardwise.bank.posing import pose
from shardwise.kinds import kind_of
from shardwise.kinds.bugline.kind import BuglineKey
from shardwise.kinds.case.carrying import carried_results
from shardwise.kinds.code.judging import signature
from shardwise.question import Outcome

FAIL_ONCE = """() => {
  const { host } = document.querySelector(".shardwise");
  const { ask } = host;
  host.ask = () => {
    host.ask = ask;
    return Promise.reject(new Error("Python is away"));
  };
}"""


def go_to(page: Page, target: Locator) -> None:
    """Press Tab or Shift+Tab until an element has the focus."""
    Keys(page).reach(target)


def check(page: Page, form: Locator) -> Locator:
    """Press Check by keyboard, and return the verdict."""
    go_to(page, form.get_by_role("button", name="Check", exact=True))
    page.keyboard.press("Enter")
    return form.get_by_role("status")


# Lines of text ----------------------------------------------------------------------------------------------------------


def test_a_formula_is_set_while_it_is_typed_and_what_is_none_is_said_quietly(bare: Any) -> None:
    question = asked("bytes-per-gpu-formula")
    form, page = bare.problem(question), bare.page
    go_to(page, form.get_by_label("Your formula"))
    page.keyboard.type("2*(N-1)/N*")
    reading = form.locator(".reading")
    expect(reading).to_contain_text("It ends after")
    bare.is_fit_for_all()
    page.keyboard.type("M")
    expect(reading.locator("math mfrac")).to_have_count(1)
    expect(reading).not_to_contain_text("It ends")
    expect(form.get_by_role("status")).to_be_empty()  # nothing is judged yet
    picture(page, "formula")
    bare.is_fit_for_all()
    page.keyboard.press("Control+a")
    page.keyboard.type(question.key.formula)  # type: ignore[attr-defined]
    page.keyboard.press("Enter")
    expect(form.get_by_role("status")).to_contain_text("✓ Correct")


def test_a_quantity_shows_how_it_is_read(bare: Any) -> None:
    form, page = bare.problem(asked("bytes-per-gpu")), bare.page
    field = form.get_by_label("Your answer")
    field.focus()
    page.keyboard.type("1.5e3 MB")
    expect(form.locator(".reading").last).to_have_text("Read as 1500 MB")
    field.fill("")
    expect(form.locator(".reading").last).to_be_empty()


# Functions --------------------------------------------------------------------------------------------------------------


def test_a_function_is_written_tried_and_checked(bare: Any) -> None:
    question = posed(template("code"))
    head = signature(question.form)  # type: ignore[arg-type]
    form, page = bare.problem(question), bare.page
    editor, ran = form.get_by_role("textbox", name="Your function"), form.locator(".ran")
    go_to(page, editor)
    page.keyboard.press("Control+a")
    page.keyboard.type(head)
    page.keyboard.press("Enter")
    page.keyboard.type("return message_gb / 0")  # indented by itself behind the colon
    page.keyboard.press("Control+Enter")
    expect(ran).to_contain_text("ZeroDivisionError")
    page.keyboard.press("Backspace")
    page.keyboard.type("gpus")
    page.keyboard.press("Escape")
    page.keyboard.press("Tab")
    arguments = form.get_by_label("Arguments of sent_gb")
    expect(arguments).to_be_focused()
    page.keyboard.press("Control+a")
    page.keyboard.type("message_gb=3, gpus=2")
    page.keyboard.press("Enter")
    expect(ran).to_contain_text("It returned 1.5.")
    expect(form.get_by_role("status")).to_be_empty()  # a run is no answer
    bare.is_fit_for_all()
    verdict = check(page, form)
    expect(verdict).to_contain_text("Not yet")
    expect(verdict).to_contain_text("I expected")
    picture(page, "function")
    bare.is_fit_for_all()
    page.reload()
    expect(editor).to_contain_text("return message_gb / gpus")  # the draft lasts


# Schedules --------------------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_schedule_is_built_by_keys_and_shows_what_runs_when(bare: Any) -> None:
    question = posed(template("schedule"))
    lines = [line.partition(": ")[2].split() for line in question.key.lines]  # type: ignore[attr-defined]
    form, page = bare.problem(question), bare.page
    first = form.get_by_role("toolbar").first
    go_to(page, first.get_by_role("button").first)
    page.keyboard.press("b")
    expect(first).to_have_accessible_name("stage 1: B1")
    expect(first).to_contain_text("B1 waits for its own F1, not placed yet")
    page.keyboard.press("Backspace")
    expect(first).to_have_accessible_name("stage 1: empty")
    for line in lines:
        for operation in line:
            page.keyboard.press(operation[0].lower())
        page.keyboard.press("ArrowDown")
    chart = form.get_by_role("group", name="Timeline")
    expect(chart.get_by_role("img").locator("rect")).to_have_count(sum(map(len, lines)))
    expect(chart).to_contain_text("target")
    bare.is_fit_for_all()
    page.reload()
    expect(form.get_by_role("toolbar").nth(1)).to_have_accessible_name(f"stage 2: {' '.join(lines[1])}")
    expect(check(page, form)).to_contain_text("✓ Correct")
    picture(page, "schedule")
    form.get_by_role("button", name="Undo").press("Enter")
    expect(form.get_by_role("toolbar").last).to_have_accessible_name(f"stage {len(lines)}: {' '.join(lines[-1][:-1])}")
    verdict = check(page, form)
    expect(verdict).to_contain_text("Unreadable")
    expect(verdict).to_contain_text("is missing")


FITS = "element => element.scrollWidth <= element.clientWidth"
# Which parts of a schedule's form reach over its right edge, even where they are cut off and not seen.
OUTSIDE = """form => [...form.shadowRoot.querySelectorAll(".chart, .stage, .stage *")].filter((part) =>
  part.getBoundingClientRect().right > form.getBoundingClientRect().right - 20).map((part) => part.outerHTML.slice(0, 80))"""

# Which buttons of a schedule reach over the right edge of their stage.
OUTSIDE_ROWS = """form => [...form.shadowRoot.querySelectorAll(".stage button")].filter((part) =>
  part.getBoundingClientRect().right > part.closest(".stage").getBoundingClientRect().right + 1).map((part) => part.ariaLabel)"""


@pytest.mark.slow
@pytest.mark.parametrize("name", ["gpipe-time-in-less-memory", "two-chunks-on-each-stage"])
def test_the_chart_of_a_schedule_scrolls_on_a_phone_and_stays_where_it_was_scrolled_to(bare: Any, name: str) -> None:
    question = asked(name)
    form, page = bare.problem(question), bare.page
    form.get_by_text("Edit as text").click()
    form.get_by_label("Your schedule, as text").fill("\n".join(question.key.lines))  # type: ignore[attr-defined]
    chart = form.locator(".chart")
    operations = sum(len(line.partition(": ")[2].split()) for line in question.key.lines)  # type: ignore[attr-defined]
    expect(chart.get_by_role("img").locator("rect")).to_have_count(operations)
    for width in (1400, 1000):
        page.set_viewport_size({"width": width, "height": 1500})
        page.wait_for_function(FITS, arg=chart.element_handle())
        assert form.evaluate(OUTSIDE) == [], width
    page.set_viewport_size({"width": 320, "height": 1500})
    assert form.evaluate(OUTSIDE_ROWS) == []
    page.set_viewport_size({"width": 360, "height": 1500})
    assert not chart.evaluate(FITS)
    chart.evaluate("element => element.scrollTo(40, 0)")
    form.get_by_role("button", name="Remove the last operation from stage 1").click()
    expect(chart.get_by_role("img").locator("rect")).not_to_have_count(operations)
    assert chart.evaluate("element => element.scrollLeft") == 40
    bare.is_fit_for_all()


def written_as_text(bare: Any) -> tuple[Locator, Locator, Locator]:
    """Show a schedule's form with its text unfolded; return the form, its first stage, and the text field."""
    form = bare.problem(posed(template("schedule")))
    form.get_by_text("Edit as text").click()
    return form, form.get_by_role("toolbar").first, form.get_by_label("Your schedule, as text")


def read_and_then_held(bare: Any) -> tuple[Locator, Locator, Locator]:
    """Return the same after Python has read one text; further replies wait for `letGo`."""
    form, first, text = written_as_text(bare)
    text.fill("stage 1: F1 B1")
    expect(first).to_have_accessible_name("stage 1: F1 B1")
    bare.page.evaluate(HOLD)
    return form, first, text


def test_a_schedule_can_be_written_as_text_and_gone_on_with_by_buttons(bare: Any) -> None:
    question = posed(template("schedule"))
    form = bare.problem(question)
    form.get_by_text("Edit as text").click()
    form.get_by_label("Your schedule, as text").fill("stage 1: f1-2 b1\nstage 2: F1 whatever")
    first = form.get_by_role("toolbar").first
    expect(first).to_have_accessible_name("stage 1: F1 F2 B1")
    expect(form).to_contain_text("I cannot read “whatever”")
    first.get_by_role("button", name="Add B2").click()
    expect(first).to_have_accessible_name("stage 1: F1 F2 B1 B2")
    form.get_by_role("button", name="Reset").click()
    expect(first).to_have_accessible_name("stage 1: empty")
    stages = range(1, question.form.stages + 1)  # type: ignore[attr-defined]
    expect(form.get_by_label("Your schedule, as text")).to_have_value("\n".join(f"stage {stage}:" for stage in stages))
    assert bare.faults == []


def test_undo_goes_back_through_all_that_was_typed_and_built(bare: Any) -> None:
    form, first, text = written_as_text(bare)
    second, undo = form.get_by_role("toolbar").nth(1), form.get_by_role("button", name="Undo")

    def put(stage: Locator, operation: str) -> None:
        stage.get_by_role("button", name=f"Add {operation}").click()

    seen = [text.input_value()]
    for do in (
        lambda: text.fill("stage 2: B1"),
        lambda: put(first, "F1"),
        lambda: text.fill("stage 1: f1-2 whatever"),  # a word that no line has
        lambda: put(second, "F1"),
        lambda: first.get_by_role("button", name="Remove the last operation").click(),
        lambda: form.get_by_role("button", name="Reset").click(),
        lambda: put(first, "F1"),
        lambda: text.fill(""),
        lambda: put(second, "F1"),
    ):
        do()
        expect(text).not_to_have_value(seen[-1])
        expect(second.get_by_role("button", name="Add F")).to_be_enabled()  # what was typed has been read
        seen.append(text.input_value())
    assert "whatever" in seen[3]
    assert len(set(seen)) == 9  # the start appears twice
    for before in seen[-2::-1]:
        expect(undo).to_be_enabled()
        undo.click()
        expect(text).to_have_value(before)
    expect(undo).to_be_disabled()
    assert bare.faults == []


def test_what_was_cleared_and_typed_again_is_read_anew_and_so_is_what_python_did_not_answer(bare: Any) -> None:
    (form, first, text), page = read_and_then_held(bare), bare.page
    text.fill("")
    expect(first).to_have_accessible_name("stage 1: empty")
    text.fill("stage 1: F1 B1")
    expect(first.get_by_role("button", name="Add F1")).to_be_disabled()  # it would replace the typed text
    page.evaluate("window.letGo()")
    expect(first).to_have_accessible_name("stage 1: F1 B1")
    page.evaluate(FAIL_ONCE)
    text.fill("stage 1: F1 F2")
    expect(form.locator(".told")).to_have_text("Python is away")  # why the buttons are still switched off
    expect(form.locator(".stage .note", has_text="in flight")).to_have_count(0)  # that was said of another text
    expect(first).to_have_accessible_name("stage 1: F1 F2")
    expect(form.locator(".told")).not_to_have_text("Python is away")
    expect(first.get_by_role("button", name="Add B1")).to_be_enabled()
    assert bare.faults == []


def test_what_is_built_while_python_is_busy_goes_on_from_what_stands_there(bare: Any) -> None:
    (form, first, text), page = read_and_then_held(bare), bare.page
    text.fill("stage 1: F1 F2 B2")
    expect(first.get_by_role("button", name="Add F2")).to_be_disabled()
    first.get_by_role("button", name="Add F2").click(force=True)
    expect(text).to_have_value("stage 1: F1 F2 B2")  # and nothing in its place of what was read before
    form.get_by_role("button", name="Reset").click()
    first.get_by_role("button", name="Add F1").click()
    expect(first).to_have_accessible_name("stage 1: F1")
    page.evaluate("window.letGo()")
    expect(form.get_by_role("group", name="Timeline").locator("rect")).to_have_count(1)
    expect(first).to_have_accessible_name("stage 1: F1")
    assert bare.faults == []


# Layouts, cases, hunts and pairs ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_layout_is_stepped_to_and_its_product_is_shown(bare: Any) -> None:
    question = posed(template("layout"))
    form, page = bare.problem(question), bare.page
    right = next(sample.raw for sample in kind_of(question).samples(question) if sample.outcome == Outcome.CORRECT)
    go_to(page, form.get_by_role("button", name="Raise tp"))
    for _ in range(1 + [1, 2, 4, 8, 16].index(right["tp"])):
        page.keyboard.press("Enter")
    expect(form.get_by_role("combobox", name="tp")).to_have_value(str(right["tp"]))
    expect(form.locator(".product")).to_contain_text("which leaves")
    go_to(page, form.get_by_role("combobox", name="pp"))
    page.keyboard.type(str(right["pp"]))
    go_to(page, form.get_by_role("textbox", name="dp"))
    page.keyboard.type(str(right["dp"]))
    expect(form.locator(".product")).to_contain_text("as required")
    go_to(page, form.get_by_role("combobox", name="recompute"))
    page.keyboard.type(str(right["recompute"]))
    expect(check(page, form)).to_contain_text("✓ Correct")
    picture(page, "layout")
    bare.is_fit_for_all()


def test_a_case_says_at_each_part_what_became_of_it_and_what_was_gone_on_with(bare: Any) -> None:
    question = posed(template("case"))
    keys: Any = question.key.parts  # type: ignore[attr-defined]
    message = 2 * float(keys[0].key["value"])  # every number twice as large as it should be
    sent = carried_results(keys[1].ways[0], [message])[keys[1].ways[0].result]  # type: ignore[index]
    form, page = bare.problem(question), bare.page
    first, second = form.locator(".parts > details").nth(0), form.locator(".parts > details").nth(1)
    go_to(page, first.get_by_role("textbox"))
    page.keyboard.type(f"{message / 1e9!r} GB")
    expect(first.locator(".reading")).to_contain_text("Read as")
    go_to(page, first.get_by_role("button", name="Next part"))
    page.keyboard.press("Enter")
    expect(second).to_have_attribute("open", "")
    expect(first).not_to_have_attribute("open", "")
    go_to(page, second.get_by_role("textbox"))
    page.keyboard.type(f"{sent / 1e9!r} GB")
    page.keyboard.press("Enter")
    status = form.get_by_role("status")
    expect(status).to_contain_text("Partly right")
    expect(first.locator("> summary")).to_contain_text("✗ 0 of 1 point")
    expect(second.locator("> summary")).to_contain_text("✓ 1 of 1 point")
    expect(second.locator(".note")).to_contain_text("Right from your answer to “Bytes of the gradients”")
    picture(page, "case")
    bare.is_fit_for_all()
    page.keyboard.type("1")
    expect(second.locator("> summary")).to_contain_text("changed since")


def test_a_bug_is_hunted_by_keys(bare: Any) -> None:
    question = posed(template("bugline"))
    key = question.key
    assert isinstance(key, BuglineKey)
    form, page = bare.problem(question), bare.page
    expect(form.get_by_role("listbox").locator(".tok-keyword").first).to_be_visible()
    give(Keys(page), form, question, {"line": key.line, "input": key.witness, "fix": key.original_line})
    expect(form.get_by_role("status")).to_contain_text("✓ Correct")
    picture(page, "hunt")
    bare.is_fit_for_all()


@pytest.mark.slow
def test_an_argument_that_cannot_be_read_is_said_beside_it(bare: Any) -> None:
    form = bare.problem(asked("ring-time-bug"))
    field = form.get_by_label("gpus", exact=True)
    field.fill("many")
    note = form.get_by_text("gpus is a whole number of at least 0 in base units, such as 2 or 64, but I saw “many”.")
    expect(note).to_be_visible()
    expect(field).to_have_accessible_description(note.inner_text())
    field.fill("8")
    expect(note).to_have_count(0)
    expect(field).to_have_accessible_description("usually 2 to 64, integer")
    bare.is_fit_for_all()


def test_the_axis_that_follows_says_that_it_takes_all_others(bare: Any) -> None:
    form = bare.problem(asked("a-layout-that-fits"))
    for axis, value in (("tp", "8"), ("pp", "2")):
        form.get_by_role("combobox", name=axis).select_option(value)
    expect(form.get_by_label("dp")).to_have_attribute("placeholder", "the rest")
    expect(check(bare.page, form)).to_contain_text("constraint")
    form.get_by_role("textbox", name="dp").fill("many")
    expect(check(bare.page, form)).to_contain_text("I read “many” for dp")


def test_a_layout_is_predicted_first_and_then_each_step_is_drawn(bare: Any) -> None:
    form, page = bare.problem(asked("a-layout-that-fits")), bare.page
    bars = form.locator(".limits")
    for axis, value in (("tp", "2"), ("pp", "2")):
        form.get_by_role("combobox", name=axis).select_option(value)
    expect(bars).to_contain_text("After your first check, a chart here")
    expect(form.locator("svg")).to_have_count(0)  # what a GPU holds is the question
    bare.is_fit_for_all()
    check(page, form)
    expect(bars.get_by_role("img", name="tp 2, pp 2, dp 128, against its limits")).to_contain_text("limit")
    expect(bars).to_contain_text("1 of 2 limits violated")
    expect(bars.locator("svg[role=img]")).to_contain_text("✗")
    picture(page, "layout-bars-missed")
    bare.is_fit_for_all()
    go_to(page, form.get_by_role("button", name="Raise pp"))
    page.keyboard.press("Enter")
    expect(bars.get_by_role("img", name="tp 2, pp 4, dp 64, against its limits")).to_be_visible()
    form.get_by_role("combobox", name="tp").select_option("")
    expect(bars).to_have_text("The bars appear once every axis has a readable value.")
    form.get_by_role("combobox", name="tp").select_option("2")
    expect(bars.get_by_role("img", name="tp 2, pp 4, dp 64, against its limits")).to_be_visible()
    page.reload()
    expect(
        bars.get_by_role("img", name="tp 2, pp 4, dp 64, against its limits")
    ).to_be_visible()  # it was checked before
    press(form, "New numbers")
    expect(bars).to_contain_text("After your first check, a chart here")


def press(form: Locator, button: str) -> None:
    form.get_by_role("button", name=button, exact=True).click()


def test_a_hint_is_asked_for_and_stands_in_the_part_of_a_case_that_one_is_at(bare: Any) -> None:
    form, page = bare.problem(posed(template("case"))), bare.page
    first, second = form.locator(".parts > details").nth(0), form.locator(".parts > details").nth(1)
    second.locator("> summary").click()
    second.get_by_role("button", name="Hint (1 left)").press("Enter")
    expect(second.locator(".more")).to_have_text(re.compile("^Hint 1\\. (?!2)"))  # the part's title stands above it
    expect(second.get_by_role("button", name="No more hints")).to_have_attribute("aria-disabled", "true")
    expect(form.locator(".more")).to_have_count(1)
    picture(page, "case-hint")
    bare.is_fit_for_all()
    first.locator("> summary").click()
    expect(first.get_by_role("button", name="Hint (1 left)")).to_be_visible()
    to_all = form.get_by_role("group", name="More actions")
    to_all.get_by_role("button", name="Hint (1 left)").click()
    expect(to_all).to_contain_text("No more hints")
    expect(form.locator("section > [aria-live] .more")).to_contain_text("Hint 1.")


def test_points_move_below_the_title_of_a_part_where_there_is_no_room_next_to_it(bare: Any) -> None:
    form, page = bare.problem(asked("train-a-mixture")), bare.page
    page.set_viewport_size({"width": 230, "height": 800})  # a phone with JupyterLab's sidebars
    form.get_by_label("Your formula").fill("A + 3*d*f*(E + s) + d*E")
    form.get_by_role("button", name="Check so far").first.click()
    expect(form.locator(".parts .mark").first).to_contain_text("1 of 1 point")
    too_wide = "all => all.filter(one => one.scrollWidth > one.clientWidth).map(one => one.innerText)"
    assert form.locator(".parts > details > summary").evaluate_all(too_wide) == []


def test_the_data_of_a_long_case_are_one_action_away_in_each_later_part_and_stay_open(bare: Any) -> None:
    form, page = bare.problem(asked("train-a-model")), bare.page
    page.set_viewport_size({"width": 360, "height": 800})
    parts = form.locator(".parts > details")
    ninth, tenth = parts.nth(8), parts.nth(9)
    expect(parts.first.get_by_text("Data of the case")).to_have_count(0)  # they are just above
    ninth.locator("> summary").click()
    expect(ninth.get_by_role("region", name="Data of the case")).to_be_hidden()
    ninth.get_by_text("Data of the case").click()
    shown = ninth.get_by_role("region", name="Data of the case")
    expect(shown).to_contain_text("Model:")
    assert shown.bounding_box()["height"] <= 0.4 * 800  # type: ignore[index]
    assert shown.evaluate("box => box.scrollHeight > box.clientHeight")
    page.set_viewport_size({"width": 1100, "height": 1500})
    ninth.get_by_role("button", name="Next part").click()
    expect(tenth.get_by_role("region", name="Data of the case")).to_be_visible()
    short = bare.problem(posed(template("case")))
    expect(short.get_by_text("Data of the case")).to_have_count(0)


def test_what_became_of_a_part_of_a_long_case_is_in_view_where_it_was_checked(bare: Any) -> None:
    form, page = bare.problem(asked("train-a-model")), bare.page
    page.set_viewport_size({"width": 1100, "height": 600})
    second = form.locator(".parts > details").nth(1)
    second.locator("> summary").click()
    second.get_by_role("textbox").fill("a lot")
    second.get_by_role("button", name="Check so far").click()
    expect(second.locator(".note")).to_be_in_viewport()
    expect(second.get_by_role("button", name="Check so far")).to_be_focused()
    second.get_by_role("textbox").fill("1 GB")
    expect(second.locator(".since")).to_have_text("About your previous answer:")
    expect(second.locator(".note")).to_have_class(re.compile(r"\bold\b"))
    bare.is_fit_for_all()


def test_a_hunt_offers_a_typical_call_and_another_bug(bare: Any) -> None:
    question = asked("ring-time-bug")
    form = bare.problem(question)
    expect(form.get_by_text("usually 10⁹ to 1.4 × 10¹⁰")).to_be_visible()
    press(form, "Fill in a typical call")
    for name, value in question.form.typical.items():  # type: ignore[attr-defined]
        assert float(form.get_by_label(name, exact=True).input_value()) == value
    bare.is_fit_for_all()
    verdict = check(bare.page, form)
    expect(verdict).to_contain_text("which is right, so this input does not expose the bug")
    press(form, "Another bug")
    expect(verdict).to_contain_text("another bug")
    expect(form.get_by_label("gpus", exact=True)).to_have_value("")


def test_a_slider_shows_what_a_confidence_earns_before_the_estimate_is_checked(bare: Any) -> None:
    question = asked("a-thinner-network")
    form, page = bare.problem(question), bare.page
    slider = form.get_by_role("slider", name="Your confidence")
    expect(slider).to_have_attribute("aria-valuetext", "Move the slider to say how sure you are.")
    form.get_by_label("Your estimate").fill("2 s")
    expect(check(page, form)).to_contain_text("How sure are you")  # nobody has moved it
    go_to(page, slider)
    page.keyboard.press("End")
    for _ in range(4):
        page.keyboard.press("ArrowLeft")
    said = "80 %. If right: 1.96 points. If wrong: 0.36 points."
    expect(slider).to_have_attribute("aria-valuetext", said)
    expect(form.locator(".confidence")).to_contain_text(said)
    expect(check(page, form)).to_contain_text("✓ Correct · 1.96 of 2 points")
    page.reload()
    expect(slider).to_have_value("80")
    bare.is_fit_for_all()


@pytest.mark.parametrize("width", [1400, 600])
def test_code_uses_the_width_of_the_page_and_scrolls_beyond_it_while_text_keeps_its_measure(
    bare: Any, width: int
) -> None:
    form, page = bare.problem(posed(template("code"))), bare.page
    page.set_viewport_size({"width": width, "height": 900})
    narrow = form.bounding_box()["width"]  # type: ignore[index]
    assert narrow <= 804
    editor = form.get_by_role("textbox", name="Your function")
    editor.fill("total = " + " + ".join(["message_gb"] * (8 if width == 1400 else 20)))
    code = form.locator(".cm-scroller")
    assert code.evaluate(FITS) == (width == 1400)
    assert (form.bounding_box()["width"] > narrow) == (width == 1400)  # type: ignore[index]
    assert form.locator(".prose p").first.bounding_box()["width"] <= 760  # type: ignore[index]
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_other_numbers_of_a_long_case_begin_at_its_beginning_and_back_is_where_one_was(bare: Any) -> None:
    form = bare.problem(asked("train-a-model"))
    second = form.locator(".parts > details").nth(1)
    second.locator("> summary").click()
    second.get_by_role("textbox").fill("1 GB")
    press(form, "New numbers")
    expect(form.get_by_role("heading").first).to_be_focused()
    expect(second).not_to_have_attribute("open", "")
    form.get_by_role("button", name="Back").press("Enter")
    expect(second).to_have_attribute("open", "")
    expect(second.get_by_role("textbox")).to_be_focused()
    expect(second.get_by_role("textbox")).to_be_in_viewport()
    expect(second.get_by_role("textbox")).to_have_value("1 GB")
    assert bare.faults == []


def test_why_a_field_cannot_be_read_is_said_once_also_inside_a_case(bare: Any) -> None:
    form, page = bare.problem(posed(template("case"))), bare.page
    first = form.locator(".parts > details").first
    first.get_by_role("textbox").fill("a lot")
    expect(first.locator(".reading")).to_contain_text("a lot")
    check(page, form)
    expect(first.locator("> summary")).to_contain_text("? unreadable")
    expect(first.locator(".note")).to_contain_text("a lot")
    expect(first.locator(".reading")).to_be_empty()
    expect(form.get_by_role("status")).to_contain_text("1 part cannot be read; the reason is next to it.")
    bare.is_fit_for_all()


def test_pairs_are_picked_from_lists_that_show_their_texts(bare: Any) -> None:
    question = posed(template("match"))
    key: Any = question.key
    form, page = bare.problem(question), bare.page
    for item, letter in key.pairs.items():
        field = form.get_by_label(f"Match for {item}")
        go_to(page, field)
        page.keyboard.type(f"{letter})")
        expect(field).to_have_value(letter)
    texts = form.get_by_role("combobox").first.locator("option").all_inner_texts()
    assert all(len(text) > len("a) ") for text in texts[1:])
    expect(check(page, form)).to_contain_text("✓ Correct")
    picture(page, "match")
    bare.is_fit_for_all()


def test_a_kind_of_another_package_is_answered_and_judged_in_a_form(bare: Any, tmp_path: Path) -> None:
    own = ROOT / "examples" / "bank"
    with installed(own, tmp_path):
        question = pose(Bank.open(own).find("where-the-payments-go"), 0)
        form, page = bare.problem(question), bare.page
        for name, amount in question.key.model_dump()["amounts"].items():
            go_to(page, form.get_by_label(question.form.model_dump()["amounts"][name]))
            page.keyboard.type(f"{amount:.0f}")
        expect(form.locator(".reading").first).to_contain_text("of the whole")
        expect(check(page, form)).to_contain_text("✓ Correct")
        bare.is_fit_for_all()
