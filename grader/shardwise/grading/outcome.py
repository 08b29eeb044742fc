"""The outcome of a batch: a result for each notebook, and one for each student without a submission."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from heapq import merge
from pathlib import Path

from shardwise.atomic_files import write_file
from shardwise.course.assigning.lockfile import Lock
from shardwise.grading.feedback_page import WITH_SOLUTIONS, HandIn, file_of, page
from shardwise.grading.overrides.overrides_file import NO_OVERRIDES, Overrides
from shardwise.grading.overrides.rulings import GIVEN, StudentRulings
from shardwise.grading.record.ledger import LEDGER, Ledger
from shardwise.grading.results import Result, marked
from shardwise.question import Question

PAGES = "feedback"  # the folder of feedback pages
_EXCUSED = "excused by the instructor"  # without the reason, because tables and reports may reach the student


@dataclass(frozen=True)
class Batch:
    """A run over some notebooks whose results are in a ledger."""

    out: Path
    locks: Mapping[str, Lock] = field(default_factory=dict)
    tried_again: int = 0  # number of notebooks that were retried, because a worker died or they could not be read
    unused: tuple[str, ...] = ()  # why lock files are ignored
    failed: tuple[str, ...] = ()  # why notebooks were not graded because of the grader or this machine
    # Students named by a notebook that somebody else submitted, with its path, by set and student.
    claimed: Mapping[tuple[str, str], str] = field(default_factory=dict)
    # Students whose counting notebook is gone and was graded with older questions, and the number of its questions.
    gone: Mapping[str, int] = field(default_factory=dict)
    keys: tuple[bytes, ...] = field(default=(), repr=False)  # course keys, the first of which signs a new ledger
    overrides: Overrides = NO_OVERRIDES

    def results(self) -> Iterator[Result]:
        """Yield, by set and student, a result per notebook and one for each student without a submission for these sets."""
        with Ledger(self.out / LEDGER, self.keys) as ledger:
            found = map(self._with_owner, ledger.results())
            both = merge(found, self._missing(ledger), key=lambda result: (result.set, result.student))
            yield from (self._decided(result, ledger) for result in both)

    def handed_in(self) -> Iterator[Result]:
        """Yield the results of this run's notebooks only."""
        with Ledger(self.out / LEDGER, self.keys) as ledger:
            for result in ledger.results(latest=True):
                yield self._decided(self._with_owner(result), ledger)

    def _missing(self, ledger: Ledger) -> Iterator[Result]:
        """Yield the results of the students of these sets without a submission."""
        for name in ledger.sets():
            for student in sorted(self.locks[name].students()) if name in self.locks else ():
                if not ledger.handed_in(name, student):
                    yield _in_course(self._without_notebook(name, student), self.locks[name])

    def _without_notebook(self, name_of_set: str, student: str) -> Result:
        """Return the result of a student without a notebook, or whose notebook somebody else may have submitted."""
        who, points = self.locks[name_of_set].about(student)
        if (place := self.claimed.get((name_of_set, student))) is None:
            reason = "no notebook was handed in"
            return Result(student, name_of_set, who, status="missing", reason=reason, max_points=points)
        reason = f"Somebody else submitted the only notebook that names {student}. If it is theirs, grade it alone with --student."
        return Result(student, name_of_set, who, status="ungraded", reason=reason, max_points=points, path=place)

    def _with_owner(self, result: Result) -> Result:
        """Return a result with the student's section and due date and, if it is ungraded, name and points, from the lock file."""
        lock = self.locks.get(result.set)
        if lock is None or result.student not in lock.places:
            return result
        result = _in_course(result, lock)
        if result.status != "ungraded":
            return result
        name, points = lock.about(result.student)
        return replace(result, name=name, max_points=points)

    def _decided(self, result: Result, ledger: Ledger) -> Result:
        """Return a result after the decisions about it that need more than its notebook."""
        lock = self.locks.get(result.set)
        if lock is None or result.student not in lock.places or not self.overrides.entries:
            return result
        rulings = self.overrides.of(lock, result.student)
        result = replace(result, due=rulings.due.isoformat()) if rulings.due else result
        if rulings.excused:
            notes = ("Your instructor excused you: this set does not count.", *rulings.notes)
            result = replace(result, max_points=rulings.max_points(lock.questions(result.student)))
            return replace(result, status="excused", points=None, reason=_EXCUSED, notes=notes, is_composed=True)
        if result.status == "graded":
            return self.kept_attempt(result, rulings, ledger)
        result = replace(result, max_points=rulings.max_points(lock.questions(result.student)))
        if rulings.points is None:
            notes = (*rulings.notes, *result.notes)
            return replace(result, notes=notes, is_composed=bool(rulings.notes))
        notes = (rulings.given(result.max_points), *rulings.notes, *result.notes)
        return replace(result, status="graded", points=rulings.points, notes=notes, reason="", is_composed=True)

    def kept_attempt(self, result: Result, rulings: StudentRulings, ledger: Ledger) -> Result:
        """Return the best attempt, or the latest with the average points, if an override says so."""
        if rulings.attempts in ("", "last") or rulings.points is not None or result.points is None:
            return result
        attempts = self._attempts(result, rulings, ledger)
        if len(attempts) < 2:
            return result
        earned = [f"{each.points:g}" for each in attempts]
        if rulings.attempts == "average":
            mean = round(sum(each.points or 0.0 for each in attempts) / len(attempts), 4)
            note = f"The average of {len(attempts)} attempts counts: {', '.join(earned)} points."
            return replace(result, points=mean, notes=(note, *result.notes), is_composed=True)
        best = max(reversed(attempts), key=lambda each: each.points or 0.0)
        note = f"The best of {len(attempts)} attempts counts: {', '.join(earned)} points."
        about = {name: getattr(result, name) for name in ("path", "received", "received_by", "section", "due")}
        ours = [each for each in rulings.notes if each not in best.notes]
        return replace(best, notes=(note, *ours, *best.notes), is_composed=True, **about)

    def _attempts(self, result: Result, rulings: StudentRulings, ledger: Ledger) -> list[Result]:
        """Return the results of a student's permitted attempts, as they are after today's decisions about questions.

        A notebook that is gone cannot be graded again, so each decision is applied to the newest grading of it that has no
        other one.
        """
        allowed = self.locks[result.set].header.get("attempts")
        attempts = ledger.attempts(result.set, result.student)[:allowed]
        if all(_is_decided(each.result, rulings) for each in attempts):
            return [each.result for each in attempts]
        questions = self.locks[result.set].questions(result.student)
        history = [each for each in ledger.history(result.student) if each.result.set == result.set]
        found = []
        for attempt in attempts:
            of_it = [each.result for each in history if each.notebook == attempt.notebook and each.result.complete]
            plain = [each for each in of_it if _is_decided(each, rulings) or not _has_decisions(each)]
            base = attempt.result if _is_decided(attempt.result, rulings) or not plain else plain[-1]
            found.append(_decided_again(base, rulings, questions))
        return found

    def page(self, result: Result) -> Path:
        """Return the path of a result's feedback page."""
        return self.out / PAGES / file_of(result.set, result.student)

    def has_solutions(self) -> bool:
        """Return whether the feedback pages show solutions."""
        with Ledger(self.out / LEDGER, self.keys) as ledger:
            return WITH_SOLUTIONS in ledger.kinds_of_pages()

    def write_page(self, result: Result, *, solutions: bool) -> None:
        """Write the page of a result that comes from no single notebook; it cannot show the student's code."""
        lock = self.locks[result.set]
        questions = lock.questions(result.student) if result.scores else []
        about = HandIn(str(lock.header.get("title") or ""), datetime.fromisoformat(result.due) if result.due else None)
        text = page(result, questions, result.feedback, handed_in=about, solutions=solutions)
        write_file(self.page(result), text.encode(), private=True)

    def questions(self) -> list[str]:
        """Return the questions, which are the columns of a table of grades."""
        with Ledger(self.out / LEDGER, self.keys) as ledger:
            return ledger.questions()


def _is_decided(result: Result, rulings: StudentRulings) -> bool:
    """Return whether a result has exactly these decisions about its questions, and no points for the whole notebook."""
    return not _is_given(result) and all(each.decided == rulings.decided.get(each.slug, "") for each in result.answers)


def _has_decisions(result: Result) -> bool:
    return _is_given(result) or any(each.decided for each in result.answers)


def _is_given(result: Result) -> bool:
    """Return whether an instructor gave the whole notebook its points."""
    return any(note.startswith(GIVEN) for note in result.notes)


def _decided_again(before: Result, rulings: StudentRulings, questions: Sequence[Question]) -> Result:
    """Return a result with decisions about its questions; what lateness cost is not changed."""
    if _is_decided(before, rulings):
        return before
    feedback = []
    for question, answer in zip(questions, before.answers, strict=True):
        ruling, said = rulings.on(question), answer.feedback
        if answer.decided != rulings.decided.get(answer.slug, ""):
            said = ruling.applied(ruling.accepting(question, said.written or said.read or None, said))
        feedback.append(said)
    after = marked(before, questions, feedback, rulings.decided)
    deducted = 0.0 if _is_given(before) else sum(each.points or 0.0 for each in before.answers) - (before.points or 0.0)
    return replace(after, points=max(0.0, round((after.points or 0.0) - max(0.0, deducted), 4)))


def _in_course(result: Result, lock: Lock) -> Result:
    """Return a result with its student's section and due date."""
    due = lock.due_of(result.student)
    return replace(result, section=lock.section_of(result.student), due=due.isoformat() if due else "")
