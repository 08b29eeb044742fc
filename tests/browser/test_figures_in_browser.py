"""Interactive figures in a real browser, on a bare page backed by the desk of this checkout."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from browser.conftest import violations
from checkout import checkout_bank, fresh_session
from drawing import every_sixth_at_once
from shardwise.bank.pages.interactive_figures import Moving, moving, moving_names
from shardwise.student.desk import Desk
from shardwise.student.widget.library import BUNDLE

NAMES = moving_names(checkout_bank())
BLANK = """<!doctype html><html lang="en"><title>A figure</title>
<style>:root { color-scheme: light dark; } body { margin: 0; background: light-dark(#fff, #111); }</style><main><h1>A page</h1><h2>A section</h2><div id="here"></div></main></html>"""
SHOW = """async ([code, given, kept]) => {
  const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
  const desk = await import(url);
  window.kept = kept;
  const draft = { get: (key) => window.kept[key], set: (key, value) => { window.kept[key] = value; } };
  window.asked = [];
  const ask = async (request) => {
    window.asked.push(request);
    await new Promise((done) => setTimeout(done, window.delay ?? 0));
    return window.answered(request);
  };
  const host = { draft, ask };
  document.querySelector("#here").replaceChildren(await desk.show("figure", host, given));
}"""
DIFFERS = "([what, before]) => document.querySelector('#here > *').shadowRoot.querySelector(what).innerHTML !== before"
LIT = "(found, colour) => found.flatMap((one, place) => one.getAttribute('stroke') === `var(--draw-${colour})` ? [place] : [])"
Open = Callable[..., Page]


@pytest.fixture
def opened(browser: Browser) -> Iterator[Open]:
    """Return a function that shows a figure on its own page; an error on its console fails the test."""
    desk, errors, contexts = Desk(fresh_session()), list[str](), list[Any]()

    def show(name: str, *, kept: Any = None, width: int = 900, seen: bool = True, **options: Any) -> Page:
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on(
            "console", lambda message: errors.append(message.text) if message.type in ("error", "warning") else None
        )
        page.expose_function("answered", desk.reply)
        page.set_content(BLANK)
        page.evaluate(SHOW, [BUNDLE.read_text("utf-8"), the(name).view, kept or {}])
        if seen and not kept:
            page.get_by_role("button", name="Show the figure").click()
            expect(pictures(page).first).to_be_visible()
        return page

    yield show
    for context in contexts:
        context.close()
    assert errors == []


def the(name: str) -> Moving:
    return moving([checkout_bank()], name)


def pictures(page: Page) -> Locator:
    return page.locator(".drawing > svg")


def fact(page: Page, name: str) -> Locator:
    return page.locator("dl div", has=page.locator("dt", has_text=name)).locator("dd")


def slider(page: Page, name: str) -> Locator:
    return page.get_by_role("slider", name=name)


# Every figure ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", every_sixth_at_once(NAMES))
def test_every_figure_moves_by_keys_by_mouse_and_by_itself(opened: Open, name: str) -> None:
    page = opened(name)
    first = page.get_by_role("slider").first
    before = pictures(page).first.inner_html()
    first.focus()
    page.keyboard.press("Home")
    lowest = first.get_attribute("aria-valuetext")
    page.keyboard.press("ArrowRight")
    expect(first).not_to_have_attribute("aria-valuetext", str(lowest))
    box = first.bounding_box()
    assert box
    page.mouse.click(box["x"] + box["width"] - 8, box["y"] + box["height"] / 2)
    page.wait_for_function(DIFFERS, arg=[".drawing > svg", before])
    page.get_by_role("button", name="Play").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    moved = page.locator("section").inner_html()
    page.wait_for_function(DIFFERS, arg=["section", moved])
    page.get_by_role("button", name="Pause").click()
    expect(page.get_by_role("button", name="Play")).to_be_visible()


@pytest.mark.parametrize("name", every_sixth_at_once(NAMES))
def test_every_figure_can_be_used_by_everybody_on_a_phone(opened: Open, name: str) -> None:
    page = opened(name, width=360, seen=False)
    for state in ("asked", "seen"):
        if state == "seen":
            page.get_by_role("button", name="Show the figure").click()
            expect(pictures(page).first).to_be_visible()
            for table in page.get_by_text("Show as a table").all():
                table.click()
        for theme in ("light", "dark"):
            page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]
            assert violations(page, theme) == []
        assert page.evaluate("document.documentElement.scrollWidth") <= 360


# One by one --------------------------------------------------------------------------------------------------------


def test_a_guess_comes_before_the_picture_and_is_judged(opened: Open) -> None:
    page = opened("zero", seen=False)
    expect(pictures(page)).to_have_count(0)
    field = page.get_by_role("textbox")
    field.fill("a lot")
    field.press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("I could not read “a lot”. Enter a number in GB")
    expect(pictures(page)).to_have_count(0)
    field.fill("128")
    page.get_by_role("button", name="Check my guess").click()
    expect(page.get_by_role("status").first).to_contain_text("No: 33.6 GB. ZeRO-1")
    expect(pictures(page)).to_have_count(1)


def test_a_choice_is_made_by_keys_alone(opened: Open) -> None:
    page = opened("ring", seen=False)
    page.keyboard.press("Tab")
    for _ in range(2):
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").first).to_contain_text("Yes: 1.5 GB. In each step, a GPU sends one chunk")
    expect(pictures(page)).to_have_count(1)


@pytest.mark.slow
def test_space_plays_the_ring_to_its_end_and_the_bytes_are_counted(opened: Open) -> None:
    page = opened("ring")
    expect(fact(page, "sent by each GPU")).to_have_text("nothing")
    slider(page, "GPUs").press("Space")
    expect(fact(page, "sent by each GPU")).to_have_text("1.5 GB", timeout=15_000)
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    assert page.get_by_text("4", exact=True).count() >= 16
    page.get_by_role("button", name="Back").click()
    expect(fact(page, "sent by each GPU")).to_have_text("1.25 GB")
    slider(page, "Frame").press("Home")
    expect(fact(page, "phase")).to_have_text("before the first step")
    page.get_by_role("button", name="Step").click()
    expect(page.get_by_text("step 1 of 6")).to_be_visible()


def test_nothing_plays_by_itself_where_motion_is_not_wanted(opened: Open) -> None:
    page = opened("ring", reduced_motion="reduce")
    expect(page.get_by_role("button", name="Play")).to_have_count(0)
    slider(page, "GPUs").press("Space")
    expect(page.get_by_text("step 1 of 6")).to_be_visible()
    page.wait_for_timeout(1500)
    expect(page.get_by_text("step 1 of 6")).to_be_visible()


def test_settings_that_cannot_be_are_told_and_the_picture_comes_back(opened: Open) -> None:
    page = opened("pipeline")
    slider(page, "stages").press("ArrowRight")  # 6 stages, 8 micro-batches
    page.get_by_role("radio", name="interleaved").check()
    expect(page.get_by_role("alert")).to_contain_text("interleaving needs a multiple of the stages as micro-batches")
    slider(page, "micro-batches").press("ArrowRight")
    expect(page.get_by_role("alert")).to_be_empty()
    expect(pictures(page).first).to_have_attribute(
        "aria-label", re.compile("interleaved with 6 stages and 12 micro-batches; numbers are micro-batches")
    )


def test_a_slider_that_moves_fast_asks_for_where_it_came_to_rest(opened: Open) -> None:
    page = opened("zero")
    page.evaluate("window.asked = []; window.delay = 500")
    slider(page, "GPUs").focus()
    for _ in range(4):
        page.keyboard.press("ArrowRight")
    expect(pictures(page)).to_have_attribute("aria-label", re.compile("on each of 1,024 GPUs"))
    assert [request["settings"]["gpus"] for request in page.evaluate("window.asked")] == ["128", "1,024"]
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowRight")  # what was asked before is known
    page.wait_for_timeout(700)
    assert len(page.evaluate("window.asked")) <= 3


def test_a_figure_goes_on_where_it_was_left(opened: Open) -> None:
    page = opened("roofline")
    slider(page, "tokens").press("End")
    page.get_by_role("radio", name="B200-180GB").check()
    expect(fact(page, "limited by")).to_have_text("compute")
    again = opened("roofline", kept=page.evaluate("window.kept"))
    expect(slider(again, "tokens")).to_have_attribute("aria-valuetext", "8,192")
    expect(again.get_by_role("radio", name="B200-180GB")).to_be_checked()


def test_settings_that_were_kept_and_cannot_be_are_told_and_can_be_changed(opened: Open) -> None:
    kept = {"stages": "6", "schedule": "interleaved", "cost": "<b>1</b>", "gone": "7"}
    page = opened("pipeline", kept={"figure pipeline": {"guessed": True, "settings": kept}})
    expect(page.get_by_role("alert")).to_contain_text("interleaving needs a multiple of the stages as micro-batches")
    slider(page, "micro-batches").press("ArrowRight")
    expect(pictures(page).first).to_be_visible()
    expect(page.get_by_role("alert")).to_be_empty()


@pytest.mark.parametrize(
    ("name", "numbers"),
    [
        ("accumulation", "numbers are micro-batches"),
        ("loader", "Numbers are batches; in the queue row, how many are waiting"),
        ("overlap", "numbers are layers"),
        ("pipeline", "numbers are micro-batches"),
        ("ring-attention", "numbers are the owners of the keys and values"),
    ],
)
def test_over_bars_in_time_stands_what_their_numbers_are(opened: Open, name: str, numbers: str) -> None:
    expect(opened(name).get_by_text(numbers)).to_be_visible()


def test_the_table_says_what_the_picture_shows(opened: Open) -> None:
    page = opened("zero")
    page.get_by_text("Show as a table").click()
    row = page.get_by_role("row", name="ZeRO-2")
    assert row.get_by_role("cell").all_inner_texts() == ["16.1", "0.251", "1.51", "17.8"]


def places(page: Page, what: str, *attributes: str) -> list[tuple[float, ...]]:
    """Return attributes of all matching elements of the first drawing, in drawing order."""
    script = "(found, names) => found.map((element) => names.map((name) => Number(element.getAttribute(name))))"
    return [tuple(row) for row in pictures(page).first.locator(what).evaluate_all(script, list(attributes))]


def test_bars_are_as_long_as_what_they_stand_for(opened: Open) -> None:
    (panel,) = the("zero").show(the("zero").start)["panels"]
    sizes = [part["size"] for row in panel["rows"] for part in row["parts"]]
    page = opened("zero")
    widths = [width + 0.5 for (width,) in places(page, "rect", "width")]  # half a pixel keeps parts apart
    ((_, zero), *_), ((_, limit),) = (places(page, what, "y2", "x1") for what in ("line.grid", "line.mark"))
    share = (limit - zero) / panel["limit"]["at"]
    assert widths == pytest.approx([max(0.5, share * size) for size in sizes], abs=0.01)


def test_operations_are_drawn_when_and_where_they_happen(opened: Open) -> None:
    gantt, _ = the("pipeline").show(the("pipeline").start)["panels"]
    spans, drawn = gantt["spans"], places(opened("pipeline"), "rect", "x", "y", "width")
    tick = (drawn[-1][0] - drawn[0][0]) / (spans[-1]["from"] - spans[0]["from"])
    for span, (x, y, width) in zip(spans, drawn, strict=True):
        assert x == pytest.approx(drawn[0][0] + tick * span["from"], abs=0.01)
        assert width + 1 == pytest.approx(tick * (span["to"] - span["from"]), abs=0.01)
        assert y == drawn[0][1] + 30 * span["row"]


def test_a_moment_shows_what_has_begun_and_nothing_after(opened: Open) -> None:
    shown = the("pipeline").show(the("pipeline").start)
    page = opened("pipeline")
    slider(page, "Frame").press("Home")
    now, spans = shown["frames"][0]["panels"][0]["now"], shown["panels"][0]["spans"]
    expect(pictures(page).first.locator("rect")).to_have_count(sum(span["from"] < now for span in spans))


def test_a_kernel_is_marked_on_its_roof(opened: Open) -> None:
    page = opened("roofline")
    ((x, y),) = places(page, "circle", "cx", "cy")
    (roof,) = [line for line in the("roofline").show(the("roofline").start)["panels"][0]["lines"] if not line["dashed"]]
    path = pictures(page).first.locator("path.line:not(.dashed)").get_attribute("d")
    assert path and len(roof["points"]) == 3
    (left, low), (bend, high), _ = ([float(part) for part in point.split(",")] for point in path[1:].split("L"))
    assert left < x < bend
    assert y == pytest.approx(
        low + (high - low) * (x - left) / (bend - left), abs=0.2
    )  # straight on two logarithmic axes


def test_those_that_talk_are_ringed_and_the_links_that_this_takes_are_lit(opened: Open) -> None:
    page = opened("ranks")
    for moment, ringed, nvlink, ports in (("End", (0, 16, 32, 48), (), (0, 2, 4, 6)), ("Home", (0, 1, 2, 3), (0,), ())):
        slider(page, "Frame").press(moment)
        expect(pictures(page).first.locator("ellipse")).to_have_count(4)
        titles = pictures(page).first.locator("g", has=page.locator("ellipse")).locator("title").all_text_contents()
        assert [int(title.split(":")[0].removeprefix("rank ")) for title in titles] == list(ringed)
        frames = pictures(page).first.locator("rect[rx='4']").evaluate_all(LIT, "purple")
        ways = pictures(page).first.locator("line").evaluate_all(LIT, "red")
        assert (frames, ways) == (list(nvlink), list(ports))


def tops_of(page: Page, kind: int) -> list[tuple[float, float]]:
    """Return the corners of the path around a layer, in pixels: along its top, and back along its base."""
    path = pictures(page).first.locator("path").nth(kind).get_attribute("d")
    assert path
    return [(float(x), float(y)) for x, y in (corner.split(",") for corner in path[1:-1].split("L"))]


def test_what_is_held_is_drawn_as_high_as_it_is_until_the_moment_that_is_shown(opened: Open) -> None:
    picture = the("step-memory")
    shown = picture.show(picture.start)
    (panel,) = shown["panels"]
    page = opened("step-memory")
    ((left, right, low), *_, (_, _, high)) = places(page, ".axis .grid", "x1", "x2", "y1")  # 0 and 80 GB
    states, activations = tops_of(page, 0), tops_of(page, 2)
    assert (low - states[0][1]) / (low - high) * 80 == pytest.approx(panel["moments"][0]["sizes"][0], abs=0.05)
    tops = [round((low - y) / (low - high) * 80, 1) for _, y in activations[: len(activations) // 2]]
    most = max(sum(moment["sizes"][:3]) for moment in panel["moments"])
    assert max(tops) == pytest.approx(most, abs=0.15)
    width = states[len(states) // 2 - 1][0] - states[0][0]
    assert width / (right - left) == pytest.approx(panel["moments"][-1]["to"] / panel["x"]["high"], abs=0.001)
    slider(page, "Frame").press("Home")
    page.get_by_role("button", name="Step").click()
    expect(pictures(page).get_by_text("64.6 GB")).to_have_count(0)  # the loss is still to come
    until = max(x for x, _ in tops_of(page, 0)) - states[0][0]
    assert until / width == pytest.approx(2 / len(shown["frames"]), abs=0.01)
    expect(fact(page, "now")).to_have_text("forward pass of layer 5, 23.3 GB")


def test_a_step_that_is_held_can_be_read_as_a_table(opened: Open) -> None:
    page = opened("step-memory")
    page.get_by_text("Show as a table").click()
    rows = {
        row.get_by_role("rowheader").inner_text(): row.get_by_role("cell").all_inner_texts()
        for row in page.get_by_role("row").all()[1:]
    }
    assert list(rows) == ["loss", "backward starts", "backward ends", "update"]
    assert rows["loss"] == ["17.6", "0", "36.5", "10.5", "64.6"]
