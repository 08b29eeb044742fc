"""Schedule: the order of operations on each stage of a pipeline. Every schedule that meets the target is right."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from shardwise.kinds.base import Kind, Posed, Proof, Sample, View
from shardwise.kinds.calls import Runner
from shardwise.kinds.scripts import script_in
from shardwise.markdown.html import to_html
from shardwise.markdown.timeline import as_block
from shardwise.question import Feedback, Outcome, Question
from shardwise.template.draw import Draw
from shardwise.template.expressions import prose
from shardwise_bank.kinds.schedule import explain, texts
from shardwise_bank.kinds.schedule.model import KnownMistake, ScheduleForm, ScheduleKey, ScheduleTemplate
from shardwise_bank.kinds.schedule.picture import LOOKS, timeline
from shardwise_bank.kinds.schedule.progress import schedule_so_far
from shardwise_bank.kinds.schedule.reading import Reading, read_schedule
from shardwise_bank.kinds.schedule.solving import Solved, meets, run_of, schedule_pattern, solve
from shardwise_bank.pipelines.named import serial
from shardwise_bank.pipelines.pipeline import Operation, Pipeline, Schedule
from shardwise_bank.pipelines.simulate import Run, simulate

MISSED = 0.5  # share of the points for a schedule that runs within the memory but misses the target


class ScheduleKind(Kind[ScheduleTemplate, ScheduleForm, ScheduleKey]):
    """The operations of each stage in order."""

    name = "schedule"
    script = script_in("shardwise_bank")
    about = "The order of forward and backward passes on each stage of a pipeline, simulated; every order that meets the target is right."
    Template = ScheduleTemplate
    Form = ScheduleForm
    Key = ScheduleKey
    needs_oracle = False  # the simulator proves every solution
    starter = """\
params:
  stages: {choice: [2, 3, 4]}
  micro_batches: {choice: [4, 5, 6]}
prompt: |
  A pipeline of {{ stages }} stages processes {{ micro_batches }} micro-batches. Find a schedule that is as fast as GPipe but needs
  less memory.
answer:
  stages: stages
  micro_batches: micro_batches
  forward: 1                                    # slots; one number, or one per stage
  backward: 2
  target: {makespan: makespan("gpipe"), in_flight: in_flight("1f1b")}
  solution: 1f1b                                # its name, or its lines
mistakes:
  - schedule: gpipe
    say: GPipe runs no backward before the last forward, so a stage holds all micro-batches at once.
"""

    def solve(self, template: ScheduleTemplate, draw: Draw) -> Solved:
        return solve(template, draw)

    def pose(self, template: ScheduleTemplate, draw: Draw, solved: Solved) -> Posed:
        form, pipeline = solved.form, solved.form.pipeline
        lines = pipeline.lines(solved.solution)
        key = ScheduleKey(
            lines=tuple(lines),
            mistakes=tuple(
                KnownMistake(pattern=schedule_pattern(schedule), say=prose(mistake.say, draw.printed))
                for mistake, schedule in zip(template.mistakes, solved.mistakes, strict=True)
            ),
        )
        run = run_of(form, solved.solution)
        drawn = timeline(form, run, None)
        names = {
            "key": "\n".join(["```text", *lines, "```"]),
            "chart": as_block(drawn, LOOKS) if drawn else "",
            "makespan": run.makespan,
            "idle": run.total_idle,
            "in_flight": run.in_flight,
        }
        return Posed(form, key, names=names)

    def prove(self, template: ScheduleTemplate, draw: Draw, solved: Solved) -> Proof:
        form, proof = solved.form, Proof()
        run = run_of(form, solved.solution)
        if fault := explain.violation(form, run):
            proof.faults.append(f"the solution cannot be run: {fault}")
        else:
            proof.faults += [f"the solution misses the target: {miss}" for miss in explain.misses(form, run)]
        if meets(form, run_of(form, serial(form.pipeline))):
            proof.faults.append("the example, one micro-batch after another, meets the target")
        return proof

    def body(self, form: ScheduleForm) -> str:
        return texts.body(form)

    def view(self, form: ScheduleForm) -> View:
        blank = texts.blank_lines(form)
        source = {
            "type": "schedule",
            "label": "Your schedule",
            "source": blank,
            "series": texts.series(form),
            "start": schedule_so_far(form, blank),
        }
        return {
            "how": "Put the operations of each stage in order.",
            "html": to_html(texts.body(form).rpartition("\n\nWrite the operations")[0]),
            "fields": [source],
        }

    def preview(self, form: ScheduleForm, raw: Any) -> View:
        return schedule_so_far(form, raw)

    def instruction(self, form: ScheduleForm, variable: str) -> str:
        return f"Fill in `{variable}`: after the name of each stage, its operations in the order in which it runs them."

    def example(self, form: ScheduleForm) -> str:
        return "\n".join(form.pipeline.lines(serial(form.pipeline)))

    def cells(self, form: ScheduleForm, variable: str) -> str:
        return f'{variable} = """\n{texts.blank_lines(form)}\n"""'

    def is_untouched(self, form: ScheduleForm, raw: Any) -> bool:
        return type(raw) is str and raw.strip() == texts.blank_lines(form)  # strip of a subclass could do anything

    def parse(self, form: ScheduleForm, raw: Any) -> Reading | None:
        return read_schedule(form.pipeline, raw)

    def read(self, form: ScheduleForm, value: Reading) -> str:
        note = f" ({value.note})" if value.note else ""
        return "; ".join(form.pipeline.lines(value.schedule)) + note

    def matches(self, question: Question, value: Reading, runner: Runner) -> Feedback:
        key, form = self.key_and_form(question)
        run = run_of(form, value.schedule)
        drawn = timeline(form, run, texts.last_slot(form))
        if meets(form, run):
            return Feedback.judged(question, 1.0, explain.measured(run), picture=drawn)
        words = [explain.violation(form, run) or " ".join(explain.misses(form, run))]
        if drawn is None:  # nothing else shows them
            words.append(explain.idle(form, run))
        known = schedule_pattern(value.schedule)
        mistake = next((place for place, wrong in enumerate(key.mistakes) if wrong.pattern == known), None)
        if mistake is not None:
            words.append(key.mistakes[mistake].say)
        return Feedback.judged(question, self._credit(form, run), *words, mistake=mistake, picture=drawn)

    def _credit(self, form: ScheduleForm, run: Run) -> float:
        """Return half the points for a schedule that runs and is faster than one micro-batch after another."""
        slowest = simulate(form.pipeline, serial(form.pipeline)).makespan
        return MISSED if run.is_sound and run.makespan < slowest else 0.0

    def samples(self, question: Question) -> Sequence[Sample]:
        key, form = self.key_and_form(question)
        right, blank = "\n".join(key.lines), texts.blank_lines(form)
        bare = [line.partition(": ")[2] for line in key.lines]
        reading = read_schedule(form.pipeline, right)
        assert reading is not None
        return [
            Sample(right, Outcome.CORRECT),
            Sample(bare, Outcome.CORRECT),
            Sample({str(stage): line.split() for stage, line in enumerate(bare, start=1)}, Outcome.CORRECT),
            *self._known_samples(form, key),
            Sample(self.example(form), Outcome.INCORRECT),
            Sample("\n".join(form.pipeline.lines(_backwards_first(reading.schedule))), Outcome.INCORRECT),
            Sample("\n".join(key.lines[1:]), Outcome.UNREADABLE),
            Sample(right.replace("F1", "F2", 1), Outcome.UNREADABLE),
            Sample("something", Outcome.UNREADABLE),
            Sample(7, Outcome.UNREADABLE),
            Sample(blank, Outcome.BLANK),
            Sample("", Outcome.BLANK),
        ]

    def _known_samples(self, form: ScheduleForm, key: ScheduleKey) -> list[Sample]:
        """Return the recognised schedules, with their micro-batches in order."""
        found = []
        for place, mistake in enumerate(key.mistakes):
            schedule = tuple(_in_order(form.pipeline, line) for line in mistake.pattern)
            credit = self._credit(form, run_of(form, schedule))
            raw = "\n".join(form.pipeline.lines(schedule))
            found.append(Sample(raw, Outcome.PARTIAL if credit else Outcome.INCORRECT, place))
        return found


def _in_order(pipeline: Pipeline, letters: str) -> tuple[Operation, ...]:
    """Return a line with this pattern that takes the micro-batches of each letter and chunk in order."""
    line: list[Operation] = []
    places = [place for place, letter in enumerate(letters) if letter.isalpha()]
    for start, end in zip(places, [*places[1:], len(letters)], strict=True):
        letter, chunk = letters[start], int(letters[start + 1 : end] or 1)
        before = sum((step.letter, step.chunk) == (letter, chunk) for step in line)
        line.append(Operation(letter, pipeline.batches(chunk)[before], chunk))
    return tuple(line)


def _backwards_first(schedule: Schedule) -> Schedule:
    """Return the same operations with all forwards at the end, so that nothing can start."""
    return tuple(tuple(sorted(line, key=lambda step: step.letter == "F")) for line in schedule)


KIND = ScheduleKind()
