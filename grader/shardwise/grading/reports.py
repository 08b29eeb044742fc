"""Reports of a batch: a table, JSON lines, JUnit for CI and Gradescope's file; written as they are read from the ledger."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from shardwise import __version__
from shardwise.atomic_files import patiently, replacing
from shardwise.grading.batch import Batch
from shardwise.grading.results import Result, to_json
from shardwise.markdown.feedback import as_markdown, as_plain
from shardwise.question import Outcome


def write_tables(batch: Batch) -> None:
    """Write grades.csv and results.jsonl. The pages were written one by one, as each notebook was graded."""
    patiently(lambda: _write(batch), batch.out)


def _write(batch: Batch) -> None:
    questions = batch.questions()
    with (
        replacing(batch.out / "grades.csv") as grades,
        replacing(batch.out / "results.jsonl") as documents,
        grades.open("w", encoding="utf-8", newline="") as table,
        documents.open("w", encoding="utf-8", newline="\n") as lines,
    ):
        rows = csv.writer(table)
        rows.writerow(_HEAD[:7] + questions + _HEAD[7:])
        for result in batch.results():
            rows.writerow([_cell(value) for value in _grades(result, questions)])
            lines.write(to_json(result) + "\n")
            if result.status != "graded":  # a page of an earlier run, or of a notebook that turned out to be one of two
                batch.page(result).unlink(missing_ok=True)


_HEAD = ["student", "name", "set", "status", "points", "max_points", "late", "reason", "notebook"]


def _grades(result: Result, questions: Iterable[str]) -> list[str]:
    most = result.max_points if result.status == "graded" else None
    return [result.student, result.name, result.set, result.status, _number(result.points), _number(most),
            "yes" if result.late else "", *(_number(result.scores.get(name)) for name in questions),
            result.reason, result.path]  # fmt: skip


def _number(points: float | None) -> str:
    return "" if points is None else f"{points:g}"


def _cell(value: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{value}" if value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def write_junit(results: Iterable[Result], path: Path) -> None:
    """JUnit XML: a suite a submission, a case a question; what could not be graded is an error, not a failure."""
    from junitparser import Error, Failure, JUnitXml, TestCase, TestSuite

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
                case.result = [Error(_xml_text(as_plain(feedback)), "broken")]
            elif feedback.outcome != Outcome.CORRECT:
                case.result = [Failure(_xml_text(as_plain(feedback)), str(feedback.outcome))]
            suite.add_testcase(case)
        xml.add_testsuite(suite)
    xml.update_statistics()
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as fresh:
        xml.write(str(fresh), pretty=True)


def _xml_text(text: str) -> str:
    """Text without the control characters that XML 1.0 cannot hold."""
    return re.sub(r"[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", " ", text)


def gradescope(result: Result) -> dict[str, Any]:
    """One result in the form that Gradescope reads from results.json."""
    if result.status != "graded":
        return {"output": f"Not graded: {result.reason}", "output_format": "text", "tests": []}
    return {
        "output": "\n\n".join(result.notes),
        "output_format": "text",
        "test_output_format": "md",
        "visibility": "visible",
        "extra_data": {"version": __version__, "tier": result.tier, "set": result.set, "student": result.student},
        "tests": [
            {
                "name": answer.title,
                "number": str(number),
                "score": answer.feedback.points,
                "max_score": answer.feedback.max_points,
                "status": "passed" if answer.feedback.outcome == Outcome.CORRECT else "failed",
                "output": as_markdown(answer.feedback),
                "output_format": "md",
                "tags": [answer.kind],
                "visibility": "visible",
            }
            for number, answer in enumerate(result.answers, start=1)
        ],
    }
