"""Reports of a batch: a table, JSON lines, JUnit for CI and Gradescope's file; written as they are read from the ledger."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from shardwise import __version__
from shardwise.atomic_files import patiently, replacing
from shardwise.grading.batch import Batch
from shardwise.grading.results import Graded, Row
from shardwise.markdown.feedback import as_markdown, as_plain
from shardwise.question import Outcome


def write(batch: Batch) -> None:
    """Write grades.csv and results.jsonl. The pages were written one by one, as each notebook was graded."""
    patiently(lambda: _write(batch), batch.out)


def _write(batch: Batch) -> None:
    questions = batch.questions()
    with (
        replacing(batch.out / "grades.csv") as grades,
        replacing(batch.out / "results.jsonl") as results,
        grades.open("w", encoding="utf-8", newline="") as table,
        results.open("w", encoding="utf-8", newline="\n") as lines,
    ):
        rows = csv.writer(table)
        rows.writerow(_HEAD[:7] + questions + _HEAD[7:])
        for one in batch.rows():
            rows.writerow([_cell(value) for value in _grades(one, questions)])
            lines.write(_line(one) + "\n")
            if one.status != "graded":  # a page of an earlier run, or of a notebook that turned out to be one of two
                batch.page(one).unlink(missing_ok=True)


_HEAD = ["student", "name", "set", "status", "points", "max_points", "late", "reason", "notebook"]


def _grades(one: Row, questions: Iterable[str]) -> list[str]:
    scores = one.scores or {}
    return [one.student, one.name, one.set, one.status, _number(one.points), _number(one.max_points),
            "yes" if one.late else "", *(_number(scores.get(name)) for name in questions), one.reason, one.path]  # fmt: skip


def _number(points: float | None) -> str:
    return "" if points is None else f"{points:g}"


def _line(one: Row) -> str:
    """A result as JSON; the path takes its place in what the ledger keeps."""
    if one.status != "graded":
        return json.dumps(one.graded.document(), ensure_ascii=False)
    return f'{{"path": {json.dumps(one.path, ensure_ascii=False)}{one.document[len(_NO_PATH) :]}'


_NO_PATH = '{"path": ""'


def _cell(value: str) -> str:
    """A cell that no spreadsheet takes for a formula."""
    return f"'{value}" if value[:1] in ("=", "+", "-", "@", "\t", "\r") else value


def write_junit(results: Iterable[Graded], path: Path) -> None:
    """JUnit XML: a suite a submission, a case a question; what could not be graded is an error, not a failure."""
    from junitparser import Error, Failure, JUnitXml, TestCase, TestSuite

    xml = JUnitXml("shardwise")
    for one in results:
        suite = TestSuite(f"{one.set}.{one.student}" if one.set else one.student)
        if one.status != "graded":
            case = TestCase(one.path or one.student, classname=one.set or "shardwise", time=0)
            case.result = [Error(_xml_text(one.reason), one.status)]
            suite.add_testcase(case)
        for answer in one.answers:
            feedback = answer.feedback
            case = TestCase(answer.slug, classname=f"{one.set}.{one.student}", time=0)
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


def gradescope(one: Graded) -> dict[str, Any]:
    """One result in the form that Gradescope reads from results.json."""
    if one.status != "graded":
        return {"output": f"Not graded: {one.reason}", "output_format": "text", "tests": []}
    return {
        "output": "\n\n".join(one.notes),
        "output_format": "text",
        "test_output_format": "md",
        "visibility": "visible",
        "extra_data": {"version": __version__, "tier": one.tier, "set": one.set, "student": one.student},
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
            for number, answer in enumerate(one.answers, start=1)
        ],
    }
