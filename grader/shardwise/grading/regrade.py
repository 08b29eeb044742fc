"""Regrading after a template, a tolerance or the program was fixed: shows what would change and why before writing."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from filecmp import cmp
from functools import partial
from pathlib import Path
from typing import Any

from shardwise.atomic_files import replacing
from shardwise.bank.bank import Catalogue
from shardwise.bank.posing import pose, pose_chapter
from shardwise.course.assigning.lockfile import Lock, writing
from shardwise.errors import Faulty, Reject, ShardwiseError, said_by
from shardwise.grading import reports
from shardwise.grading.batch import Progress, grade
from shardwise.grading.consequences import OtherStanding
from shardwise.grading.feedback_page import WITH_SOLUTIONS
from shardwise.grading.intake import Decisions, Locks, Practice, locks_near
from shardwise.grading.outcome import PAGES, Batch
from shardwise.grading.record.ledger import LEDGER, Ledger, lies
from shardwise.grading.record.ledger_tables import Grading
from shardwise.grading.results import Answer, Result
from shardwise.grading.running.executors import Opener
from shardwise.grading.worker import Settings
from shardwise.kinds import kinds

_STAGE = ".regrade"


@dataclass(frozen=True)
class Change:
    """A question whose points would change, and why."""

    student: str
    set: str
    question: str  # empty for what changes the points of the whole notebook
    before: float | None
    after: float | None
    cause: str


@dataclass(frozen=True)
class Regrade:
    """A batch that was graded again but not written yet, next to the one that counts."""

    batch: Batch  # in the stage folder
    out: Path
    paths: Sequence[Path]
    renewed: Mapping[Path, Lock]  # lock files and their replacements
    practice: Practice
    settings: Settings
    decisions: Decisions
    kept: Counter[str] = field(default_factory=Counter)  # number of questions that keep their version, by reason

    def changes(self) -> Iterator[Change]:
        """Yield every question whose points would change."""
        with (
            Ledger(self.out / LEDGER, self.batch.keys) as now,
            Ledger(self.batch.out / LEDGER, self.batch.keys) as then,
        ):
            for result in then.results(latest=True):
                after = then.counts(result.set, result.student) if result.status == "graded" else None
                if after is not None:
                    yield from differences(now.counts(result.set, result.student), after)

    def other_standings(self) -> Iterator[OtherStanding]:
        """Yield the students whose status would change although their points stay the same.

        They would lose a grade or get one back, or be late instead of on time, or vice versa. `changes` compares points, so it
        does not list them.
        """
        with (
            Ledger(self.out / LEDGER, self.batch.keys) as now,
            Ledger(self.batch.out / LEDGER, self.batch.keys) as then,
        ):
            found = {(result.set, result.student): result for result in then.results(latest=True)}
            graded = {(result.set, result.student): result for result in now.results() if result.status == "graded"}
            for whose, result in found.items():
                if result.status == "graded" and whose not in graded and now.counts(*whose):
                    yield OtherStanding(
                        result.student, result.set, "graded again", "they had a grade before but have none now"
                    )
            for before in graded.values():
                after = found.get((before.set, before.student))
                if after is None and not lies(Path(before.path)):
                    yield OtherStanding(before.student, before.set, "missing", f"{before.path} no longer exists")
                elif after is not None and after.status != "graded":
                    yield OtherStanding(before.student, before.set, "ungraded", after.reason)
                elif after is not None and after.late != before.late:
                    would_be = "late" if after.late else "on time"
                    is_same_time = after.received == before.received
                    what = "due date or grace period" if is_same_time else "receipt time"
                    why = f"this run uses another {what}"
                    yield OtherStanding(before.student, before.set, would_be, why)

    def rewritten(self) -> tuple[Sequence[Path], int]:
        """Return the lock files that `write` would replace, and how many gradings it would replace."""
        with (
            Ledger(self.out / LEDGER, self.batch.keys) as now,
            Ledger(self.batch.out / LEDGER, self.batch.keys) as then,
        ):
            graded = [(each.set, each.student) for each in then.results(latest=True) if each.status == "graded"]
            pairs = [(now.counts(*whose), then.counts(*whose)) for whose in graded]
        gradings = sum(after is not None and (before is None or before.key != after.key) for before, after in pairs)
        return [old for old, new in self.renewed.items() if _is_changed(old, new)], gradings

    def write(self) -> Batch:
        """Make it count: write lock files, pages and gradings. Earlier gradings stay in the ledger."""
        for old, new in self.renewed.items():
            if _is_changed(old, new):
                _keep_beside(old)
                with replacing(old, private=True) as fresh:
                    shutil.copyfile(new.path, fresh)
        for result in list(self.batch.handed_in()):  # the stage may contain pages of a run that nobody confirmed
            page = self.batch.page(result)
            place = self.out / PAGES / page.relative_to(self.batch.out / PAGES)
            if result.status == "graded" and page.is_file():
                place.parent.mkdir(parents=True, exist_ok=True)
                page.replace(place)
        with Ledger(self.out / LEDGER, self.batch.keys) as ledger:
            ledger.absorb(self.batch.out / LEDGER)
        locks = [Lock(path, new.key) for path, new in self.renewed.items()]
        batch = grade(
            self.paths, self.out, locks=locks, practice=self.practice, settings=self.settings, decisions=self.decisions
        )
        reports.write_tables(batch)
        self.discard()
        return batch

    def discard(self) -> None:
        """Delete the stage, and leave everything unchanged."""
        shutil.rmtree(self.batch.out, ignore_errors=True)


def regrade(
    paths: Sequence[Path],
    out: Path,
    bank: Catalogue,
    *,
    locks: Locks | Sequence[Path | Lock] = (),
    key: bytes | None = None,
    settings: Settings | None = None,
    decisions: Decisions | None = None,
    workers: int = 1,
    executor: Opener | None = None,
    progress: Progress | None = None,
) -> Regrade:
    """Grade everything again with the current bank. Writes only its stage, a folder inside `out`.

    The pages keep their kind, with or without solutions. Raises ShardwiseError if the key belongs to no lock file, or if the
    grader fails on a notebook, because its grade would be lost.
    """
    near = locks_near(paths, locks, key)
    if key and near.unused and not near.known:
        raise ShardwiseError(near.unused[0])
    stage = out / _STAGE
    stage.mkdir(parents=True, exist_ok=True)
    kept: Counter[str] = Counter()
    renewed = {lock.path: _renew(lock, bank, stage / lock.path.name, kept) for lock in near.known.values()}
    with Ledger(out / LEDGER, [lock.key for lock in renewed.values()]) as ledger:
        settings = replace(settings or Settings(), solutions=WITH_SOLUTIONS in ledger.kinds_of_pages())
    practice = partial(pose_chapter, bank)
    decisions = decisions or Decisions()
    batch = grade(paths, stage, locks=list(renewed.values()), practice=practice, settings=settings, decisions=decisions,
                  counted=out / LEDGER, workers=workers, executor=executor, progress=progress)  # fmt: skip
    if batch.failed:
        shutil.rmtree(stage, ignore_errors=True)
        raise ShardwiseError(
            f"{len(batch.failed)} notebook{'s' * (len(batch.failed) != 1)} could not be graded again, so nothing was written. "
            f"{batch.failed[0]}"
        )
    for student, count in batch.gone.items():
        kept[f"{student}: the notebook that counts is missing; put it back to grade it again"] += count
    return Regrade(batch, out, paths, renewed, practice, settings, decisions, kept)


def _renew(lock: Lock, bank: Catalogue, to: Path, kept: Counter[str]) -> Lock:
    """Return a lock file with current keys and texts for each question that still looks the same to students.

    Every question is posed again, because a reference may have changed even if the template has not.
    """
    with writing(to, lock.key) as lines:
        lines.add(lock.header)
        for student in lock.students():
            line = json.loads(lock.line(student))
            lines.add({**line, "questions": [_renewed(question, bank, kept) for question in line["questions"]]})
    return Lock(to, lock.key)


def _renewed(old: dict[str, Any], bank: Catalogue, kept: Counter[str]) -> dict[str, Any]:
    """Return the current version of a question, or the old one if the current one would ask something else."""
    problem = bank.problems.get(old["id"])
    if problem is None:
        kept[f"{old['id']} is not in these banks (use the --bank that the set was assigned with)"] += 1
        return old
    try:
        new = pose(problem, old["seed"], attempt=old["rejected"])
    except ShardwiseError as error:
        cause = error.__cause__ or error
        why = str(cause) if isinstance(cause, (ShardwiseError, Reject)) else said_by(cause)
        what = "has a fault" if isinstance(cause, Faulty) else "rejects the numbers that were drawn"
        kept[f"{old['id']}: the current template {what} ({why})"] += 1
        return old
    as_handed_out: dict[str, Any] = {"handle": old["handle"], "points": old["points"]}  # as in the notebook
    dumped: dict[str, Any] = json.loads(new.model_copy(update=as_handed_out).model_dump_json())
    for is_another, what in (
        (dumped["params"] != old["params"], "draws different numbers"),
        (_asking(dumped["form"]) != _asking(old["form"]), "asks for a different form of answer"),
        ("".join(dumped["prompt"].split()) != "".join(old["prompt"].split()), "has a different text"),
    ):
        if is_another:
            kept[f"{old['id']} now {what} than in the assigned notebooks"] += 1
            return old
    return dumped


def _asking(form: Any) -> Any:
    """Return a form, or part of it, without the fields that only affect how answers are read."""
    if isinstance(form, dict):
        aids = frozenset[str]().union(*(kind.Form.aids for kind in kinds().values()))
        return {
            name: str(value).partition(" {")[0]
            if name == "unit"
            else _asking(value)  # without the other units that are read
            for name, value in form.items()
            if name not in aids
        }
    return [_asking(value) for value in form] if isinstance(form, list) else form


def differences(before: Grading | None, after: Grading) -> Iterator[Change]:
    """Yield the changes between two gradings of the same student and set."""
    old = {answer.feedback.question: answer.points for answer in before.result.answers} if before else {}
    for answer in after.result.answers:
        name = answer.feedback.question
        if name not in old or old[name] != answer.points:
            cause = cause_of(before, after, name)
            yield Change(after.result.student, after.result.set, name, old.get(name), answer.points, cause)
    if before is not None and _beyond_questions(before.result) != _beyond_questions(after.result):
        points = before.result.points, after.result.points
        yield Change(after.result.student, after.result.set, "", *points, cause_of(before, after, ""))


def _beyond_questions(result: Result) -> float:
    """Return the points that were deducted for lateness or added by an instructor, beyond those of the questions."""
    return round((result.points or 0.0) - sum(answer.points or 0.0 for answer in result.answers), 2)


def cause_of(before: Grading | None, after: Grading, question: str | None = None) -> str:
    """Return why a grading differs from the previous one; the student's actions come first.

    With a question, return the cause for it; with an empty one, the cause for what the points of the questions do not explain.
    """
    if before is None:
        return "graded for the first time"
    if before.notebook != after.notebook:
        return "handed in again"
    causes = list(_decided(before.result, after.result, question))
    if causes and question is not None:
        return causes[0]
    templates = [
        f"{now.feedback.question} {was.digest} → {now.digest}"
        for was, now in zip(before.result.answers, after.result.answers, strict=False)
        if was.digest != now.digest and question in (None, now.feedback.question)
    ]
    if templates:
        causes.append(f"template{'s' if len(templates) > 1 else ''} {', '.join(templates)}")
    points = [
        f"{now.feedback.question} {was.feedback.max_points:g} → {now.feedback.max_points:g}"
        for was, now in zip(before.result.answers, after.result.answers, strict=False)
        if was.feedback.max_points != now.feedback.max_points
        and was.decided == now.decided  # a dropped question has no points either
        and question in (None, now.feedback.question)
    ]
    if points:
        causes.append(f"points of the set: {', '.join(points)}")
    if not question and before.result.late != after.result.late:
        causes.append("now late" if after.result.late else "no longer late")
    if causes:
        return "; ".join(causes)
    if not question and _beyond_questions(before.result) != _beyond_questions(after.result):
        return "override of the notebook, another late rule, or another maximum"
    if before.engine != after.engine:
        return f"engine {before.engine} → {after.engine}"
    if before.questions != after.questions:
        return "references of the bank" if _same_draws(before, after) else "questions or keys of the lock file"
    if before.result.notes != after.result.notes:
        return "notes on the submission"
    if before.result.tier != after.result.tier:
        return f"sandbox {before.result.tier} → {after.result.tier}"
    return "an override, the title or due date of the set, or limits for students' code"


def _decided(before: Result, after: Result, question: str | None) -> Iterator[str]:
    """Yield the overrides that changed between two results, or the one that explains why a question's points changed.

    A note or a decision that only adds points is not the cause of a loss, which a template can bring in the same run.
    """
    for was, now in zip(before.answers, after.answers, strict=False):
        if was.decided == now.decided or question not in (None, now.feedback.question):
            continue
        ignored = () if question is None else _WITHOUT_POINTS
        added, withdrawn = _only_in(now, was, ignored), _only_in(was, now, ignored)
        is_loss = question is not None and (now.points or 0.0) < (was.points or 0.0)
        if is_loss and not withdrawn and not any(each.startswith(_TAKING_POINTS) for each in added):
            continue
        if added:
            yield f"override of {now.slug}: {now.decided}"
        elif withdrawn:
            yield f"override of {now.slug} withdrawn"


def _only_in(one: Answer, other: Answer, ignored: tuple[str, ...]) -> list[str]:
    """Return the decisions about an answer that another version of it lacks."""
    there = other.decided.split("; ")
    return [each for each in one.decided.split("; ") if each and each not in there and not each.startswith(ignored)]


_WITHOUT_POINTS = ("note: ",)
_TAKING_POINTS = ("points ", "dropped: ")


def _same_draws(before: Grading, after: Grading) -> bool:
    """Return whether two gradings are of the same draws; with the same templates, only references can change their keys."""
    was, now = (
        [(answer.feedback.question, answer.draw) for answer in grading.result.answers] for grading in (before, after)
    )
    return was == now


def _is_changed(old: Path, new: Lock) -> bool:
    return not cmp(new.path, old, shallow=False)


def _keep_beside(lock: Path) -> None:
    """Copy the previous lock file to NAME.1.old, or the next free number, so that its draws are kept.

    If an interrupted run has already made this copy, make no second one.
    """
    number = 1
    while (spare := lock.with_name(f"{lock.name}.{number}.old")).exists():
        if cmp(spare, lock, shallow=False):
            return
        number += 1
    with replacing(spare, private=True) as fresh:
        shutil.copy2(lock, fresh)
