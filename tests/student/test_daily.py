"""Five problems a day: the choice over weeks, and the message once they are done."""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from checkout import checkout_bank
from shardwise.bank.bank import Banks
from shardwise.bank.discovery import name_of
from shardwise.student.progress.chapters import DAILY, ProblemRow, Progress, progress_of, streak
from shardwise.student.progress.events import Event, Variant
from shardwise.student.progress.file import ProgressFile
from typed import run_typed

START = datetime(2026, 11, 2, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def banks() -> Banks:
    return Banks([checkout_bank()])


def answered(problem: str, seed: str = "1", *, right: bool = True, days: float = 0) -> Event:
    return Event(
        at=START + timedelta(days=days), variant=Variant(name_of(checkout_bank().folder), problem, seed), digest="d",
        what="answer", place="terminal", outcome="correct" if right else "incorrect", points=2.0 * right,
    )  # fmt: skip


def found(banks: Banks, *events: Event, days: float = 0) -> Progress:
    return progress_of(banks, events, START + timedelta(days=days))


def ids(rows: list[ProblemRow]) -> list[str]:
    return [row.problem.id for row in rows]


def three_weeks(banks: Banks, share_right: float) -> list[ProblemRow]:
    """Return what a student is asked who does five problems a day and gets a share of them right."""
    dice, events, asked = random.Random(share_right), list[Event](), list[ProblemRow]()
    for day in range(21):
        rows = found(banks, *events, days=day).daily()
        assert len(rows) == len({row.problem.id for row in rows}) == DAILY
        asked += rows
        events += [
            answered(row.problem.id, row.record.next_seed(), right=dice.random() < share_right, days=day)
            for row in rows
        ]
    return asked


@pytest.mark.parametrize("share_right", [0.7, *(pytest.param(share, marks=pytest.mark.slow) for share in (1.0, 0.4))])
def test_three_weeks_reach_every_chapter_and_none_far_before_another(banks: Banks, share_right: float) -> None:
    asked = three_weeks(banks, share_right)
    new = [row.problem for row in asked if not row.record.is_begun]
    begun = Counter(problem.chapter for problem in new)
    assert begun.keys() == banks.chapters.keys()
    long = {chapter for chapter in begun if any(each.kind.takes_long for each in banks.of_chapter(chapter))}
    others = [begun[chapter] for chapter in begun.keys() - long]
    assert max(others) - min(others) <= 1
    for chapter in begun:  # in chapter order
        in_order = [problem.id for problem in banks.of_chapter(chapter) if not problem.kind.takes_long]
        assert [problem.id for problem in new if problem.chapter == chapter] == in_order[: begun[chapter]]


def test_a_case_is_not_begun_by_the_daily_five(banks: Banks) -> None:
    cases = {problem.id for problem in banks.problems.values() if problem.kind.takes_long}
    assert cases
    events, rows = list[Event](), found(banks).daily()
    while rows:  # only new problems; nothing is due yet
        events += [answered(row.problem.id) for row in rows]
        rows = found(banks, *events).daily(more=True)
    assert {*banks.problems} - {event.variant.problem for event in events} == cases


def test_what_is_due_comes_first_the_longest_overdue_before_all_and_one_is_new(banks: Banks) -> None:
    late = [problem.id for problem in banks.of_chapter([*banks.chapters][7])[:6]]
    events = [answered(name, right=False, days=place / 10) for place, name in enumerate(late)]
    daily = ids(found(banks, *events, days=3).daily())
    assert daily[:4] == late[:4]
    assert daily[4] == banks.of_chapter(next(iter(banks.chapters)))[0].id


def test_work_on_other_problems_does_not_use_up_the_five(banks: Banks) -> None:
    first = ids(found(banks).daily())
    others = [problem.id for problem in banks.of_chapter([*banks.chapters][8])[-7:]]
    assert ids(found(banks, *map(answered, others)).daily()) == first
    assert ids(found(banks, *map(answered, [*others, first[1]])).daily()) == [first[0], *first[2:]]


def test_a_backlog_is_spread_over_days_and_mixed_across_chapters(banks: Banks) -> None:
    chapters = [*banks.chapters][:3]
    late = [problem.id for chapter in chapters for problem in banks.of_chapter(chapter)[:6]]
    events = [answered(name, right=False, days=place / 100) for place, name in enumerate(late)]
    before = found(banks, *events, days=3)
    assert [row.problem.chapter for row in before.due_today] == [*chapters, chapters[0]]
    assert (len(before.due), before.waiting) == (18, 14)
    events += [answered(row.problem.id, "2", days=3) for row in before.daily()]
    after = found(banks, *events, days=3)
    assert (after.daily(), after.due_today, after.waiting, after.done_today) == ([], [], 14, DAILY)
    assert len(found(banks, *events, days=4).due_today) == DAILY - 1


def test_a_streak_counts_days_in_a_row_up_to_today_or_yesterday(banks: Banks) -> None:
    events = [answered("x", days=day) for day in (0, 2, 3, 4)]
    assert [streak(events, START + timedelta(days=day)) for day in (0, 1, 2, 4, 5, 6)] == [1, 1, 1, 3, 3, 0]


def test_what_was_done_today_is_taken_off_and_more_are_five_again(banks: Banks) -> None:
    first = ids(found(banks).daily())
    three = [answered(name) for name in first[:3]]
    assert ids(found(banks, *three).daily()) == first[3:]
    five = [answered(name, right=False) for name in first]
    assert found(banks, *five).daily() == []
    assert len(found(banks, *five).daily(more=True)) == DAILY
    assert len(found(banks, *five, days=1).daily()) == DAILY
    helped = Event(**{**vars(five[0]), "what": "solution", "outcome": "", "points": 0.0})
    assert len(found(banks, helped).daily()) == DAILY - 1
    hint = Event(**{**vars(helped), "what": "hint", "hint": 1})
    assert len(found(banks, hint).daily()) == DAILY


# In a terminal -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command in this process with typed input; return its exit code, output and errors."""
    monkeypatch.setenv("SHARDWISE_PROGRESS", str(ProgressFile(tmp_path / "progress.sqlite").path))
    monkeypatch.setenv("SHARDWISE_NOW", START.isoformat())
    monkeypatch.setenv("SHARDWISE_BANK", str(checkout_bank().folder))

    def ran(*args: str, typed: Iterator[str]) -> tuple[int, str]:
        code = run_typed(monkeypatch, args, typed)
        captured = capsys.readouterr()
        return code, captured.err if code else captured.out

    return ran


def test_a_question_is_followed_by_a_pause_in_a_terminal_but_not_the_last_or_a_skipped_one(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    typed = iter(["!", "", "skip", "!", "", "!", "", "!"])
    said = run("practice", "--daily", typed=typed)[1]
    assert said.endswith("0 of 4 right.\n") and next(typed, None) is None
    assert said.count("2*1.5 GB*999/1000") == said.count("shardwise formulas") == 1  # of all five questions
    assert "── 2 of 5 ──" not in run("practice", "--daily", "--more", typed=iter(["!", "q"]))[1]


def test_a_day_is_done_in_two_sittings_and_more_is_asked_when_it_is_wanted(run: Any) -> None:
    code, said = run("practice", "--daily", typed=iter(["!", "!", "skip", "quit"]))
    assert code == 0 and said.startswith("5 problems\n") and "── 4 of 5 ──" in said
    assert "done" not in said
    _, said = run("practice", "--daily", typed=("!" for _ in count()))
    assert said.startswith("3 problems, after the 2 you did today\n")
    assert said.endswith("Today's five are done.\n")
    _, said = run("practice", "--daily", typed=iter([]))
    assert said == "Today's five are done.\nFive more:  shardwise practice --daily --more\n"
    _, said = run("practice", "--daily", "--more", typed=iter(["!", "quit"]))
    assert said.startswith("5 problems\n") and "done" not in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--more"], "--more adds five problems to today's five. Use it with --daily."),
        (["--daily", "--chapter", "02-zero"], "--daily covers all chapters and --chapter only one. Use one of them."),
    ],
)
def test_what_cannot_be_meant_is_refused(run: Any, words: list[str], said: str) -> None:
    assert run("practice", *words, typed=iter([])) == (2, f"shardwise: {said}\n")
