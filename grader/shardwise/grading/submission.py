"""Grading of one submission: its code runs in the sandbox, and its answers are marked outside."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from typing import Any

from shardwise.cell_names import names_set_by, was_worked_in
from shardwise.course.collecting.submissions import StudentCell, Submission
from shardwise.errors import Unreadable
from shardwise.grading.overrides.rulings import NO_RULINGS, Ruling, StudentRulings
from shardwise.grading.running.sandboxes import runner_in
from shardwise.kinds import kind_of, variable_of
from shardwise.kinds.calls import Runner
from shardwise.markdown.escaping import safe
from shardwise.marking import broken, check, unreadable_feedback
from shardwise.question import Feedback, Outcome, Question
from shardwise.sandbox import Calls, Cell, JobResult, Sandbox, Step, Value

# The code of the locked cells in every notebook; the student's copies of them are never run.
PRELUDE = (
    "import shardwise\n"
    "from shardwise import another, check, check_all, figure, handed_out, hint, practice, progress, solution\n"
)
MARKING_SECONDS = (
    60.0  # for all code that marking a notebook runs; a hanging answer to a bug hunt takes up to 15 of them
)
_WHY_STOPPED = {
    "timeout": "it ran too long",
    "memory": "it ran out of memory",
    "killed": "it ended its process",
    "skipped": "it was not run because the notebook had used up its time",
}


def grade_one(
    submission: Submission, questions: Sequence[Question], sandbox: Sandbox, rulings: StudentRulings = NO_RULINGS
) -> tuple[list[Feedback], list[str]]:
    """Run a submission's code and mark its answers; return feedback in the questions' order, and notes for the report.

    Answers that the instructor accepts earn points.
    """
    job = sandbox.run(_steps(submission, questions))
    stopped = _stopped(submission, job)
    run = runner_in(sandbox, MARKING_SECONDS)
    answered = {cell.question: cell for cell in submission.cells if cell.question}
    marked = []
    for place, question in enumerate(questions):
        cell = answered.get(question.cell)
        try:
            feedback = _mark(question, job, place, run, cell, rulings.on(question))
        except Exception as error:  # our error: the student loses nothing, and the report mentions it
            feedback = broken(question, error)
        if feedback.outcome == Outcome.BLANK and (lost := _lost(question, submission, stopped)):
            cell, feedback = lost, _unset(question, lost)
        elif _is_missing(job.results[f"answer-{place}"]) and (
            other := _not_given(question, submission, is_blank=feedback.outcome == Outcome.BLANK)
        ):
            cell, feedback = other[0], unreadable_feedback(question, other[1], other[0].source, is_graded=True)
        elif feedback.outcome == Outcome.BLANK and (unrun := _unrun(question, submission)):
            feedback = unreadable_feedback(question, *unrun, is_graded=True)
        if cell is not None and cell.key in stopped and feedback.outcome != Outcome.CORRECT:
            feedback = feedback.saying(
                f"The cell with your answer stopped: `{safe(stopped[cell.key])}`", *feedback.remarks
            )
        elif cell is None and feedback.outcome == Outcome.BLANK:
            why = _why_blank(submission.unrun.get(question.cell, (None, ""))[0])
            feedback = feedback.saying(why, *feedback.remarks)
        marked.append(feedback)
    added = {cell.key for cell in submission.cells if not cell.question}
    notes = [f"{key} (added by the student) stopped: {safe(why)}" for key, why in stopped.items() if key in added]
    return marked, [*submission.notes, *notes]


def _steps(submission: Submission, questions: Sequence[Question]) -> list[Step]:
    """Return the steps of a job: the notebook's cells, then one request for each answer."""

    steps: list[Step] = [Cell("prelude", PRELUDE)]
    steps += [Cell(cell.key, cell.source) for cell in submission.cells]
    for place, question in enumerate(questions):
        request = kind_of(question).request(question, variable_of(question))
        if request.inputs is None:
            steps.append(Value(f"answer-{place}", request.name))
        else:
            steps.append(Calls(f"answer-{place}", request.name, tuple(request.inputs)))
    return steps


def _untouched(question: Question, cell: StudentCell | None) -> bool:
    """Return whether an answer cell is unchanged or deleted."""
    handed_out = kind_of(question).cells(question.form, variable_of(question))
    return cell is None or not was_worked_in(cell.source, handed_out)


def _lost(question: Question, submission: Submission, stopped: Mapping[str, str]) -> StudentCell | None:
    """Return the last edited answer cell of a question that did not run to its end."""
    cells = [cell for cell in submission.cells if cell.question == question.cell and cell.key in stopped]
    return next((cell for cell in reversed(cells) if not _untouched(question, cell)), None)


def _unset(question: Question, cell: StudentCell) -> Feedback:
    """Return feedback for a cell that stopped before it set the answer: there is an answer that a person can read."""
    why = Unreadable(f"So “{variable_of(question)}” has no value.", shows_example=True)
    return unreadable_feedback(question, why, cell.source, is_graded=True)


def _is_missing(result: Any) -> bool:
    """Return whether the answer's variable did not exist after all cells had run."""
    return all(call.status == "missing" for call in getattr(result, "results", (result,)))


def _not_given(question: Question, submission: Submission, *, is_blank: bool) -> tuple[StudentCell, Unreadable] | None:
    """Return why a question's variable has no value although the student edited its cell, and the last such cell.

    None if no cell was edited, or if the feedback already gives the reason.
    """
    wanted, kind = variable_of(question), kind_of(question)
    handed_out = kind.cells(question.form, wanted)
    worked = [
        (cell, names_set_by(cell.source, handed_out) or [])
        for cell in submission.cells
        if cell.question == question.cell and was_worked_in(cell.source, handed_out)
    ]
    if not worked or (not is_blank and any(wanted in names for _, names in worked)):
        return None
    cell, names = next((each for each in reversed(worked) if each[1]), worked[-1])
    if names and wanted not in names:
        shown = _listed(difflib.get_close_matches(wanted, names, n=1) or names)
        why = f"This cell sets {shown}, but after your cells had run there was no “{wanted}”."
    else:
        do = "Define that function in this cell." if kind.is_program else f"Write your answer as “{wanted} = …”."
        why = f"After your cells had run, “{wanted}” had no value. {do}"
    return cell, Unreadable(why, shows_example=True)


def _unrun(question: Question, submission: Submission) -> tuple[Unreadable, str] | None:
    """Return feedback on an edited answer cell that cannot be run, such as a text cell, and its content."""
    why, source = submission.unrun.get(question.cell, ("", ""))
    handed_out = kind_of(question).cells(question.form, variable_of(question))
    if not why or source.strip() == handed_out.strip():
        return None
    return Unreadable(f"The cell for this answer {why}, so it was not run.", shows_example=True), source


def _stopped(submission: Submission, job: JobResult) -> dict[str, str]:
    """Return the cells that did not run to their end, with the reasons."""
    found = {}
    for cell in submission.cells:
        result: Any = job.results[cell.key]
        if result.status != "ok":
            found[cell.key] = result.error or _WHY_STOPPED.get(result.status, result.status)
    return found


def _mark(
    question: Question, job: JobResult, place: int, run: Runner, cell: StudentCell | None, ruling: Ruling
) -> Feedback:
    try:
        raw = _raw(question, job.results[f"answer-{place}"], cell)
        return ruling.accepting(question, raw, check(question, raw, runner=run, is_graded=True))
    except Unreadable as error:  # the value cannot be fetched, so show the cell's source
        return unreadable_feedback(question, error, cell.source if cell else None, is_graded=True)


def _raw(question: Question, result: Any, cell: StudentCell | None) -> Any:
    """Return the raw answer from the sandbox's result; None if there is none. Raises Unreadable."""
    if hasattr(result, "results"):
        untouched = _untouched(question, cell)
        return kind_of(question).collect(question, variable_of(question), result.results, is_untouched=untouched)
    if result.status == "ok":
        return result.value
    if result.status == "missing":
        return None
    if result.status == "unreadable":
        raise Unreadable(f"I couldn't read the answer: {safe(result.reason or result.type_name)}")
    raise Unreadable(f"The answer could not be fetched: {_WHY_STOPPED.get(result.status, result.status)}.")


def _listed(names: Sequence[str]) -> str:
    """Return the first three names as a list in a sentence.

    >>> _listed(["a", "b", "c", "d"]), _listed(["a"])
    ('“a”, “b” and “c”', '“a”')
    """
    *first, last = [f"“{name:.60}”" for name in names[:3]]
    return f"{', '.join(first)} and {last}" if first else last


def _why_blank(unrun: str | None) -> str:
    """Return why there is no answer if no cell was run for it; empty if the student emptied the cell."""
    if unrun is None:
        return "The cell for this answer is missing, and no other cell defines it."
    return f"The cell for this answer {unrun}, so it was not run." if unrun else ""
