"""Results of submissions, and their JSON: workers create them, the ledger saves them, and reports show them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal, get_args

from shardwise import __version__
from shardwise.errors import ShardwiseError
from shardwise.question import Feedback, Outcome, Question
from shardwise.text_files import lines_of

Status = Literal["graded", "ungraded", "missing", "excused"]


@dataclass(frozen=True)
class Answer:
    """A question of a submission with the feedback on its answer, without its key and texts."""

    title: str
    kind: str
    draw: str  # a digest of the seed, because seed and bank would reveal the key
    digest: str  # digest of the template
    feedback: Feedback
    decided: str = ""  # what an instructor decided about it, and why

    @property
    def slug(self) -> str:
        """The question's name in tables."""
        return self.feedback.question.rpartition("/")[2]

    @property
    def points(self) -> float | None:
        """The points earned; None if the grader failed, which is never a zero."""
        return None if self.feedback.outcome == Outcome.BROKEN else self.feedback.points


@dataclass(frozen=True)
class Result:
    """The result of one submission.

    Its answers remain JSON text until they are used, because tables need only the points.
    """

    student: str
    set: str = ""  # or the chapter of a practice notebook
    name: str = ""
    status: Status = "graded"
    reason: str = ""  # why it was not graded
    points: float | None = None  # None while anything is ungraded, which is never a zero
    max_points: float = 0
    late: bool = False
    notes: tuple[str, ...] = ()
    tier: str = ""  # the sandbox tier
    version: str = __version__
    scores: Mapping[str, float | None] = field(default_factory=dict)  # points by question
    answers_json: str = "[]"
    path: str = ""  # of the notebook
    received: str = ""  # when, as ISO 8601 with an offset; empty if unknown
    received_by: str = ""  # the source of that time: file, archive, table, git or gradescope
    section: str = ""  # of the course
    due: str = ""  # the student's own due date, as ISO 8601 with an offset; empty if there is none
    is_composed: bool = field(default=False, compare=False)  # whether its page is not the one of its notebook
    seconds: float = field(default=0.0, compare=False)  # time that its worker took

    @property
    def complete(self) -> bool:
        """Whether every question has points."""
        return self.status == "graded" and self.points is not None

    @cached_property
    def answers(self) -> tuple[Answer, ...]:
        """The answers, in the order of the questions. Raises ShardwiseError if their JSON is damaged."""
        try:
            return tuple(
                Answer(
                    data["title"], data["kind"], data["draw"], data["digest"],
                    Feedback.model_validate(data), data.get("decided", ""),
                )
                for data in json.loads(self.answers_json)
            )  # fmt: skip
        except (ValueError, TypeError, KeyError, RecursionError):
            raise ShardwiseError(
                f"The ledger is damaged: the feedback to {self.student} for {self.set} cannot be read. "
                "Restore it from a copy, or move it away to grade again."
            ) from None

    @property
    def feedback(self) -> tuple[Feedback, ...]:
        """The feedback on each answer, in the order of the questions."""
        return tuple(answer.feedback for answer in self.answers)


def marked(
    result: Result,
    questions: Sequence[Question],
    feedback: Sequence[Feedback],
    decided: Mapping[str, str] | None = None,
) -> Result:
    """Return a result with its answers and the points that they earn; `decided` are an instructor's decisions by slug."""
    answers = [
        Answer(
            question.title,
            question.kind,
            _draw(question.seed),
            question.digest,
            said,
            (decided or {}).get(question.slug, ""),
        )
        for question, said in zip(questions, feedback, strict=True)
    ]
    complete = all(answer.points is not None for answer in answers)
    return replace(
        result,
        points=round(sum(said.points for said in feedback), 4) if complete else None,
        max_points=round(sum(said.max_points for said in feedback), 4),
        scores={answer.slug: answer.points for answer in answers},
        answers_json=json.dumps([_document(answer) for answer in answers], ensure_ascii=False),
    )


def _draw(seed: str) -> str:
    return hashlib.sha256(seed.encode()).hexdigest()[:16]


def _document(answer: Answer) -> dict[str, object]:
    about = {"title": answer.title, "kind": answer.kind, "draw": answer.draw, "digest": answer.digest}
    return {
        **answer.feedback.model_dump(mode="json"),
        **about,
        **({"decided": answer.decided} if answer.decided else {}),
    }


def to_json(result: Result) -> str:
    """Return a result as JSON without keys, so that it can be shared; the answers come last, as their original text."""
    names = ("path", "student", "name", "set", "status", "reason", "points", "max_points", "late", "received", "received_by", "section", "due", "notes", "tier", "version")  # fmt: skip
    head = json.dumps({name: getattr(result, name) for name in names}, ensure_ascii=False)
    return f'{head.removesuffix("}")}, "questions": {result.answers_json}}}'


RESULTS = "results.jsonl"
_LONGEST_LINE = 50_000_000  # bytes; a submission's line has about 20,000


def read_results(folder: Path) -> list[Result]:
    """Read the results that the last run wrote into a folder, as they count: one per notebook and student.

    Raises ShardwiseError if there are none or if the file is damaged.
    """
    path = folder / RESULTS
    try:
        with path.open("rb") as file:
            return [_from_json(line) for line in lines_of(file, _LONGEST_LINE)]
    except OSError as error:
        raise ShardwiseError(
            f"{path} cannot be read: {error.strerror}. Grade first:  shardwise grade ... --out {folder}"
        ) from None
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        raise ShardwiseError(f"{path} is damaged. Run the same `shardwise grade` again to write it anew.") from None


def _from_json(line: bytes) -> Result:
    """Return a result from a line that `to_json` wrote."""
    data = json.loads(line, parse_constant=_no_number)
    answers = data.pop("questions")
    if data["status"] not in get_args(Status):
        raise ValueError("unknown status")
    scores = {
        each["question"].rpartition("/")[2]: None if each["outcome"] == Outcome.BROKEN else each["points"]
        for each in answers
    }
    answers_json = json.dumps(answers, ensure_ascii=False)
    return Result(**{**data, "notes": tuple(data["notes"])}, scores=scores, answers_json=answers_json)


def _no_number(constant: str) -> float:
    raise ValueError(f"{constant} is not a number of points")
