"""Grading again after a template, a tolerance or the program was mended: what would change, and why, before it is written."""

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
from shardwise.errors import Reject, ShardwiseError, said_by
from shardwise.grading import reports
from shardwise.grading.batch import WITH_SOLUTIONS, Progress, grade
from shardwise.grading.consequences import OtherStanding
from shardwise.grading.intake import Decisions, Practice, locks_near
from shardwise.grading.outcome import PAGES, Batch
from shardwise.grading.record.ledger import LEDGER, Ledger, lies
from shardwise.grading.record.ledger_tables import Grading
from shardwise.grading.running.executors import Opener
from shardwise.grading.worker import Settings
from shardwise.kinds import kinds

_STAGE = ".regrade"


@dataclass(frozen=True)
class Change:
    """A question whose points would change, and why."""

    student: str
    set: str
    question: str
    before: float | None
    after: float | None
    cause: str


@dataclass(frozen=True)
class Regrade:
    """A batch graded again beside the one that counts, and not written yet."""

    batch: Batch  # on the stage
    out: Path
    paths: Sequence[Path]
    renewed: Mapping[Path, Lock]  # lock files, and what they would become
    practice: Practice
    settings: Settings
    decisions: Decisions
    kept: Counter[str] = field(default_factory=Counter)  # questions that stay as they were, by reason

    def changes(self) -> Iterator[Change]:
        """Every question whose points would change, read as it goes."""
        with (
            Ledger(self.out / LEDGER, self.batch.keys) as now,
            Ledger(self.batch.out / LEDGER, self.batch.keys) as then,
        ):
            for result in then.results(latest=True):
                after = then.counts(result.set, result.student) if result.status == "graded" else None
                if after is not None:
                    yield from differences(now.counts(result.set, result.student), after)

    def other_standings(self) -> Iterator[OtherStanding]:
        """The students whose points stay the same and whose standing does not.

        They would lose a grade or get one back, or be late where they were in time, or the other way round. `changes` compares
        points, and so does not list them.
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
                        result.student, result.set, "graded again", "a grade counted once, and none does now"
                    )
            for before in graded.values():
                after = found.get((before.set, before.student))
                if after is None and not lies(Path(before.path)):
                    yield OtherStanding(before.student, before.set, "missing", f"{before.path} is there no more")
                elif after is not None and after.status != "graded":
                    yield OtherStanding(before.student, before.set, "ungraded", after.reason)
                elif after is not None and after.late != before.late:
                    would_be = "late" if after.late else "in time"
                    why = "by when this run takes its notebook to have been received"
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
        """Let it count: locks, pages and gradings take their places. What counted before stays in the ledger."""
        for old, new in self.renewed.items():
            if _is_changed(old, new):
                _keep_beside(old)
                with replacing(old, private=True) as fresh:
                    shutil.copyfile(new.path, fresh)
        for result in list(self.batch.handed_in()):  # the stage may hold pages of a run that nobody agreed to
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
        """Leave everything as it was."""
        shutil.rmtree(self.batch.out, ignore_errors=True)


def regrade(
    paths: Sequence[Path],
    out: Path,
    bank: Catalogue,
    *,
    locks: Sequence[Path] = (),
    key: bytes | None = None,
    settings: Settings | None = None,
    decisions: Decisions | None = None,
    workers: int = 1,
    executor: Opener | None = None,
    progress: Progress | None = None,
) -> Regrade:
    """Grade everything again by what the bank says now. Writes nothing but its stage, a folder inside `out`.

    The pages stay of the kind that they are, with solutions or without. Raises ShardwiseError where our side fails at a
    notebook: what counts would be replaced by nothing.
    """
    stage = out / _STAGE
    stage.mkdir(parents=True, exist_ok=True)
    kept: Counter[str] = Counter()
    renewed = {
        lock.path: _renew(lock, bank, stage / lock.path.name, kept)
        for lock in locks_near(paths, locks, key).known.values()
    }
    with Ledger(out / LEDGER, [lock.key for lock in renewed.values()]) as ledger:
        settings = replace(settings or Settings(), solutions=WITH_SOLUTIONS in ledger.kinds_of_pages())
    practice = partial(pose_chapter, bank)
    decisions = decisions or Decisions()
    batch = grade(paths, stage, locks=list(renewed.values()), practice=practice, settings=settings, decisions=decisions,
                  counted=out / LEDGER, workers=workers, executor=executor, progress=progress)  # fmt: skip
    if batch.failed:
        shutil.rmtree(stage, ignore_errors=True)
        raise ShardwiseError(
            f"{len(batch.failed)} notebook{'s' * (len(batch.failed) != 1)} could not be graded again, and nothing was written. "
            f"{batch.failed[0]}"
        )
    for student, count in batch.gone.items():
        kept[f"{student}: the notebook that counts is no longer there; put it back to grade it again"] += count
    return Regrade(batch, out, paths, renewed, practice, settings, decisions, kept)


def _renew(lock: Lock, bank: Catalogue, to: Path, kept: Counter[str]) -> Lock:
    """A lock file with the keys and texts of today's banks, wherever students would still see the same question.

    Every question is posed anew, since a reference may have changed under a template that has not.
    """
    with writing(to, lock.key) as lines:
        lines.add(lock.header)
        for student in lock.students():
            line = json.loads(lock.line(student))
            lines.add({**line, "questions": [_renewed(question, bank, kept) for question in line["questions"]]})
    return Lock(to, lock.key)


def _renewed(old: dict[str, Any], bank: Catalogue, kept: Counter[str]) -> dict[str, Any]:
    """A question of today, or the old one where today's would ask something else."""
    problem = bank.problems.get(old["id"])
    if problem is None:
        kept[f"{old['id']} is in none of the banks that are read (give the --bank that the set was assigned with)"] += 1
        return old
    try:
        new = pose(problem, old["seed"], attempt=old["rejected"])
    except ShardwiseError as error:
        cause = error.__cause__ or error
        why = str(cause) if isinstance(cause, (ShardwiseError, Reject)) else said_by(cause)
        kept[f"{old['id']}: today's template does not take the numbers that were drawn ({why})"] += 1
        return old
    as_handed_out: dict[str, Any] = {"handle": old["handle"], "points": old["points"]}  # what the notebook says
    dumped: dict[str, Any] = json.loads(new.model_copy(update=as_handed_out).model_dump_json())
    for is_another, what in (
        (dumped["params"] != old["params"], "draws other numbers"),
        (_asking(dumped["form"]) != _asking(old["form"]), "asks for an answer of another form"),
        ("".join(dumped["prompt"].split()) != "".join(old["prompt"].split()), "reads otherwise"),
    ):
        if is_another:
            kept[f"{old['id']} now {what} than in the notebooks that were handed out"] += 1
            return old
    return dumped


def _asking(form: Any) -> Any:
    """Return a form, or a part of it, without the fields that only affect how answers are read."""
    if isinstance(form, dict):
        aids = frozenset[str]().union(*(kind.Form.aids for kind in kinds().values()))
        return {name: _asking(value) for name, value in form.items() if name not in aids}
    return [_asking(value) for value in form] if isinstance(form, list) else form


def differences(before: Grading | None, after: Grading) -> Iterator[Change]:
    """What a later grading of the same student and set changed."""
    old = {answer.feedback.question: answer.points for answer in before.result.answers} if before else {}
    for answer in after.result.answers:
        name = answer.feedback.question
        if name not in old or old[name] != answer.points:
            cause = cause_of(before, after, name)
            yield Change(after.result.student, after.result.set, name, old.get(name), answer.points, cause)


def cause_of(before: Grading | None, after: Grading, question: str | None = None) -> str:
    """Why a grading differs from the one before it, for one question or as a whole; the student's doing comes first."""
    if before is None:
        return "graded for the first time"
    if before.notebook != after.notebook:
        return "handed in again"
    templates = [
        f"{now.feedback.question} {was.digest} → {now.digest}"
        for was, now in zip(before.result.answers, after.result.answers, strict=False)
        if was.digest != now.digest and question in (None, now.feedback.question)
    ]
    if templates:
        return f"template{'s' if len(templates) > 1 else ''} {', '.join(templates)}"
    points = [
        f"{now.feedback.question} {was.feedback.max_points:g} → {now.feedback.max_points:g}"
        for was, now in zip(before.result.answers, after.result.answers, strict=False)
        if was.feedback.max_points != now.feedback.max_points and question in (None, now.feedback.question)
    ]
    if points:
        return f"points of the set: {', '.join(points)}"
    if before.engine != after.engine:
        return f"engine {before.engine} → {after.engine}"
    if before.questions != after.questions:
        return "references of the bank" if _same_draws(before, after) else "questions or keys of the lock file"
    if before.result.late != after.result.late:
        return "now late" if after.result.late else "no longer late"
    if before.result.notes != after.result.notes:
        return "notes on how it was handed in"
    if before.result.tier != after.result.tier:
        return f"sandbox {before.result.tier} → {after.result.tier}"
    return "title or due date of the set, or limits for students' code"


def _same_draws(before: Grading, after: Grading) -> bool:
    """Whether two gradings are about the same draws: by the same templates, only references can give them other keys."""
    was, now = (
        [(answer.feedback.question, answer.draw) for answer in grading.result.answers] for grading in (before, after)
    )
    return was == now


def _is_changed(old: Path, new: Lock) -> bool:
    return not cmp(new.path, old, shallow=False)


def _keep_beside(lock: Path) -> None:
    """Copy the lock file that counted until now to a file beside it, NAME.1.old or the next number, so that its draws are kept.

    A run that was interrupted may have made this copy already. Then no second one is made.
    """
    number = 1
    while (spare := lock.with_name(f"{lock.name}.{number}.old")).exists():
        if cmp(spare, lock, shallow=False):
            return
        number += 1
    with replacing(spare, private=True) as fresh:
        shutil.copy2(lock, fresh)
