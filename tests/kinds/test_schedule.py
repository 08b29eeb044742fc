"""Schedules: the simulator against theory and brute force, what is told of a wrong one, how it is drawn, and templates that cannot be."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise, permutations, product
from math import ceil
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checkout import checkout_bank, posed, problem_of, template
from shardwise.bank.lint.problem import lint_problem
from shardwise.bank.posing import pose
from shardwise.errors import Faulty, ShardwiseError, Unreadable
from shardwise.grading.feedback_page import page
from shardwise.grading.results import Result
from shardwise.kinds import text_of
from shardwise.markdown.feedback import as_html, as_markdown, as_plain, bundle
from shardwise.markdown.html import to_html
from shardwise.markdown.plain import to_plain
from shardwise.markdown.timeline import as_block, as_svg, as_text, of_block
from shardwise.marking import check
from shardwise.question import Bar, Feedback, Outcome, Question, Timeline, TimelineRow
from shardwise.student.views import verdict
from shardwise_bank.kinds.schedule.model import ScheduleForm, ScheduleKey
from shardwise_bank.kinds.schedule.picture import LOOKS
from shardwise_bank.kinds.schedule.reading import read_schedule
from shardwise_bank.kinds.schedule.search import shortest
from shardwise_bank.pipelines.named import NAMED, greedy
from shardwise_bank.pipelines.pipeline import Operation, Pipeline, Schedule
from shardwise_bank.pipelines.simulate import simulate
from solutions.pipeline.zero_bubble import bubble_seconds

SLOTS = st.integers(1, 3)


def equal(
    stages: int, micro_batches: int, forward: int = 1, backward: int = 2, weight: int = 0, **more: int
) -> Pipeline:
    """A pipeline whose stages are alike."""
    split = (weight,) * stages if weight else ()
    return Pipeline(stages, micro_batches, (forward,) * stages, (backward,) * stages, split, **more)


@st.composite
def pipelines(draw: st.DrawFn, most_stages: int = 4, most_micro_batches: int = 5) -> Pipeline:
    stages = draw(st.integers(2, most_stages))
    slots = st.tuples(*[SLOTS] * stages)
    return Pipeline(
        stages,
        draw(st.integers(1, most_micro_batches)),
        draw(slots),
        draw(slots),
        draw(slots) if draw(st.booleans()) else (),
        chunks=draw(st.integers(1, 2)),
        hop=draw(st.integers(0, 2)),
    )


def everything(pipeline: Pipeline) -> dict[tuple[int, Operation], Sequence[tuple[int, Operation]]]:
    """Every operation of every stage, and what it needs."""
    return {
        (stage, step): pipeline.needs(stage, step)
        for stage in range(1, pipeline.stages + 1)
        for step in pipeline.operations()
    }


@st.composite
def possible(draw: st.DrawFn) -> tuple[Pipeline, Schedule]:
    """A pipeline, and a schedule in which everything comes after what it needs."""
    pipeline = draw(pipelines())
    needs = everything(pipeline)
    done: list[tuple[int, Operation]] = []
    waiting = list(needs)
    while waiting:
        ready = [place for place in waiting if all(need in done for need in needs[place])]
        chosen = draw(st.sampled_from(ready[:12]))
        done.append(chosen)
        waiting.remove(chosen)
    return pipeline, tuple(
        tuple(step for stage, step in done if stage == place) for place in range(1, pipeline.stages + 1)
    )


def critical_path(pipeline: Pipeline) -> int:
    """The longest chain of operations, each with its slots, and a hop wherever it goes to another stage."""
    needs, longest = everything(pipeline), dict[tuple[int, Operation], int]()
    for place in TopologicalSorter(needs).static_order():
        stage, step = place
        before = [longest[need] + pipeline.hop * (need[0] != stage) for need in needs[place]]
        longest[place] = max(before, default=0) + pipeline.slots(stage, step.letter)
    return max(longest.values())


# The simulator against theory -----------------------------------------------------------------------------------------


@given(possible())
def test_what_comes_after_its_needs_runs_and_takes_at_least_the_longest_chain_and_the_most_work(
    given: tuple[Pipeline, Schedule],
) -> None:
    pipeline, schedule = given
    run = simulate(pipeline, schedule)
    assert run.is_sound
    assert [[span.operation for span in line] for line in run.spans] == [list(line) for line in schedule]
    assert run.makespan >= max(
        critical_path(pipeline), *(pipeline.work(stage) for stage in range(1, pipeline.stages + 1))
    )
    ended = {(span.stage, span.operation): span.end for line in run.spans for span in line}
    for line in run.spans:
        for before, span in zip([None, *line], line, strict=False):
            arrived = [
                ended[need] + pipeline.hop * (need[0] != span.stage)
                for need in pipeline.needs(span.stage, span.operation)
            ]
            assert span.start == max([0, *arrived, before.end if before else 0])  # as soon as it can, and no sooner
        assert run.idle(line[0].stage) == run.makespan - pipeline.work(line[0].stage)


@given(pipelines(most_stages=3, most_micro_batches=3), st.randoms(use_true_random=False))
def test_a_broken_dependency_is_always_found_and_what_is_told_of_it_is_a_circle(
    pipeline: Pipeline, dice: object
) -> None:
    lines = []
    for _ in range(pipeline.stages):
        line = pipeline.operations()
        dice.shuffle(line)  # type: ignore[attr-defined]
        lines.append(tuple(line))
    schedule = tuple(lines)
    after = {place: list(needs) for place, needs in everything(pipeline).items()}
    for stage, line in enumerate(schedule, start=1):
        for before, step in pairwise(line):
            after[stage, step].append((stage, before))
    try:
        list(TopologicalSorter(after).static_order())
        assert not simulate(pipeline, schedule).circle
    except CycleError:
        circle = simulate(pipeline, schedule).circle
        assert circle
        for wait, following in zip(circle, [*circle[1:], circle[0]], strict=True):
            assert wait.needs in pipeline.needs(wait.stage, wait.operation)
            line = schedule[following.stage - 1]
            assert wait.needs[0] == following.stage
            assert line.index(wait.needs[1]) >= line.index(following.operation)


@given(stages=st.integers(2, 8), micro_batches=st.integers(1, 12), forward=SLOTS, backward=SLOTS)
def test_gpipe_and_1f1b_take_the_same_time_and_1f1b_holds_less(
    stages: int, micro_batches: int, forward: int, backward: int
) -> None:
    pipeline = equal(stages, micro_batches, forward, backward)
    gpipe, plain = (simulate(pipeline, NAMED[name](pipeline)) for name in ("gpipe", "1f1b"))
    assert gpipe.makespan == plain.makespan == (micro_batches + stages - 1) * (forward + backward)
    assert plain.total_idle / (stages * plain.makespan) == pytest.approx((stages - 1) / (micro_batches + stages - 1))
    assert gpipe.in_flight == (micro_batches,) * stages
    assert plain.in_flight == tuple(min(micro_batches, stages - place) for place in range(stages))


@given(
    stages=st.integers(2, 6),
    more=st.integers(0, 6),
    weight=SLOTS,
    forward=st.integers(0, 2),
    backward=st.integers(0, 2),
)
def test_zb_h1_waits_as_qi_et_al_say_and_holds_no_more_than_1f1bs_first_stage(
    stages: int, more: int, weight: int, forward: int, backward: int
) -> None:
    """Their section 2.3 and Table 2; it needs W to be no longer than F and B."""
    pipeline = equal(stages, stages + more, weight + forward, weight + backward, weight)
    run = simulate(pipeline, NAMED["zb-h1"](pipeline))
    times = {"forward_s": weight + forward, "input_backward_s": weight + backward, "weight_backward_s": weight}
    for stage in range(1, stages + 1):
        assert run.idle(stage) == bubble_seconds(schedule="ZB-H1", stages=stages, **times)
    assert run.in_flight == (stages,) * stages
    assert simulate(pipeline, NAMED["1f1b"](pipeline)).in_flight[0] == stages


@given(stages=st.integers(2, 6), more=st.integers(0, 6), slots=SLOTS)
def test_under_zb_h2_no_stage_waits_between_its_first_and_its_last_operation(
    stages: int, more: int, slots: int
) -> None:
    """Qi et al. 2023, section 2.3 and Table 2, for three parts of the same length."""
    pipeline = equal(stages, 2 * stages - 1 + more, slots, slots, slots)
    run = simulate(pipeline, NAMED["zb-h2"](pipeline))
    assert run.is_sound and run.in_flight == (2 * stages - 1,) * stages
    assert all(line[-1].end - line[0].start == pipeline.work(place) for place, line in enumerate(run.spans, start=1))


@given(stages=st.integers(2, 5), groups=st.integers(1, 3), chunks=st.integers(2, 3), forward=SLOTS, backward=SLOTS)
def test_interleaving_waits_for_a_piece_where_1f1b_waits_for_a_stage(
    stages: int, groups: int, chunks: int, forward: int, backward: int
) -> None:
    pipeline = equal(stages, stages * groups, forward, backward, chunks=chunks)
    run = simulate(pipeline, NAMED["interleaved"](pipeline))
    assert run.is_sound
    assert run.makespan == (pipeline.micro_batches * chunks + stages - 1) * (forward + backward)


@given(stages=st.integers(2, 5), micro_batches=st.integers(1, 12), backward=SLOTS, hop=st.integers(0, 3))
def test_eager_1f1b_is_1f1b_without_hops_and_no_slower_with_them(
    stages: int, micro_batches: int, backward: int, hop: int
) -> None:
    pipeline = equal(stages, micro_batches, 1, backward, hop=hop)
    eager, plain = NAMED["eager-1f1b"](pipeline), NAMED["1f1b"](pipeline)
    assert (eager == plain) or hop
    assert simulate(pipeline, eager).makespan <= simulate(pipeline, plain).makespan
    first = stages + ceil(2 * (stages - 1) * hop / (1 + backward))
    assert simulate(pipeline, eager).in_flight[0] == min(micro_batches, first)


@given(half=st.integers(1, 4), more=st.integers(0, 4), slots=SLOTS)
def test_dualpipe_and_dualpipev_hold_what_their_authors_print_and_wait_half_as_long(
    half: int, more: int, slots: int
) -> None:
    """Compare with the table in the README of deepseek-ai/DualPipe: PP + 1 activations, and a bubble of (PP/2 - 1)(F&B + B - 3W).

    The authors' pairs end together; here the forward of a pair runs first, so its result leaves earlier and the bubble is half as long.
    """
    for name, stages, pieces, placement in (
        ("dualpipe", 2 * half, 2 * half, "both"),
        ("dualpipev", half + 1, 2 * half + 2, "v"),
    ):
        total = 2 * stages + 2 * more
        pipeline = Pipeline(stages, total, *[(slots,) * stages] * 3, chunks=2, placement=placement)
        schedule = NAMED[name](pipeline)
        run = simulate(pipeline, schedule)
        assert all(sorted(line) == sorted(pipeline.operations()) for line in schedule)
        assert run.is_sound and run.in_flight == (pieces + 1,) * stages
        assert [run.idle(stage) for stage in range(1, stages + 1)] == [(pieces // 2 - 1) * slots] * stages


@pytest.mark.parametrize(
    ("name", "stages", "micro_batches"),
    [("dualpipe", 3, 12), ("dualpipe", 4, 6), ("dualpipe", 4, 9), ("dualpipev", 4, 7)],
)
def test_dualpipe_needs_two_micro_batches_per_stage(name: str, stages: int, micro_batches: int) -> None:
    with pytest.raises(ShardwiseError, match=f"{name} needs"):
        NAMED[name](equal(stages, micro_batches, 1, 1, 1, chunks=2))


# The search against brute force ---------------------------------------------------------------------------------------


def patterns(pipeline: Pipeline) -> list[tuple[Operation, ...]]:
    """Every line of a stage whose operations of one letter take the micro-batches in order."""
    letters = pipeline.letters * pipeline.micro_batches
    found = []
    for line in set(permutations(letters)):
        steps = tuple(Operation(letter, line[: place + 1].count(letter)) for place, letter in enumerate(line))
        places = {step: place for place, step in enumerate(steps)}
        own = [(step, need) for step in steps for stage, need in pipeline.needs(1, step) if stage == 1]
        if all(places[need] < places[step] for step, need in own):
            found.append(steps)
    return found


@pytest.mark.parametrize(
    ("pipeline", "room"),
    [
        (equal(2, 3), (None, None)),
        (equal(2, 4), (1, None)),
        (Pipeline(2, 3, (2, 1), (1, 3)), (2, None)),
        (Pipeline(2, 3, (1, 2), (2, 2), hop=1), (2, 2)),
        (equal(3, 3), (2, None, None)),
        (Pipeline(3, 3, (1, 1, 2), (2, 2, 4)), (2, 2, 1)),
        (equal(2, 2, 1, 1, 1), (1, 2)),
        (Pipeline(2, 3, (1, 2), (1, 1), (2, 1)), (2, 2)),
    ],
)  # fmt: skip
def test_the_shortest_schedule_is_the_shortest_of_all(pipeline: Pipeline, room: tuple[int | None, ...]) -> None:
    lines = patterns(pipeline)
    runs = [simulate(pipeline, schedule, room) for schedule in product(lines, repeat=pipeline.stages)]
    found = simulate(pipeline, shortest(pipeline, room), room)
    assert found.is_sound
    assert found.makespan == min(run.makespan for run in runs if run.is_sound)


# What is told ---------------------------------------------------------------------------------------------------------

QUESTION = posed(template("schedule"), 3)  # 3 stages, 6 micro-batches, F 1 and B 2 slots
assert isinstance(QUESTION.form, ScheduleForm) and isinstance(QUESTION.key, ScheduleKey)
RIGHT = "\n".join(QUESTION.key.lines)


def said(raw: object, asked: Question = QUESTION) -> str:
    return check(asked, raw).say


def test_a_backward_before_its_own_forward_is_said() -> None:
    raw = RIGHT.replace("stage 2: F1 F2 B1", "stage 2: B1 F1 F2")
    assert said(raw) == "Stage 2 runs `B1` before its own `F1`, but `B1` needs the result of `F1`."
    assert check(QUESTION, raw).points == 0


def test_stages_that_wait_for_each_other_are_named_with_what_they_wait_for() -> None:
    raw = RIGHT.replace("stage 2: F1 F2 B1", "stage 2: F1 B1 F2").replace("stage 3: F1 B1 F2", "stage 3: F1 F2 B1")
    assert said(raw) == (
        "Deadlock: stage 2 cannot run `B1` until stage 3 has run `B1`, which comes after `F2` in its line; "
        "stage 3 cannot run `F2` until stage 2 has run `F2`, which comes after `B1` in its line."
    )


def test_memory_that_runs_out_is_said_with_stage_time_and_how_many() -> None:
    asked = posed(template("schedule", ("  target:\n", "  memory: stages\n  target:\n")), 3)
    feedback = check(asked, "\n".join(asked.form.pipeline.lines(NAMED["gpipe"](asked.form.pipeline))))  # type: ignore[attr-defined]
    assert feedback.say.startswith(
        "Stage 1 runs out of memory at time 3: `F4` makes 4 micro-batches in flight there, but there is room for 3."
    )
    assert (feedback.points, feedback.mistake) == (0, 0)


def test_too_slow_is_said_with_the_target_and_the_idle_slots_where_no_form_has_a_chart_of_them() -> None:
    raw = RIGHT.replace("stage 1: F1 F2 F3 B1 F4", "stage 1: F1 F2 B1 F3 F4")
    feedback = check(QUESTION, raw)
    assert feedback.say == "The schedule takes 27 slots; the target is at most 24."
    for told in (as_plain(feedback), as_html(feedback), as_markdown(feedback)):
        assert "Idle: stage 1 at 2–7, " in told
    assert "Idle" not in verdict(feedback)["html"]
    assert (feedback.outcome, feedback.points) == (Outcome.PARTIAL, 1.5)


def test_too_much_in_flight_is_said_with_when_it_begins() -> None:
    feedback = check(QUESTION, "F1-6 B1-6\n" * 3)
    assert feedback.say == (
        "Stage 1 has 4 micro-batches in flight from time 3, when `F4` starts there; the target is at most 3.\n\n"
        "No backward runs before the last forward, so every micro-batch is kept until then."
    )
    assert (feedback.outcome, feedback.points, feedback.mistake) == (Outcome.PARTIAL, 1.5, 0)


def test_a_recognised_schedule_is_itself_whichever_micro_batches_it_takes_first() -> None:
    assert check(QUESTION, "F1-6 B1-6\n" * 2 + "F1-6 B1-6").mistake == 0
    assert check(QUESTION, "F1-6 B6-1\n" * 3).mistake == 0
    assert check(QUESTION, "F6-1 B6-1\n" * 3).mistake == 0


def test_every_schedule_that_meets_the_target_is_right_not_only_ours() -> None:
    form = QUESTION.form
    assert isinstance(form, ScheduleForm)
    other = greedy(form.pipeline, (3, 3, 3))
    assert form.pipeline.lines(other) != list(QUESTION.key.lines)  # type: ignore[attr-defined]
    assert check(QUESTION, form.pipeline.lines(other)).outcome == Outcome.CORRECT
    renamed = re.sub("([FB])([12])", lambda found: f"{found[1]}{3 - int(found[2])}", RIGHT)
    assert check(QUESTION, renamed).outcome == Outcome.CORRECT


def test_one_after_another_which_the_example_shows_earns_nothing() -> None:
    line = " ".join(f"F{number} B{number}" for number in range(1, 7))
    feedback = check(QUESTION, [line] * 3)
    assert (feedback.outcome, feedback.points) == (Outcome.INCORRECT, 0)


def test_all_faults_of_an_unreadable_schedule_are_told_at_once() -> None:
    pipeline = equal(3, 4)
    with pytest.raises(Unreadable) as refused:
        read_schedule(pipeline, "stage 1: F1 F2 F2 F4 B1 B2 B3 X4\nstage 3: F1-4 B1-5")
    assert str(refused.value) == (
        "I couldn't read this as a schedule. Stage 2 has no line. Stage 1: I cannot read “X4”. "
        "Stage 1: F2 comes more than once; F3, B4 are missing. Stage 3: B5 does not exist; the micro-batches are 1 to 4."
    )


def test_counting_from_zero_is_read_and_said() -> None:
    zero = " ".join(f"F{number} B{number}" for number in range(6))
    feedback = check(QUESTION, {f"rank {place}": zero for place in range(3)})
    assert feedback.read.endswith("(you counted micro-batches from 0, so I read F0 as F1)")
    assert check(QUESTION, RIGHT.replace("F6", "F0")).outcome == Outcome.UNREADABLE


def test_a_blank_form_is_no_answer_and_a_half_filled_one_is_told_what_is_missing() -> None:
    assert check(QUESTION, "stage 1:\n\nstage 2: ...\nstage 3:\n").outcome == Outcome.BLANK
    half = check(QUESTION, RIGHT.partition("stage 3:")[0] + "stage 3:")
    assert half.outcome == Outcome.UNREADABLE
    assert "Stage 3: F1 to F6, B1 to B6 are missing." in half.say


@given(possible(), st.sampled_from([" ", ", ", " -> ", " | "]), st.sampled_from(["stage {}: ", "GPU {} ", "{}. ", ""]))
def test_what_is_written_in_any_of_the_common_ways_is_read_as_itself(
    given: tuple[Pipeline, Schedule], between: str, label: str
) -> None:
    pipeline, schedule = given
    lines = [
        label.format(stage) + between.join(map(pipeline.written, line)) for stage, line in enumerate(schedule, start=1)
    ]
    reading = read_schedule(pipeline, "\n".join(lines))
    assert reading is not None
    assert reading.schedule == schedule


@pytest.mark.parametrize("line", ["F1-9999 ", "F1 1-9999 ", "F1-9999,2-9999,"])
def test_ranges_without_end_are_refused_at_once_and_shown(line: str) -> None:
    for raw in (f"stage 1: {line * 200}", [line * 40] * 3, [[line] * 40] * 3):
        start = time.process_time()
        feedback = check(QUESTION, raw)
        assert time.process_time() - start < 5  # and not minutes
        assert feedback.outcome == Outcome.UNREADABLE
        assert "-9999" in feedback.say


@pytest.mark.parametrize("mark", ["\ufeff", "\u200b", "\u200f", "\u202e", "\u2060"])
def test_marks_that_nobody_sees_are_no_part_of_a_schedule(mark: str) -> None:
    for raw in (mark + RIGHT, RIGHT.replace("F", f"F{mark}"), RIGHT.replace(":", f"{mark}: {mark}")):
        assert check(QUESTION, raw).outcome == Outcome.CORRECT
    assert check(QUESTION, [mark + line.partition(":")[2] for line in RIGHT.splitlines()]).outcome == Outcome.CORRECT


def test_the_shortest_schedule_of_many_stages_is_refused_at_once() -> None:
    start = time.process_time()
    with pytest.raises(ShardwiseError, match="more than 12 stages"):
        shortest(equal(64, 256))
    assert time.process_time() - start < 5  # and not minutes


# How it is drawn ------------------------------------------------------------------------------------------------------


def drawn(raw: object, asked: Question = QUESTION) -> Timeline:
    picture = check(asked, raw).picture
    assert picture is not None
    return picture


def test_the_picture_shows_each_operation_where_it_ran() -> None:
    assert as_text(drawn(RIGHT)) == (
        "         0              5              10             15             20          24\n"
        "stage 1  F1 F2 F3 ·  ·  ·  ·  B1─── F4 B2─── F5 B3─── F6 B4─── ·  B5─── ·  B6───\n"
        "stage 2  ·  F1 F2 ·  ·  B1─── F3 B2─── F4 B3─── F5 B4─── F6 B5─── ·  B6─── ·  ·\n"
        "stage 3  ·  ·  F1 B1─── F2 B2─── F3 B3─── F4 B4─── F5 B5─── F6 B6─── ·  ·  ·  ·"
    )


def test_what_went_wrong_is_marked_and_not_by_colour_alone() -> None:
    stuck = drawn(RIGHT.replace("stage 2: F1 F2 B1", "stage 2: B1 F1 F2"))
    assert [(bar.label, bar.end - bar.start) for bar in stuck.rows[1].bars if bar.look == "wrong"] == [("B1?", 2)]
    assert "B1?─" in as_text(stuck)  # with a mark of its own, and no second one
    asked = posed(template("schedule", ("  target:\n", "  memory: 3\n  target:\n")), 3)
    over = drawn("F1-6 B1-6\n" * 3, asked)
    assert [bar.label for bar in over.rows[0].bars if bar.look == "wrong"] == ["F4"]
    assert "F4!" in as_text(over)
    root = ElementTree.fromstring(as_svg(over))
    reasons = [element.text for element in root.iter() if element.tag.endswith("title")]
    assert reasons == [
        "Stage 1 runs out of memory at time 3: F4 makes 4 micro-batches in flight there, but there is room for 3."
    ]
    assert root[0].get("aria-label", "").endswith(reasons[0])
    assert [word for word in root.itertext() if word in ("idle", "violation")] == ["idle", "violation"]  # the legend


def test_what_exceeds_the_target_in_flight_is_marked_as_well() -> None:
    wrong = [bar for row in drawn("F1-6 B1-6\n" * 3).rows for bar in row.bars if bar.look == "wrong"]
    assert [(bar.label, bar.why[-24:]) for bar in wrong] == [("F4", "the target is at most 3.")]


def test_a_notebook_a_page_and_a_terminal_show_it() -> None:
    feedback = check(QUESTION, RIGHT)
    assert "<svg" in as_html(feedback) and "<svg" in bundle(feedback)["text/html"]
    assert not re.search("<svg|```|<pre", verdict(feedback)["html"])  # a form has drawn it while it was made
    assert "stage 1  F1 F2" in as_plain(feedback) and "```text\n         0" in as_markdown(feedback)
    html = page(Result("s1"), [QUESTION], [feedback])
    assert html.count("<svg") == 1
    assert 'tabindex="0" role="group"' in html  # what may scroll can be reached by the keyboard
    assert Feedback.model_validate_json(feedback.model_dump_json()).picture == feedback.picture


def test_the_picture_is_told_to_those_who_do_not_see_it() -> None:
    svg = ElementTree.fromstring(as_svg(drawn(RIGHT)))[0]
    assert svg.get("role") == "img"
    assert svg.get("aria-label", "").startswith("stage 1: F1, F2, F3, 4 idle, B1, F4, B2, ")


def test_every_text_of_a_picture_is_escaped() -> None:
    hostile = "<script>\"'&</script>"
    bars = (
        Bar(start=0, end=2, label=hostile, look="blue"),
        Bar(start=2, end=3, label=hostile, look="wrong", why=hostile),
    )
    timeline = Timeline(about=hostile, rows=(TimelineRow(label=hostile, bars=bars),), end=3, mark=2)
    root = ElementTree.fromstring(as_svg(timeline))  # it is well-formed
    tags = {element.tag.rpartition("}")[2] for element in root.iter()}
    assert tags == {"div", "svg", "path", "text", "rect", "g", "title"}
    assert sum(element.text == hostile for element in root.iter()) == 4


@pytest.mark.parametrize("name", ["gpipe-time-in-less-memory", "two-chunks-on-each-stage", "split-the-backward"])
def test_a_solution_is_a_chart_in_html_and_a_drawing_elsewhere(name: str) -> None:
    asked = pose(checkout_bank().find(name), 0)
    assert isinstance(asked.key, ScheduleKey)
    assert 'class="shardwise-picture"' in to_html(asked.solution)
    assert "stage 1  F1" in to_plain(asked.solution) and "timeline" not in to_plain(asked.solution)
    right = drawn("\n".join(asked.key.lines), asked)
    info, _, text = as_block(right, LOOKS).removeprefix("```").removesuffix("```").partition("\n")
    assert [(row.label, row.bars) for row in of_block(info, text).rows] == [(row.label, row.bars) for row in right.rows]
    assert of_block(info, text).end == right.end


def test_a_long_timeline_is_broken_into_lines_for_a_terminal() -> None:
    line = " ".join(f"F{number} B{number}" for number in range(1, 7))
    text = as_text(drawn([line] * 3))
    assert max(map(len, text.splitlines())) <= 99
    assert text.count("stage 1  ") == 2
    assert text.replace(" ", "").count("B") == 18


def test_a_label_that_its_bar_is_too_narrow_for_stands_on_its_side() -> None:
    asked = pose(checkout_bank().find("two-chunks-on-each-stage"), 0)
    assert isinstance(asked.key, ScheduleKey)
    assert "rotate(-90" in as_svg(drawn("\n".join(asked.key.lines), asked))


def test_a_schedule_that_is_too_large_to_look_at_has_no_picture() -> None:
    asked = posed(template("schedule", ("choice: [2, 3, 4]", "choice: [20]"), ("choice: [4, 5, 6]", "choice: [40]")), 1)
    feedback = check(asked, "\n".join(asked.key.lines))  # type: ignore[attr-defined]
    assert feedback.outcome == Outcome.CORRECT
    assert feedback.picture is None


# Templates ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("solution: 1f1b", "solution: gpipe"), "the solution misses the target: Stage 1 has"),
        (("solution: 1f1b", "solution: zb-h1"), "zb-h1 splits the backward pass; write the duration of the weight gradient under `weight`"),
        (("solution: 1f1b", "solution: |\n    F1 B1"), "cannot read a schedule of the template: I couldn't read this as a schedule. I saw one line"),
        (("schedule: gpipe", "schedule: 1f1b"), "500 draws for seed 0 were all rejected. Relax its constraints. The last: mistake 1 meets the target"),
        (("stages: stages\n", "stages: 1\n"), "answer.stages must be from 2 to 64, not 1"),
        (("forward: forward_slots", "forward: [1, 2, 3, 4, 5]"), "answer.forward has 5 numbers, but there are"),
        (('makespan("gpipe")', "1e400"), "answer.target.makespan must be a whole number, not inf"),
        (('makespan("gpipe")', 'makespan("pipe")'), "unknown schedule 'pipe'; choose from serial, gpipe, 1f1b"),
        (('makespan: makespan("gpipe")\n    in_flight: in_flight("1f1b")', "makespan: 1000"), "the example, one micro-batch after another, meets the target"),
    ],
)  # fmt: skip
def test_a_template_that_cannot_be_is_told_why(change: tuple[str, str], words: str) -> None:
    changes = (
        [change]
        if change[1] != "makespan: 1000"
        else [
            change,
            (
                "mistakes:\n  - schedule: gpipe\n    say: No backward runs before the last forward, so every micro-batch is kept until then.\n",
                "",
            ),
        ]
    )
    report = lint_problem(problem_of(template("schedule", *changes)), seeds=3)
    assert words in "\n".join(map(str, report.faults))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("solution: 1f1b", "solution: 1b1f"), "unknown schedule '1b1f'; write its lines, or one of serial, gpipe"),
        (("    makespan: makespan(\"gpipe\")\n    in_flight: in_flight(\"1f1b\")", "    makespan: null"), "a target needs at least one of makespan, idle and in_flight"),
    ],
)  # fmt: skip
def test_a_template_that_cannot_be_read_is_told_why(change: tuple[str, str], words: str) -> None:
    with pytest.raises(Faulty) as refused:
        problem_of(template("schedule", change))
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("placement", "name", "words"),
    [
        (
            "both",
            "dualpipe",
            "Micro-batches 1 to 5 pass through chunk 1, from stage 1 to stage 2, and the others through chunk 2",
        ),
        (
            "v",
            "dualpipev",
            "The model is split into 4 pieces, which go down the stages and come back up: stage 1 holds pieces 1 and 4",
        ),
    ],
)
def test_a_question_can_ask_for_dualpipe(placement: str, name: str, words: str) -> None:
    changes = (
        ("choice: [2, 3, 4]", "choice: [2]"), ("choice: [4, 5, 6]", "choice: [10]"), ("  backward: 2 * forward_slots\n", f"  backward: 1\n  weight: 1\n  placement: {placement}\n"),
        ('    makespan: makespan("gpipe")\n    in_flight: in_flight("1f1b")', f'    makespan: makespan("{name}") + 1'), ("solution: 1f1b", f"solution: {name}"),
        ("mistakes:\n  - schedule: gpipe\n    say: No backward runs before the last forward, so every micro-batch is kept until then.\n", ""),
    )  # fmt: skip
    asked = posed(template("schedule", *changes), 3)
    assert words in text_of(asked)
    assert not lint_problem(problem_of(template("schedule", *changes)), seeds=2).faults
    if placement == "both":
        wrong = "\n".join(asked.key.lines).replace("F1.1", "F1.2", 1)
        assert "F1.2 does not exist: micro-batch 1 passes through chunk 1" in as_plain(check(asked, wrong))
    other = {"both": "dualpipev", "v": "1f1b"}[placement]
    report = lint_problem(
        problem_of(template("schedule", *changes[:-2], ("solution: 1f1b", f"solution: {other}"), changes[-1])), seeds=1
    )
    assert f"{other} needs `placement: " in "\n".join(map(str, report.faults))


def test_stages_that_differ_hops_and_memory_are_said_in_the_question() -> None:
    changes = (
        ("choice: [2, 3, 4]", "choice: [3]"), ("forward: forward_slots", "forward: [1, 1, 2]"), ("backward: 2 * forward_slots", "backward: [2, 2, 4]\n  hop: 2\n  memory: [none, 5, 4]"),
        ("params:\n", "params:\n  spare: {choice: [1, 2]}\n"), ("Find an order", "{{ forward_slots }} {{ spare }} Find an order"),
    )  # fmt: skip
    asked = posed(template("schedule", *changes), 3)
    text = text_of(asked)
    for words in (
        "- `F2` is the forward pass of micro-batch 2; it takes 1, 1 and 2 slots on stages 1 to 3.",
        "A result reaches another stage after 2 slots.",
        "- Memory: stage 2 has room for 5 micro-batches in flight. One more exceeds it.",
        "- Memory: stage 3 has room for 4 micro-batches in flight. One more exceeds it.",
    ):
        assert words in text
    assert "stage 1 has room" not in text
