"""Answers to a problem of each kind, and two ways to enter them in a form: by mouse, or with the keyboard only."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Protocol

import pytest
from playwright.sync_api import Locator, Page, expect

from checkout import checkout_bank
from shardwise.bank.posing import pose
from shardwise.kinds import kind_of
from shardwise.question import Outcome, Question

RING_TIME = """def ring_all_reduce_ms(message_gb, gpus, bandwidth_gb_per_s, latency_us):
    return 2 * (gpus - 1) * (message_gb / gpus / bandwidth_gb_per_s * 1e3 + latency_us / 1e3)
"""
# Of each kind a problem, and what is answered to its first variant. Where there is no right one it is the kind's sample;
# where there is no unreadable one, the form has none to give. A kind that is not here is answered rightly.
ANSWERS: dict[str, dict[str, Any]] = {
    "bytes-per-gpu": {"wrong": "1.4985 GB", "unreadable": "40 GB/s"},
    "a-thinner-network": {
        "wrong": {"value": "500 s", "confidence": "90 %"},
        "right": {"value": "2 s", "confidence": "80 %"},
        "unreadable": {"value": "a lot", "confidence": "80 %"},
    },
    "ring-or-tree": {"wrong": ["a"], "right": ["b"]},
    "fifty-four-days": {"wrong": ["a"]},
    "order-ring-events": {"wrong": ["d", "e", "b", "c", "a"], "right": ["d", "b", "e", "c", "a"]},
    "which-bytes-are-which": {"wrong": {"1": "e", "2": "c", "3": "b", "4": "c", "5": "d"}},
    "bytes-per-gpu-formula": {"wrong": "6*M*(N-1)/N", "unreadable": "6*2*M*(N-1"},
    "ring-time-function": {
        "wrong": RING_TIME.replace("2 *", ""),
        "right": RING_TIME,
        "unreadable": RING_TIME.replace("1e3)", "1e3"),
    },
    "ring-time-bug": {"wrong": {"line": 2, "fix": "    return 0"}, "unreadable": {"input": {"gpus": "many"}}},
    "split-the-backward": {
        "wrong": "\n".join(f"stage {stage}: F1 B1 W1 F2 B2 W2 F3 B3 W3 F4 B4 W4" for stage in range(1, 5)),
        "unreadable": "stage 1: F1 F2 B1\nstage 2: F1",
    },
    "a-layout-that-fits": {"wrong": {"tp": 1, "pp": 8, "dp": 64}, "unreadable": {"tp": 8, "pp": 2, "dp": "many"}},
    "train-a-model": {
        "wrong": {"replicas": "512", "micro_batches": "2"},
        "unreadable": {"replicas": "as many as fit"},
    },
}
_answered = {checkout_bank().find(name).data["kind"] for name in ANSWERS}
for problem in checkout_bank().read_all().problems.values():
    if problem.data["kind"] not in _answered:
        ANSWERS[problem.slug] = {}
        _answered.add(problem.data["kind"])
SAID = {"wrong": ("Not yet", "Partly right"), "right": ("✓ Correct",), "unreadable": ("Unreadable",)}
MOST_TABS = 80


def first(name: str) -> Question:
    """Return the first variant of a problem of this checkout."""
    return pose(checkout_bank().find(name), 0)


def form_of(page: Page, question: Question) -> Locator:
    """Find the form of a question by its title; finding the region of that name would be slower."""
    return page.locator("section").filter(has=page.locator(f"h3:text-is({json.dumps(question.title)})"))


def right_answer(question: Question) -> Any:
    """Return a right answer as a form sends it."""
    return next(sample.raw for sample in kind_of(question).samples(question) if sample.outcome == Outcome.CORRECT)


def answers(question: Question, name: str) -> dict[str, Any]:
    """Return answers to a problem in turn: unreadable if its form allows that, then wrong, then right."""
    given = ANSWERS[name]
    return {
        state: given[state] if state in given else right_answer(question)
        for state in ("unreadable", "wrong", "right")
        if state in given or state == "right"
    }


def is_said(form: Locator, state: str) -> None:
    """Wait for the verdict."""
    expect(form.get_by_role("status")).to_contain_text(re.compile("|".join(map(re.escape, SAID[state]))))


# Two pairs of hands -----------------------------------------------------------------------------------------------------


class Hands(Protocol):
    """The actions of a student in a form."""

    def press(self, button: Locator) -> None:
        """Press a button, or unfold a section."""

    def write(self, box: Locator, text: str) -> None:
        """Replace the text of a field."""

    def slide(self, slider: Locator, to: int) -> None:
        """Move a slider."""

    def choose(self, box: Locator, value: str) -> None:
        """Choose from a drop-down list."""

    def tick(self, options: Locator, letters: Sequence[str]) -> None:
        """Select these options and no others."""

    def pick(self, listing: Locator, number: int) -> None:
        """Select a line."""

    def lift(self, items: Locator, at: int, to: int) -> None:
        """Move an item up."""

    def place(self, stage: Locator, operation: str) -> None:
        """Append an operation to a stage's line."""


class Mouse:
    """A student who uses the mouse, and the keyboard only for text."""

    def __init__(self, _: Page) -> None:
        pass

    def press(self, button: Locator) -> None:
        button.click()

    def write(self, box: Locator, text: str) -> None:
        box.click()
        box.fill(text)

    def slide(self, slider: Locator, to: int) -> None:
        slider.fill(str(to))

    def choose(self, box: Locator, value: str) -> None:
        box.select_option(value)

    def tick(self, options: Locator, letters: Sequence[str]) -> None:
        for option in options.all():
            if (value := option.get_attribute("value")) in letters or option.get_attribute("type") == "checkbox":
                option.set_checked(value in letters)

    def pick(self, listing: Locator, number: int) -> None:
        listing.get_by_role("option").nth(number - 1).click()

    def lift(self, items: Locator, at: int, to: int) -> None:
        label = items.nth(at).get_attribute("data-label")
        for _ in range(at - to):
            items.get_by_role("button", name=f"Move {label} up", exact=True).click()

    def place(self, stage: Locator, operation: str) -> None:
        stage.get_by_role("button", name=f"Add {operation},").click()


# What to press to come nearer to an element of a form: nothing when it has the focus. In an editor Tab indents.
NEARER = """target => {
  const at = target.getRootNode().activeElement;
  if (at === target) return [];
  const isBehind = at && at.compareDocumentPosition(target) & Node.DOCUMENT_POSITION_PRECEDING;
  return [...(at?.isContentEditable ? ["Escape"] : []), isBehind ? "Shift+Tab" : "Tab"];
}"""


class Keys:
    """A student who uses only the keyboard: Tab and Shift+Tab between fields, and each field's own keys."""

    def __init__(self, page: Page) -> None:
        self._key = page.keyboard

    def reach(self, target: Locator) -> None:
        """Give an element the focus."""
        element = target.element_handle()  # found once: by its role that takes as long as five keys
        for _ in range(MOST_TABS):
            if not (keys := element.evaluate(NEARER)):
                return
            for key in keys:
                self._key.press(key)
        pytest.fail(f"Tab never comes to {target}")

    def press(self, button: Locator) -> None:
        self.reach(button)
        self._key.press("Enter")

    def write(self, box: Locator, text: str) -> None:
        self.reach(box)
        self._key.press("Control+a")
        if "\n" in text:
            self._key.insert_text(text)  # an editor indents by itself what is typed
        else:
            self._key.type(text)

    def slide(self, slider: Locator, to: int) -> None:
        self.reach(slider)
        self._key.press("Home")
        step = int(slider.get_attribute("step") or 1)
        for _ in range(to // step):
            self._key.press("ArrowRight")

    def choose(self, box: Locator, value: str) -> None:
        self.reach(box)
        place = box.locator("option").evaluate_all(
            "(options, value) => options.findIndex((one) => one.value === value)", value
        )
        self._key.press("Home")
        for _ in range(place):
            self._key.press("ArrowDown")
        expect(box).to_have_value(value)

    def tick(self, options: Locator, letters: Sequence[str]) -> None:
        if options.first.get_attribute("type") == "checkbox":
            for option in options.all():
                if option.is_checked() != (option.get_attribute("value") in letters):
                    self.reach(option)
                    self._key.press("Space")
            return
        checked = options.and_(options.page.locator(":checked"))
        self.reach(checked if checked.count() else options.first)
        self._key.press("Space")
        while checked.get_attribute("value") not in letters:
            self._key.press("ArrowDown")

    def pick(self, listing: Locator, number: int) -> None:
        self.reach(listing)
        self._key.press("Home")
        for _ in range(number - 1):
            self._key.press("ArrowDown")

    def lift(self, items: Locator, at: int, to: int) -> None:
        self.reach(items.first)
        for _ in range(at):
            self._key.press("ArrowDown")
        for _ in range(at - to):
            self._key.press("Alt+ArrowUp")
        self._key.press("Home")

    def place(self, stage: Locator, operation: str) -> None:
        self.reach(stage.get_by_role("button").first)
        self._key.press(operation[0].lower())


# A form, field by field -------------------------------------------------------------------------------------------------


def give(hands: Hands, form: Locator, question: Question, raw: Any) -> None:
    """Enter an answer and check it."""
    fill(hands, form, kind_of(question).view(question.form)["fields"], raw)
    hands.press(form.get_by_role("button", name="Check", exact=True))


def fill(hands: Hands, within: Locator, fields: Sequence[Mapping[str, Any]], raw: Any) -> None:
    """Enter an answer in fields; an unnamed field takes the complete answer."""
    for field in fields:
        if "name" not in field:
            enter(hands, within, field, raw)
        elif field["name"] in raw:
            enter(hands, within, field, raw[field["name"]])


def enter(hands: Hands, within: Locator, field: Mapping[str, Any], raw: Any) -> None:
    """Enter an answer in one field."""
    match field["type"]:
        case "line" | "program":
            hands.write(within.get_by_label(field["label"]), str(raw))
        case "confidence":
            hands.slide(within.get_by_label(field["label"]), int(str(raw).removesuffix(" %")))
        case "number":
            hands.write(within.get_by_label(field["name"], exact=True), str(raw))
        case "options":
            hands.tick(within.locator("input[value]"), letters(raw))
        case "order":
            items = within.locator("ol.order > li")
            for place, label in enumerate(letters(raw)):
                hands.lift(items, items.evaluate_all("rows => rows.map(row => row.dataset.label)").index(label), place)
        case "pairs":
            for item, letter in raw.items():
                hands.choose(within.get_by_label(f"Match for {item}"), letter)
        case "listing":
            hands.pick(within.get_by_role("listbox"), raw)
        case "schedule":
            if (again := within.get_by_role("button", name="Reset")).is_enabled():
                hands.press(again)
            for place, line in enumerate(raw.splitlines()):
                for operation in line.partition(": ")[2].split():
                    hands.place(within.get_by_role("toolbar").nth(place), operation)
        case "layout":
            for axis in field["axes"]:
                if axis["name"] in raw:
                    role: Literal["combobox", "textbox"] = "combobox" if axis["values"] else "textbox"
                    do: Callable[[Locator, str], None] = hands.choose if axis["values"] else hands.write
                    do(within.get_by_role(role, name=axis["name"]), str(raw[axis["name"]]))
        case "group":
            fill(hands, within, field["fields"], raw)
        case "parts":
            for number, part in enumerate(field["parts"]):
                if part["name"] in raw:
                    each = within.locator(".parts > details").nth(number)
                    if each.get_attribute("open") is None:
                        hands.press(each.locator("> summary"))
                    fill(hands, each, part["fields"], raw[part["name"]])
        case other:
            pytest.fail(f"nobody fills in a field of the type {other}")


def letters(raw: str | Sequence[str]) -> Sequence[str]:
    """Return the labels of options or items, which may be given as text."""
    return raw.replace(",", " ").lower().split() if isinstance(raw, str) else raw
