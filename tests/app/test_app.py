"""The app's replies: chapters in the order of the lesson, the record, and errors in words."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from shardwise.app.app import App
from shardwise.app.steps import walks
from shardwise.bank.bank import Bank, Banks
from shardwise.kinds import kind_of
from shardwise.plugins import ELEMENTS, added
from shardwise.student.progress.clock import VARIABLE as CLOCK
from shardwise.student.progress.file import VARIABLE
from shardwise.student.session import Session

RING = "01-ring-all-reduce"


@pytest.fixture
def app(whole_bank: Bank, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> App:
    monkeypatch.setenv(VARIABLE, str(tmp_path / "progress.sqlite"))
    monkeypatch.setenv(CLOCK, "2026-12-01T12:00")
    return App(Session.of(Banks([whole_bank])))


def solve(app: App, problem: str, seed: str = "0") -> None:
    """Answer a question right, by its key."""
    question = app._session.question(problem, seed)
    answer = next(sample.raw for sample in kind_of(question).samples(question) if sample.outcome == "correct")
    verdict = app.reply({"do": "check", "problem": problem, "seed": seed, "answer": answer})["verdict"]
    assert verdict["outcome"] == "correct", (problem, answer, verdict)


def record(app: App) -> dict[str, Any]:
    found: dict[str, Any] = app.reply({"do": "record"})["record"]
    return found


def test_steps_follow_the_lesson_and_contain_every_problem_once(whole_bank: Bank) -> None:
    for walk in walks(Banks([whole_bank])):
        chapter = whole_bank.chapters[walk.name]
        assert [step.id for step in walk.steps if step.problem] == list(chapter.problems)
        assert len({step.id for step in walk.steps}) == len(walk.steps)
        for heading, slugs in chapter.sections.items():
            titles = [step.title for step in walk.steps]
            after = walk.steps[titles.index(heading) + 1 :]
            assert [step.id for step in after[: len(slugs)]] == list(slugs)


def test_every_section_of_every_lesson_is_shown_with_its_figures(app: App, whole_bank: Bank) -> None:
    for chapter in app.reply({"do": "map"})["map"]["chapters"]:
        lesson = (whole_bank.lessons / chapter["name"] / "lesson.md").read_text("utf-8")
        shown = ""
        for step in chapter["steps"]:
            if step["type"] == "section":
                pieces = app.reply({"do": "section", "chapter": chapter["name"], "step": step["id"]})["section"][
                    "pieces"
                ]
                shown += "".join(
                    piece.get("html", "<img >") for piece in pieces
                )  # an interactive figure replaces an image
        assert shown.count("<img ") == lesson.count("](figures/")
        assert "](figures" not in shown
        ends = app.reply({"do": "section", "chapter": chapter["name"], "step": "end"})["section"]["pieces"]
        assert ends[0]["html"].count("<li>") == lesson.count("*Takeaway:*")
        assert bool(ends[1]["html"]) == ("## Sources" in lesson)


def test_continue_leads_through_texts_and_problems_and_into_the_next_chapter(app: App, whole_bank: Bank) -> None:
    assert record(app)["next"]["step"] == "introduction"
    app.reply({"do": "read", "chapter": RING, "step": "introduction"})
    assert record(app)["next"]["step"] == "two-phases"
    app.reply({"do": "read", "chapter": RING, "step": "two-phases"})
    assert record(app)["next"]["step"] == "gpus-behind-one-link"
    solve(app, f"{RING}/gpus-behind-one-link")
    assert record(app)["next"]["step"] == "order-ring-events"
    for slug in whole_bank.chapters[RING].problems:
        solve(app, f"{RING}/{slug}")
    assert record(app)["read"] == [f"{RING}/{step.id}" for step in walks(Banks([whole_bank]))[0].steps if step.section]
    assert record(app)["next"] == {
        "chapter": "02-zero", "step": "introduction", "title": "ZeRO", "about": "ZeRO", "why": "The next chapter",
    }  # fmt: skip


def test_todays_five_move_nobodys_place_and_mark_no_section_as_read(app: App) -> None:
    app.reply({"do": "at", "chapter": RING})
    app.reply({"do": "read", "chapter": RING, "step": "introduction"})
    before = record(app)
    for each in before["today"]["problems"]:
        solve(app, each["problem"], each["seed"])
    after = record(app)
    assert (after["next"], after["read"], after["settings"]) == (before["next"], before["read"], before["settings"])
    assert all(each["done"] and each["right"] for each in after["today"]["problems"])


def test_a_chapter_is_practised_with_new_numbers_until_all_of_it_is_mastered(app: App, whole_bank: Bank) -> None:
    asked: list[tuple[str, str]] = []
    while following := app.reply({"do": "master", "chapter": RING, "after": asked[-1][0] if asked else ""})["master"]:
        asked.append((following["problem"], following["seed"]))
        solve(app, *asked[-1])
        assert len(asked) <= 200
    assert all(before[0] != after[0] for before, after in pairwise(asked))
    assert len(set(asked)) == len(asked) == 3 * len(whole_bank.chapters[RING].problems)
    states = record(app)["problems"].values()
    assert all(state["mastered"] for state in states)


def test_todays_five_are_not_used_up_by_chapter_work_and_mix_chapters_a_week_later(
    app: App, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = [each["problem"] for each in record(app)["today"]["problems"]]
    assert len({name.partition("/")[0] for name in before}) == 5
    names = [name for name in app._session.banks.problems if name not in before]
    for chapter in ("01", "03", "07"):
        for name in [name for name in names if name.startswith(chapter)][:6]:
            solve(app, name)
    found = record(app)["today"]["problems"]
    assert ([each["problem"] for each in found], any(each["done"] for each in found)) == (before, False)
    solve(app, before[0])
    assert [each["done"] for each in record(app)["today"]["problems"]] == [True, False, False, False, False]
    monkeypatch.setenv(CLOCK, "2026-12-08T12:00")
    later = record(app)
    chapters = {each["problem"].partition("/")[0] for each in later["today"]["problems"]}
    assert len(chapters) >= 3
    assert later["today"]["waiting"] > 0
    assert later["streak"] == {"days": 0, "today": False}


def test_a_solved_problem_is_shown_as_solved_after_a_restart_with_what_was_typed(app: App, whole_bank: Bank) -> None:
    problem = f"{RING}/gpus-behind-one-link"
    app.reply({"do": "typed", "problem": problem, "drafts": {f"answer {problem} 0": "63 GB"}})
    solve(app, problem)
    again = App(Session.of(Banks([whole_bank]))).reply({"do": "open", "problem": problem})
    assert (again["state"]["solved"], again["state"]["mastered"]) == (True, False)
    assert again["drafts"] == {f"answer {problem} 0": "63 GB"}


def test_settings_survive_and_elements_of_packages_reply(app: App) -> None:
    assert record(app)["settings"] == {"goal": True}
    assert app.reply({"do": "set", "settings": {"goal": False}})["record"]["settings"] == {"goal": False}
    for name in added(ELEMENTS):
        shown = app.reply({"do": "element", "name": name})
        assert {"what", "given"} <= set(shown)
        assert "error" not in app.reply({"do": "element", "name": name, "request": {"do": "choices"}})


def test_the_index_leads_only_to_places_that_exist(app: App) -> None:
    places = {"#/"}
    for chapter in app.reply({"do": "map"})["map"]["chapters"]:
        places |= {f"#/{chapter['name']}", *(f"#/{chapter['name']}/{step['id']}" for step in chapter["steps"])}
    places |= {f"#/figures/{figure['name']}" for figure in app.reply({"do": "map"})["map"]["figures"]}
    entries = app.reply({"do": "index"})["index"]
    assert {entry["type"] for entry in entries} == {"problem", "section", "formula", "figure"}
    assert {entry["to"] for entry in entries} <= places


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ("nothing", "must be a dictionary"),
        ({"do": "section", "chapter": "x", "step": "end"}, "Unknown chapter “x”"),
        ({"do": "section", "chapter": RING, "step": "x"}, "no section “x”"),
        ({"do": "section", "chapter": 3}, "its <code>chapter</code> as text"),
        ({"do": "open", "problem": "x"}, "Unknown problem “x”"),
        ({"do": "read", "chapter": "x", "step": "y"}, "Unknown chapter"),
        ({"do": "set"}, "give <code>settings</code>"),
        ({"do": "typed", "problem": "x"}, "give <code>drafts</code>"),
        ({"do": "element", "name": "<b>"}, "Unknown page “&lt;b&gt;”"),
    ],
)  # fmt: skip
def test_a_bad_request_gets_an_error_in_words(app: App, asked: object, words: str) -> None:
    assert words in app.reply(asked)["error"]
