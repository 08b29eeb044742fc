"""Reports of a batch: CSV tables, JSON lines, JUnit XML for CI and Gradescope's file, streamed from the ledger."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from junitparser import Error, Failure, JUnitXml, TestCase, TestSuite

from shardwise import __version__
from shardwise.atomic_files import patiently, replacing
from shardwise.grading.outcome import Batch
from shardwise.grading.results import RESULTS, Answer, Result, to_json
from shardwise.markdown.escaping import spreadsheet_cell
from shardwise.markdown.feedback import as_markdown, as_plain
from shardwise.markdown.plain import to_plain
from shardwise.question import Outcome


def write_tables(batch: Batch) -> None:
    """Write grades.csv, unreadable.csv and results.jsonl. The pages have been written as each notebook was graded."""
    patiently(lambda: _write(batch), batch.out)


def _write(batch: Batch) -> None:
    questions, solutions = batch.questions(), batch.has_solutions()
    with (
        replacing(batch.out / "grades.csv", private=True) as grades,
        replacing(batch.out / "unreadable.csv", private=True) as unread,
        replacing(batch.out / RESULTS, private=True) as documents,
        unread.open("w", encoding="utf-8", newline="") as unread_answers,
        grades.open("w", encoding="utf-8", newline="") as table,
        documents.open("w", encoding="utf-8", newline="\n") as lines,
    ):
        rows = csv.writer(table, quoting=csv.QUOTE_ALL)
        rows.writerow(_HEAD[:-2] + questions + _HEAD[-2:])
        to_look_at = csv.writer(unread_answers, quoting=csv.QUOTE_ALL)
        to_look_at.writerow(_UNREADABLE_HEAD)
        for result in batch.results():
            rows.writerow([spreadsheet_cell(value) for value in _grades(result, questions)])
            to_look_at.writerows([spreadsheet_cell(value) for value in row] for row in _unreadable(result))
            lines.write(to_json(result) + "\n")
            if result.is_composed:
                batch.write_page(result, solutions=solutions)
            elif result.status in ("ungraded", "missing"):  # the page of an earlier run, or of one of several notebooks
                with suppress(OSError):  # the path may be something other than a page
                    batch.page(result).unlink(missing_ok=True)


_HEAD = [
    "student",
    "name",
    "section",
    "set",
    "status",
    "points",
    "max_points",
    "late",
    "received",
    "received_by",
    "reason",
    "notebook",
]


def _grades(result: Result, questions: Iterable[str]) -> list[str]:
    most = result.max_points or None  # empty if its questions are unknown
    return [result.student, result.name, result.section, result.set, result.status, _number(result.points), _number(most),
            "yes" if result.late else "", result.received, result.received_by, *(_number(result.scores.get(name)) for name in questions),
            result.reason, result.path]  # fmt: skip


_UNREADABLE_HEAD = ["student", "name", "set", "question", "written", "why", "notebook"]


def _unreadable(result: Result) -> Iterator[list[str]]:
    """Yield the answers and parts that could not be read, with the reason, for a person to review."""
    for answer in result.answers:
        if answer.feedback.outcome == Outcome.UNREADABLE or answer.feedback.unread:
            why = answer.feedback.unread or to_plain(answer.feedback.say).partition("\n")[0]
            yield [result.student, result.name, result.set, answer.slug, answer.feedback.written, why, result.path]


def _number(points: float | None) -> str:
    return "" if points is None else f"{points:g}"


def write_junit(results: Iterable[Result], path: Path) -> None:
    """Write JUnit XML: a suite per submission and a case per question; anything ungraded is an error, not a failure."""
    xml = JUnitXml("shardwise")
    for result in results:
        suite = TestSuite(f"{result.set}.{result.student}" if result.set else result.student)
        if result.status != "graded":
            case = TestCase(result.path or result.student, classname=result.set or "shardwise", time=0)
            case.result = [Error(_xml_text(result.reason), result.status)]
            suite.add_testcase(case)
        for answer in result.answers:
            feedback = answer.feedback
            case = TestCase(answer.slug, classname=f"{result.set}.{result.student}", time=0)
            if feedback.outcome == Outcome.BROKEN:
                case.result = [Error(_xml_text(as_plain(feedback, final=True)), "broken")]
            elif feedback.outcome != Outcome.CORRECT:
                case.result = [Failure(_xml_text(as_plain(feedback, final=True)), str(feedback.outcome))]
            suite.add_testcase(case)
        xml.add_testsuite(suite)
    xml.update_statistics()
    xml._elem.attrib.pop("skipped", None)  # Jenkins' schema does not allow this attribute on <testsuites>: junit-10.xsd
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path, private=True) as fresh:  # it contains students' names and mistakes
        xml.write(str(fresh), pretty=True)


def _xml_text(text: str) -> str:
    """Return a text without the control characters that XML 1.0 does not allow."""
    return re.sub(r"[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", " ", text)


VISIBILITIES = ("visible", "hidden", "after_due_date", "after_published")  # autograder_samples, docs/specs.md
_NO_ZERO = (
    "Nothing was graded. The score of 0 appears only because Gradescope requires a number. "
    "Your instructor sees the reason here and will grade your notebook again."
)


def gradescope(result: Result, visibility: str = "visible") -> dict[str, Any]:
    """Return a result in the format of Gradescope's results.json.

    Gradescope requires a score at the top level or for every test (docs/specs.md of autograder_samples): without one, it only
    shows that the autograder failed. So an ungraded notebook gets one failed test with the reason, and a score of 0 with an
    explanation.
    """
    about = {
        "version": __version__,
        "tier": result.tier,
        "set": result.set,
        "student": result.student,
        "status": result.status,
    }
    top = {"output_format": "text", "test_output_format": "md", "visibility": visibility, "extra_data": about}
    if result.status == "excused":
        return {**top, "score": 0, "output": "\n\n".join(result.notes), "visibility": "visible", "tests": []}
    if result.status != "graded":
        why = {
            "name": "Not graded", "score": 0, "max_score": result.max_points, "status": "failed",
            "output": f"{result.reason}\n\n{_NO_ZERO}", "output_format": "text", "visibility": "visible",
        }  # fmt: skip
        return {
            **top,
            "score": 0,
            "output": f"Not graded: {result.reason}\n\n{_NO_ZERO}",
            "visibility": "visible",
            "tests": [why],
        }
    ours = [answer.title for answer in result.answers if answer.points is None]
    notes = [
        *result.notes,
        *([f"Not graded because of an error in the grader, not in your answer: {', '.join(ours)}."] if ours else []),
    ]
    tests = [_gradescope_test(number, answer, visibility) for number, answer in enumerate(result.answers, start=1)]
    return {
        **top,
        "score": round(sum(test["score"] for test in tests), 4) if result.points is None else result.points,
        "output": "\n\n".join(notes),
        "tests": tests,
    }


def _gradescope_test(number: int, answer: Answer, visibility: str) -> dict[str, Any]:
    return {
        "name": answer.title,
        "number": str(number),
        "score": answer.points or 0,
        "max_score": answer.feedback.max_points,
        "status": "passed" if answer.feedback.outcome == Outcome.CORRECT else "failed",
        "output": as_markdown(answer.feedback, final=True),
        "output_format": "md",
        "tags": [answer.kind],
        "visibility": visibility,
    }
