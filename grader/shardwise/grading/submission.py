"""Grading one submission: its code runs in the sandbox, and its answers are marked outside of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from shardwise.course.submissions import StudentCell, Submission
from shardwise.grading.sandboxes import runner_in
from shardwise.kinds import kinds
from shardwise.kinds.calls import Recorded, Runner
from shardwise.markdown.html import safe
from shardwise.marking import broken, check, unreadable
from shardwise.question import Feedback, Outcome, Question

if TYPE_CHECKING:
    from shardwise.sandbox import JobResult, Sandbox, Step

# What the locked cells of every notebook do; the student's copies of them are never run.
PRELUDE = "import shardwise\nfrom shardwise import another, check, handed_out, hint, practice, solution\n"
_WHY_STOPPED = {
    "timeout": "it ran too long",
    "memory": "it ran out of memory",
    "killed": "it ended its process",
    "skipped": "it was not run, for the notebook had used up its time",
}


def grade_one(
    submission: Submission, questions: Sequence[Question], sandbox: Sandbox
) -> tuple[list[Feedback], list[str]]:
    """Run a submission's code and mark its answers: feedback in the questions' order, and notes for the report."""
    job = sandbox.run(_steps(submission, questions))
    stopped = _stopped(submission, job)
    run = runner_in(sandbox)
    answered = {cell.question: cell for cell in submission.cells if cell.question}
    marked = []
    for place, question in enumerate(questions):
        cell = answered.get(question.id)
        try:
            feedback = _mark(question, job, place, run, cell)
        except Exception as error:  # ours: the student loses nothing, and the report says so
            feedback = broken(question, error)
        if cell is not None and cell.key in stopped and feedback.outcome != Outcome.CORRECT:
            feedback = _told(feedback, f"The cell with your answer stopped: `{safe(stopped[cell.key])}`")
        elif cell is None and feedback.outcome == Outcome.BLANK:
            feedback = _told(feedback, "The cell for this answer is gone, and no other cell defines it.")
        marked.append(feedback)
    added = {cell.key for cell in submission.cells if not cell.question}
    notes = [f"{key} (added by the student) stopped: {safe(why)}" for key, why in stopped.items() if key in added]
    return marked, [*submission.notes, *notes]


def _steps(submission: Submission, questions: Sequence[Question]) -> list[Step]:
    """The notebook's cells, then one request for each answer."""
    from shardwise.sandbox import Calls, Cell, Value

    steps: list[Step] = [Cell("prelude", PRELUDE)]
    steps += [Cell(cell.key, cell.source) for cell in submission.cells]
    for place, question in enumerate(questions):
        if question.kind == "code":
            steps.append(Calls(f"answer-{place}", _variable(question), tuple(case.inputs for case in _cases(question))))
        else:
            steps.append(Value(f"answer-{place}", _variable(question)))
    return steps


def _variable(question: Question) -> str:
    return kinds()[question.kind].variable(question.form, question.variable)


def _untouched(question: Question, cell: StudentCell | None) -> bool:
    """Whether an answer cell is as it was handed out, or gone."""
    handed_out = kinds()[question.kind].cells(question.form, _variable(question))
    return cell is None or cell.source.strip() == handed_out.strip()


def _cases(question: Question) -> Sequence[Any]:
    return question.key.cases  # type: ignore[attr-defined, no-any-return]


def _stopped(submission: Submission, job: JobResult) -> dict[str, str]:
    """The cells that did not run to their end, and why."""
    found = {}
    for cell in submission.cells:
        result: Any = job.results[cell.key]
        if result.status != "ok":
            found[cell.key] = result.error or _WHY_STOPPED.get(result.status, result.status)
    return found


def _mark(question: Question, job: JobResult, place: int, run: Runner, cell: StudentCell | None) -> Feedback:
    result: Any = job.results[f"answer-{place}"]
    if question.kind == "code":
        calls = result.results
        if all(call.status == "missing" for call in calls):
            why = f"After your cells had run there was no function called {_variable(question)}."
            return check(question, None) if _untouched(question, cell) else unreadable(question, why)
        if all(call.status == "returned" and call.value is None for call in calls) and _untouched(question, cell):
            return check(question, None)
        return check(question, Recorded(tuple(calls)))
    if result.status == "ok":
        return check(question, result.value, runner=run)
    if result.status == "missing":
        return check(question, None)
    if result.status == "unreadable":
        return unreadable(question, f"I couldn't read the answer: {safe(result.reason or result.type_name)}")
    return unreadable(question, f"The answer could not be fetched: {_WHY_STOPPED.get(result.status, result.status)}.")


def _told(feedback: Feedback, words: str) -> Feedback:
    return feedback.model_copy(update={"say": f"{words}\n\n{feedback.say}".strip()})
