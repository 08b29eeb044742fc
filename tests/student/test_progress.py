"""Records derived from a student's events: solved, points, mastery, due and next, in a notebook and in a terminal."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import __main__
from checkout import asked, checkout_bank, fresh_session, kinds_of_the_bank
from shardwise.bank.bank import Bank, Banks
from shardwise.bank.discovery import name_of
from shardwise.bank.posing import pose
from shardwise.bank.scaffold import init_bank
from shardwise.kinds import kind_of
from shardwise.marking import check as mark
from shardwise.question import Outcome, Question
from shardwise.student import api
from shardwise.student.desk import Desk
from shardwise.student.drill import Drill
from shardwise.student.graded import GradedSets
from shardwise.student.messages import Checked, Message
from shardwise.student.progress.chapters import Progress, progress_of
from shardwise.student.progress.events import Estimate, Event, Variant
from shardwise.student.progress.file import ProgressFile
from shardwise.student.progress.status import Record, record_of
from shardwise.student.running.in_a_thread import run_limited
from shardwise.student.widget import Practice
from typed import run_typed

START = datetime(2026, 11, 2, 12, tzinfo=UTC)
SENDS, CHAPTER = "01-ring-all-reduce/bytes-per-gpu", "01-ring-all-reduce"


RING_TIME = """def ring_all_reduce_ms(message_gb, gpus, bandwidth_gb_per_s, latency_us):
    return 2 * (gpus - 1) * (message_gb / gpus / bandwidth_gb_per_s * 1e3 + latency_us / 1e3)
"""  # which answers the first problem of the kind code


def as_text(raw: Any) -> str:
    return raw if isinstance(raw, str) else json.dumps(raw)


def event(what: str, seed: int | str = 1, *, days: float = 0, problem: str = SENDS, **more: Any) -> Event:
    """ "right", "wrong", "partly", "hint" or "solution", so many days after the start."""
    outcome = {"right": "correct", "wrong": "incorrect", "partly": "partial"}.get(what, "")
    points = {"right": 2.0, "partly": 1.0}.get(what, 0.0)
    made: dict[str, Any] = {
        "at": START + timedelta(days=days), "variant": Variant(more.pop("bank", "shipped"), problem, str(seed)), "digest": f"text of {problem}",
        "what": "answer" if outcome else what, "place": "cell", "outcome": outcome, "points": points, "hint": int(what == "hint"),
        **more,
    }  # fmt: skip
    return Event(**made)


def stands(*events: Event, days: float = 100) -> Record:
    return record_of(events, START + timedelta(days=days))


def days_until_due(*events: Event) -> int:
    due = stands(*events).due
    assert due is not None
    return (due - events[-1].at).days


# One problem -------------------------------------------------------------------------------------------------------------


def test_a_right_answer_solves_and_three_variants_without_a_hint_master() -> None:
    assert not stands().is_begun and stands().due is None
    one = stands(event("right", 0))
    assert (one.is_solved, one.points, one.is_mastered) == (True, 2.0, False)
    assert not stands(*[event("right", 0)] * 3).is_mastered  # one variant, three times
    assert stands(event("right", 0), event("right", 1), event("wrong", 2), event("right", 2)).is_mastered
    helped = [event("right", 0), event("right", 1), event("hint", 2), event("right", 2)]
    assert not stands(*helped).is_mastered
    assert stands(*helped, event("right", 3)).is_mastered


def test_what_is_answered_after_the_solution_was_shown_counts_for_nothing() -> None:
    copied = stands(event("solution"), event("right"))
    assert (copied.is_solved, copied.points, copied.unaided) == (False, 0.0, set())
    assert copied.is_begun  # but it is due soon
    assert stands(event("right"), event("solution")).is_solved  # looking after a right answer costs nothing
    assert stands(event("solution", 1), event("right", 2)).is_solved


def test_what_went_well_comes_back_later() -> None:
    well = days_until_due(event("right"))
    assert (
        days_until_due(event("wrong"))
        == days_until_due(event("solution"))
        == days_until_due(event("wrong"), event("right"))
        == 1
    )
    assert days_until_due(event("hint"), event("right")) < well
    again = days_until_due(event("right", 0), event("right", 1, days=well))
    assert again > 2 * well
    assert days_until_due(event("right", 0), event("wrong", 1, days=well)) < well


def test_the_same_answers_again_change_nothing() -> None:
    once = [event("wrong"), event("wrong"), event("right")]
    assert stands(*once, *once, event("hint"), event("wrong")) == stands(event("wrong"), event("right"))


def test_it_is_due_on_the_day_and_not_at_the_hour() -> None:
    due = stands(event("right")).due
    assert due is not None
    day = due.astimezone().date()
    assert stands(event("right")).is_due(day)
    assert not stands(event("right")).is_due(day - timedelta(days=1))
    assert stands(event("right")).is_due(day + timedelta(days=400))
    assert not stands().is_due(date.max)


def test_the_next_variant_is_one_that_was_not_met() -> None:
    assert stands().next_seed() == "1"  # notebooks use 0
    assert stands(event("right", 0)).next_seed() == "1"
    assert stands(event("hint", 7), event("right", 2), event("right", "week-1")).next_seed() == "8"


MOMENTS = st.datetimes(min_value=datetime(1970, 1, 1), max_value=datetime(9000, 1, 1), timezones=st.just(UTC))
DONE = st.builds(
    lambda what, seed, at: Event(**{**vars(event(what, seed)), "at": at}),
    st.sampled_from(["right", "wrong", "partly", "hint", "solution"]), st.integers(0, 4), MOMENTS,
)  # fmt: skip


@given(st.lists(DONE, max_size=30), MOMENTS)
def test_whatever_happened_by_whatever_clock_there_is_an_answer(events: list[Event], now: datetime) -> None:
    found = record_of(events, now)
    assert found.is_solved >= found.is_mastered
    assert found.unaided <= found.seeds
    assert len(found.reviews) <= 2 * len(found.seeds)
    assert (found.due is not None) == found.is_begun
    times = [at for at, _ in found.reviews]
    assert times == sorted(times) and all(at <= now for at in times)
    if found.due is not None:
        assert timedelta(days=1) <= found.due - times[-1] <= timedelta(days=365)
    assert found.next_seed() not in found.seeds


@given(st.lists(DONE, max_size=12), st.lists(DONE, max_size=12))
def test_what_was_earned_is_never_taken_away(before: list[Event], after: list[Event]) -> None:
    now = datetime(9500, 1, 1, tzinfo=UTC)
    first, then = record_of(before, now), record_of([*before, *after], now)
    assert then.points >= first.points
    assert then.is_solved >= first.is_solved
    assert then.unaided >= first.unaided


# Chapters ----------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def banks() -> Banks:
    return Banks([checkout_bank()])


def here(banks: Banks) -> str:
    return name_of(banks.all[0].folder)


def found_in(banks: Banks, *events: Event, days: float = 0) -> Progress:
    return progress_of(banks, events, START + timedelta(days=days))


def test_a_chapter_counts_its_problems(banks: Banks) -> None:
    other = f"{CHAPTER}/ring-time"
    events = [event("right", 0, bank=here(banks)), event("wrong", 0, bank=here(banks), problem=other)]
    chapter = found_in(banks, *events, days=1).chapter(CHAPTER)
    assert chapter is not None
    assert (chapter.solved, chapter.points, chapter.mastered, len(chapter.rows)) == (
        1,
        2.0,
        0,
        len(banks.of_chapter(CHAPTER)),
    )
    assert [row.problem.id for row in chapter.due] == [other]
    assert chapter.next is not None and chapter.next.problem.id == other
    assert len(chapter.new) == len(chapter.rows) - 2


def test_next_is_what_is_due_then_what_is_new_then_what_is_not_mastered(banks: Banks) -> None:
    ids = [problem.id for problem in banks.of_chapter(CHAPTER)]
    solved = [event("right", 0, bank=here(banks), problem=name) for name in ids]

    def following(*events: Event, days: float = 0) -> str | None:
        chapter = found_in(banks, *events, days=days).chapter(CHAPTER)
        assert chapter is not None
        return chapter.next.problem.id if chapter.next else None

    assert following() == ids[0]
    assert following(solved[0]) == ids[1]
    assert following(*solved) == ids[0]
    assert following(solved[0], days=30) == ids[0]
    mastered = [event("right", seed, bank=here(banks), problem=name) for name in ids for seed in range(3)]
    assert following(*mastered) is None


def test_a_problem_that_was_renamed_keeps_its_progress(tmp_path: Path) -> None:
    init_bank(tmp_path / "bank")
    before = Bank.open(tmp_path / "bank")
    problem = next(iter(before.problems.values()))
    name = str(tmp_path / "bank")
    old = [
        event("wrong", 0, bank=name, problem=problem.id, digest="an-older-text"),
        event("right", 1, bank=name, problem=problem.id, digest=problem.digest),
    ]
    problem.path.rename(problem.path.with_name("another-name.yaml"))
    chapter = problem.path.with_name("chapter.yaml")
    chapter.write_text(chapter.read_text("utf-8").replace(problem.slug, "another-name"))

    def rows(*events: Event) -> tuple[dict[str, Record], Any]:
        found = progress_of(Banks([Bank.open(tmp_path / "bank")]), events, START)
        return {row.problem.slug: row.record for each in found.chapters for row in each.rows}, found.strangers

    found, strangers = rows(*old)
    assert found["another-name"].seeds == {"0", "1"} and not strangers
    # After the rename, even an edited problem is recognised, provided that it was practised before the edit.
    moved = f"{problem.chapter}/another-name"
    new = event("right", 2, bank=name, problem=moved, digest=problem.digest)
    path = problem.path.with_name("another-name.yaml")
    path.write_text(path.read_text("utf-8") + "\n# edited\n")
    assert rows(*old, new)[0]["another-name"].seeds == {"0", "1", "2"}
    found, strangers = rows(*old)
    assert not found["another-name"].is_begun
    assert strangers == {problem.id: 2}


# In a notebook -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ProgressFile]:
    """Provide a progress file for a student in a fresh kernel with the bank of this checkout."""
    file = ProgressFile(tmp_path / "progress.sqlite")
    monkeypatch.setenv("SHARDWISE_PROGRESS", str(file.path))
    monkeypatch.setenv("SHARDWISE_NOW", START.isoformat())
    monkeypatch.setenv("SHARDWISE_BANK", str(checkout_bank().folder))
    restart(monkeypatch)
    before = set(vars(__main__))
    yield file
    for name in set(vars(__main__)) - before:
        delattr(__main__, name)


def restart(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "_SESSION", fresh_session())
    monkeypatch.setattr(api, "_GRADED", GradedSets())


def answer(question: Question, outcome: Outcome = Outcome.CORRECT) -> Any:
    return next(sample.raw for sample in kind_of(question).samples(question) if sample.outcome == outcome)


def happened() -> list[tuple[str, ...]]:
    events = api._SESSION.journal.events()
    return [(each.what, each.outcome, each.variant.seed, each.place) for each in events]


@pytest.mark.usefixtures("kept")
def test_cells_keep_what_is_done_there() -> None:
    question = asked("bytes-per-gpu")
    for raw in (answer(question, Outcome.INCORRECT), "nonsense", None, answer(question)):
        api.check("bytes-per-gpu", raw)
    for _ in range(len(question.hints) + 2):
        api.hint("bytes-per-gpu")
    api.solution("bytes-per-gpu")
    assert happened() == [
        ("answer", "incorrect", "0", "cell"),
        ("answer", "correct", "0", "cell"),
        *[("hint", "", "0", "cell")] * len(question.hints),
        ("solution", "", "0", "cell"),
    ]
    assert {each.variant.bank for each in api._SESSION.journal.events()} == {name_of(checkout_bank().folder)}
    assert {each.digest for each in api._SESSION.journal.events()} == {question.digest}


@pytest.mark.usefixtures("kept")
def test_forms_keep_what_is_done_there() -> None:
    desk, question = Desk(api._SESSION), asked("bytes-per-gpu", 3)
    for request in ({"do": "check", "answer": answer(question)}, {"do": "hint"}, {"do": "solution"}):
        assert "error" not in desk.reply({"problem": question.id, "seed": "3", **request})
    assert happened() == [("answer", "correct", "3", "form"), ("hint", "", "3", "form"), ("solution", "", "3", "form")]


@pytest.mark.usefixtures("kept")
def test_another_goes_on_from_what_an_earlier_kernel_drew(monkeypatch: pytest.MonkeyPatch) -> None:
    api.another("bytes-per-gpu")
    first = api._SESSION.drawn[SENDS]
    api.check("bytes-per-gpu", "1 B", seed=first)
    restart(monkeypatch)
    api.another("bytes-per-gpu")
    assert int(api._SESSION.drawn[SENDS]) > int(first)


@pytest.mark.usefixtures("kept")
def test_an_estimate_of_an_answer_is_kept_as_powers_of_ten() -> None:
    question = asked("bytes-per-gpu")
    key: Any = question.key
    for raw in ("", f"{key.value * 10} B", "1 B"):
        api._SESSION.estimated(question, raw)
    (estimate,) = api._SESSION.journal.estimates()
    assert estimate.off == pytest.approx(1.0)
    api._SESSION.estimated(asked("order-ring-events"), "anything")  # which has no magnitude
    assert len(api._SESSION.journal.estimates()) == 1


@pytest.mark.usefixtures("kept")
def test_what_was_typed_is_there_after_a_restart(monkeypatch: pytest.MonkeyPatch) -> None:
    def form(name: str) -> Practice:
        return Practice(Desk(api._SESSION), asked(name))

    shown = form("bytes-per-gpu")
    shown.drafts = {f"answer {SENDS} 0": "1.7"}
    shown.drafts = {f"answer {SENDS} 0": "1.75", f"answer {SENDS} 1": "2"}
    restart(monkeypatch)
    assert form("bytes-per-gpu").drafts == {f"answer {SENDS} 0": "1.75", f"answer {SENDS} 1": "2"}
    assert form("ring-time").drafts == {}


def test_a_bank_of_ones_own_and_another_are_kept_apart_in_one_file(kept: ProgressFile, tmp_path: Path) -> None:
    init_bank(tmp_path / "mine")
    mine, ours = str(tmp_path / "mine"), str(checkout_bank().folder)
    problem = next(problem for problem in Bank.open(Path(mine)).problems.values() if problem.kind.name == "quantity")
    api.check("bytes-per-gpu", answer(asked("bytes-per-gpu")))
    for named in ([mine], [ours, mine]):
        api.use_bank(named)
        question = pose(problem, 0)
        assert isinstance(api.check(problem.slug, answer(question)), Checked)
        key = f"answer {problem.id} 0"
        if named == [mine]:
            api._SESSION.typed(question, {key: "1 s"})
        assert api._SESSION.drafts_of(question) == {key: "1 s"}  # whichever other bank is in use
    solved = {each.name: each.solved for each in api.progress().chapters if each.solved}  # type: ignore[union-attr]
    assert solved == {CHAPTER: 1, problem.chapter: 1}


def test_trouble_is_said_under_one_verdict_and_costs_none(kept: ProgressFile) -> None:
    kept.path.write_bytes(b"this is no database" * 100)
    said = []
    for _ in range(3):
        checked = api.check("bytes-per-gpu", "1 B")
        assert isinstance(checked, Checked) and checked.outcome == Outcome.INCORRECT
        said.append("Your progress is not saved" in repr(checked))
    assert said == [True, False, False]
    told = api.progress(CHAPTER)
    assert isinstance(told, Message) and "is not a database" in told.markdown


@pytest.mark.usefixtures("kept")
def test_a_card_says_where_the_student_stands_and_what_is_next(monkeypatch: pytest.MonkeyPatch) -> None:
    count, most = (
        len(checkout_bank().of_chapter(CHAPTER)),
        sum(each.data["points"] for each in checkout_bank().of_chapter(CHAPTER)),
    )
    first = checkout_bank().of_chapter(CHAPTER)[0]
    fresh = repr(api.progress(CHAPTER))
    assert fresh.startswith(f"Ring all-reduce: 0 of {count} solved, 0 of {most:g} points, 0 mastered, 0 due")
    assert f'Next: “{first.title}”: practice("{first.slug}")' in fresh
    api.check("bytes-per-gpu", answer(asked("bytes-per-gpu")))
    assert f"1 of {count} solved, 2 of {most:g} points, 0 mastered, 0 due" in repr(api.progress(CHAPTER))
    monkeypatch.setenv("SHARDWISE_NOW", (START + timedelta(days=7)).isoformat())
    later = repr(api.progress(CHAPTER))
    assert "1 due" in later and '“How much does each GPU send?”: practice("bytes-per-gpu", seed=1)' in later
    assert "1 due" in repr(api.progress()) and "ZeRO: 0 of" in repr(api.progress())
    shown = api.progress(CHAPTER)._repr_mimebundle_()
    assert set(shown) == {"text/plain", "text/html"}
    assert "<script" not in shown["text/html"] and f"1 of {count}" in shown["text/html"]


@pytest.mark.usefixtures("kept")
def test_a_card_shows_how_the_estimates_were() -> None:
    question = asked("bytes-per-gpu")
    key: Any = question.key
    api._SESSION.estimated(question, f"{key.value * 5} B")
    guessed = next(each for each in checkout_bank().read_all().problems.values() if each.data["kind"] == "estimate")
    api.check(guessed.id, answer(pose(guessed, 0)))
    told = repr(api.progress(CHAPTER))
    assert "2026-11: 1 of 2 with the right order of magnitude, 2 within a factor of 10" in told
    assert "sure: 1 of 1 right" in told


def test_a_card_says_when_nothing_is_kept(kept: ProgressFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHARDWISE_PROGRESS", "off")
    assert "Your progress is not saved here." in repr(api.progress(CHAPTER))
    assert not kept.path.exists()


# In a terminal -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def run(kept: ProgressFile, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command in this process with typed input; return its exit code and output."""

    def ran(*args: str, typed: str = "") -> tuple[int, str]:
        code = run_typed(monkeypatch, args, iter(typed.splitlines()))
        captured = capsys.readouterr()
        return code, captured.out + captured.err

    return ran


def keep(kept: ProgressFile, *events: Event) -> None:
    for each in events:
        kept.add(event((each.outcome and {"correct": "right", "incorrect": "wrong"}[each.outcome]) or each.what,
                       each.variant.seed, problem=each.variant.problem, bank=name_of(checkout_bank().folder)))  # fmt: skip


def test_what_is_due_is_asked_a_week_later_with_fresh_numbers(
    run: Any, kept: ProgressFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    code, said = run("practice")
    assert code == 0 and "Nothing is due.\nFive for today:  shardwise practice --daily" in said
    keep(kept, event("right", 0))
    assert "Nothing is due today. The next problem is due on 04 November 2026." in run("practice")[1]
    monkeypatch.setenv("SHARDWISE_NOW", (START + timedelta(days=7)).isoformat())
    question = asked("bytes-per-gpu", 1)
    _, said = run("practice", typed=f"1 B\n{answer(question)}\n")
    assert "── 1 of 1 ── How much does each GPU send?\n── 2 points, 01-ring-all-reduce/bytes-per-gpu" in said
    assert "✗ Not yet · 0 of 2 points" in said and "✓ Correct · 2 of 2 points" in said
    assert "1 of 1 right. Nothing more is due." in said
    assert [(each.variant.seed, each.outcome, each.place) for each in kept.events()][1:] == [
        ("1", "incorrect", "terminal"),
        ("1", "correct", "terminal"),
    ]


def test_hints_solution_skip_and_quit(run: Any, kept: ProgressFile) -> None:
    hints = len(asked(checkout_bank().of_chapter(CHAPTER)[0].id, 1).hints)
    _, said = run("practice", "--chapter", CHAPTER, typed="?\n" * (hints + 1) + "\nnonsense\n!\nskip\nquit\n")
    assert "Hint 1. " in said and "That was the last hint. ! shows the solution." in said
    assert "? Unreadable" in said
    assert "── 3 of " in said and "── 4 of " not in said
    assert "0 of 1 right." in said
    assert [each.what for each in kept.events()] == ["hint"] * hints + ["solution"]


def test_a_first_letter_is_a_command_where_it_is_no_answer(kept: ProgressFile) -> None:
    chapter = progress_of(Banks([checkout_bank()]), [], START).chapter(CHAPTER)
    assert chapter is not None
    row = next(row for row in chapter.rows if row.problem.data["kind"] == "quantity")
    lines, said = iter(["s", "help", "H", "q", "nobody reads this"]), list[str]()
    Drill(fresh_session(), lambda _: next(lines), said.append).run([row])
    assert sum("! solution · skip" in words for words in said) == 3 and any("Hint 1. " in words for words in said)
    assert next(lines) == "nobody reads this"
    chapter = progress_of(Banks([checkout_bank()]), [], START).chapter("06-activation-memory")
    assert chapter is not None
    lines, said = iter(["s", "Exit"]), list[str]()
    Drill(fresh_session(), lambda _: next(lines), said.append).run(
        [row for row in chapter.rows if row.problem.id.endswith("layer-under-tp")]  # s is a symbol
    )
    assert any("✗ Not yet" in words for words in said), said


def test_a_chapter_asks_what_is_due_then_what_is_not_solved_and_nothing_that_is(
    run: Any, kept: ProgressFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [problem.id for problem in checkout_bank().of_chapter(CHAPTER)]
    keep(kept, *(event("right", 0, problem=name) for name in ids[3:]))
    keep(kept, event("wrong", 0, problem=ids[1]))

    def asked_for() -> list[str]:
        return re.findall(r"points?, (\S+)", run("practice", "--chapter", CHAPTER, typed="skip\n" * 9)[1])

    assert asked_for() == ids[:3]  # begun or new
    monkeypatch.setenv("SHARDWISE_NOW", (START + timedelta(days=1)).isoformat())
    assert asked_for() == [ids[1], ids[0], ids[2]]
    monkeypatch.setenv("SHARDWISE_NOW", START.isoformat())
    keep(kept, *(event("right", 1, problem=name) for name in ids[:3]))
    assert f"Every problem of {CHAPTER} is solved." in run("practice", "--chapter", CHAPTER)[1]


def test_every_kind_can_be_answered_in_a_terminal(tmp_path: Path, kept: ProgressFile) -> None:
    bank = checkout_bank().read_all()
    for name in kinds_of_the_bank():
        problem = next(each for each in bank.problems.values() if each.data["kind"] == name)
        question = pose(problem, 1)
        kind = kind_of(question)
        rights = [sample.raw for sample in kind.samples(question) if sample.outcome == Outcome.CORRECT]
        text = next(
            text
            for text in map(as_text, [RING_TIME] if kind.is_program else rights)
            if mark(question, text, runner=run_limited).outcome == Outcome.CORRECT
        )
        if kind.is_program:
            (tmp_path / "answer.py").write_text(text)
            text = str(tmp_path / "answer.py")
        lines, said = iter([*text.splitlines(), "", "quit"]), list[str]()
        drill = Drill(fresh_session(), lambda _, lines=lines: next(lines), said.append)
        chapter = progress_of(Banks([bank]), [], START).chapter(problem.chapter)
        assert chapter is not None
        drill.run([row for row in chapter.rows if row.problem.id == problem.id])
        assert drill.right == 1, (name, said)


def test_a_file_that_is_not_there_is_said(kept: ProgressFile) -> None:
    chapter = progress_of(Banks([checkout_bank()]), [], START).chapter(CHAPTER)
    assert chapter is not None
    row = next(row for row in chapter.rows if row.problem.data["kind"] == "code")
    lines, said = iter(["no-such-file.py", "/dev/zero", "quit"]), list[str]()
    Drill(fresh_session(), lambda _: next(lines), said.append).run([row])
    for name in ("no-such-file.py", "/dev/zero"):
        assert f"{name} is not a file. Answer with the name of a file that contains the function." in said


def test_what_a_file_of_somebody_elses_names_does_not_command_the_terminal(run: Any, kept: ProgressFile) -> None:
    keep(kept, event("wrong", 0, problem="\x1b[31m\x07" + "x" * 100_000))
    _, said = run("progress")
    assert not {"\x1b", "\x07"} & {*said}
    assert len(said) < 10_000


def test_progress_is_shown_as_a_table_and_as_json(run: Any, kept: ProgressFile) -> None:
    keep(kept, event("right", 0), event("wrong", 0, problem="01-ring-all-reduce/gone-now"))
    code, said = run("progress")
    count = len(checkout_bank().of_chapter(CHAPTER))
    assert code == 0 and any(line.split()[:4] == [CHAPTER, "1", "of", str(count)] for line in said.splitlines())
    assert "01-ring-all-reduce/gone-now: 1 event for a problem that this bank no longer has; still on record." in said
    _, said = run("progress", "--json")
    document = json.loads(said[said.index("[") : said.rindex("]") + 1])
    (row,) = [row for each in document for row in each["rows"] if row["problem"] == SENDS]
    assert row == {
        "problem": SENDS, "points": 2.0, "most": 2.0, "solved": True, "unaided": 1, "mastered": False,
        "due": "2026-11-04T12:00:00+00:00",
    }  # fmt: skip


def test_all_that_is_kept_can_be_taken_along(run: Any, kept: ProgressFile, tmp_path: Path) -> None:
    keep(kept, event("right", 0))
    kept.add_estimate(Estimate(START, Variant("b", "p", "1"), 0.5, 0.8, True))
    kept.keep_drafts(START, "b", {"answer p 1": {"a": 1}})
    out = tmp_path / "mine.json"
    assert f"Wrote {out}" in run("progress", "--export", str(out))[1]
    document = json.loads(out.read_text("utf-8"))
    assert set(document) == {"format", "events", "estimates", "drafts"}
    assert document["events"][0]["problem"] == SENDS and document["events"][0]["outcome"] == "correct"
    assert document["estimates"][0]["confidence"] == 0.8
    assert document["drafts"] == [{"at": START.isoformat(), "bank": "b", "key": "answer p 1", "value": {"a": 1}}]
    assert json.loads(run("progress", "--export", "-")[1]) == document
    assert run("progress", "--export", str(tmp_path)) == (2, f"shardwise: {tmp_path}: is a folder; name a file\n")


def test_deleting_asks_first(run: Any, kept: ProgressFile, monkeypatch: pytest.MonkeyPatch) -> None:
    keep(kept, event("right", 0), event("right", 0, problem="01-ring-all-reduce/ring-time"))
    asks: list[str] = []

    def confirm(question: str, **_: Any) -> bool:
        asks.append(question)
        return len(asks) > 1

    monkeypatch.setattr("typer.confirm", confirm)
    assert run("progress", "--forget", "--problem", "bytes-per-gpu")[1].endswith("shardwise: Nothing was deleted.\n")
    assert len(kept.events()) == 2
    assert run("progress", "--forget", "--problem", "bytes-per-gpu")[0] == 0
    assert asks[0].startswith(f"Delete the record of {SENDS} (1 event) in ")
    assert [each.variant.problem for each in kept.events()] == ["01-ring-all-reduce/ring-time"]
    assert "Deleted the whole record." in run("progress", "--forget", "--all", "--yes")[1]
    assert kept.events() == [] and len(asks) == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--forget"], "--forget needs --problem NAME or --all."),
        (["--forget", "--all", "--problem", "x"], "--forget needs --problem NAME or --all."),
        (["--all"], "--problem, --all and --yes work only with --forget."),
        (["--forget", "--problem", "no-such-problem"], "Unknown problem “no-such-problem”."),
    ],
)
def test_what_cannot_be_meant_is_refused(run: Any, words: list[str], said: str) -> None:
    code, told = run("progress", *words)
    assert code == 2 and said in told


def test_without_a_file_the_commands_say_so(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHARDWISE_PROGRESS", "off")
    assert "There is no record of your progress: SHARDWISE_PROGRESS is off." in run("progress")[1]
    assert "── 1 of 5 ──" in run("practice", "--daily", typed="quit")[1]


def test_a_chapter_of_no_bank_is_refused(run: Any) -> None:
    assert "Unknown chapter 'xyz'" in run("practice", "--chapter", "xyz")[1]
