"""Pools: each student gets and keeps some of the problems, for the same points as everybody else."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from checkout import ROOT
from command_line import run
from shardwise.bank.bank import Bank
from shardwise.course.assigning.assignments import Assigned, SetDefinition, Student, assign
from shardwise.course.assigning.drawing import Maker
from shardwise.course.assigning.keys import course_key
from shardwise.course.assigning.lockfile import Lock
from shardwise.course.assigning.set_file import load_set
from shardwise.course.assigning.simulated_class import hand_in, right
from shardwise.errors import Faulty, ShardwiseError
from shardwise.grading.results import read_results

SIX = ["bytes-per-gpu", "ring-time", "data-sheet-time", "tree-steps", "link-gap", "order-by-time"]
POOL = {"pool": SIX, "choose": 3, "points": 2}
PROBLEMS = ["measured-utilisation", POOL, "crossover-size"]
STUDENTS = [Student(f"s{number:02}", f"Student {number}") for number in range(12)]


def given(bank: Bank, out: Path, problems: Any = PROBLEMS, students: list[Student] = STUDENTS) -> Assigned:
    key, _ = course_key(out / "course.key")
    made = SetDefinition.model_validate({"name": "w1", "title": "Week 1", "problems": problems})
    return assign(bank, made, students, key, out)


def asked(lock: Lock) -> dict[str, list[str]]:
    return {student: [question.slug for question in lock.questions(student)] for student in lock.students()}


def test_each_student_gets_another_choice_for_the_same_points_and_keeps_it(whole_bank: Bank, tmp_path: Path) -> None:
    lock = Lock(given(whole_bank, tmp_path).lock)
    before = asked(lock)
    assert len({tuple(slugs) for slugs in before.values()}) > 6
    for slugs in before.values():
        assert (slugs[0], slugs[-1], len(slugs)) == ("measured-utilisation", "crossover-size", 5)
        assert slugs[1:-1] == [slug for slug in SIX if slug in slugs]
    assert len({lock.about(student)[1] for student in lock.students()}) == 1
    assert [question.handle for question in lock.questions("s00")] == ["q1", "q2", "q3", "q4", "q5"]
    (tmp_path / "copy").mkdir()
    (tmp_path / "copy" / "course.key").write_bytes((tmp_path / "course.key").read_bytes())
    assert asked(Lock(given(whole_bank, tmp_path / "copy", students=STUDENTS[::-1]).lock)) == before
    more = given(whole_bank, tmp_path, students=[*STUDENTS, Student("zoe", "Zoe")])
    assert more.kept == 12 and asked(Lock(more.lock)) == before | {"zoe": asked(Lock(more.lock))["zoe"]}


def test_every_problem_of_a_pool_is_chosen_about_equally_often(whole_bank: Bank) -> None:
    header = {"set": "w1", "problems": [{"pool": SIX, "choose": 3}], "points": [None]}
    maker = Maker(whole_bank, header, b"k" * 32)
    counts = Counter(problem.slug for number in range(600) for problem, _ in maker._chosen(f"s{number}"))
    assert set(counts) == set(SIX) and all(abs(count - 300) < 5 * 12.3 for count in counts.values())  # 5 sigma


def test_new_points_of_a_pool_reach_every_student_and_another_pool_is_another_set(
    whole_bank: Bank, tmp_path: Path
) -> None:
    given(whole_bank, tmp_path)
    done = given(whole_bank, tmp_path, ["measured-utilisation", {**POOL, "points": 3}, "crossover-size"])
    assert done.changes == (f"points of the pool {', '.join(SIX)}: 2 → 3",)
    lock = Lock(done.lock)
    assert all([question.points for question in lock.questions(name)][1:4] == [3.0] * 3 for name in lock.students())
    for other in ({**POOL, "choose": 2}, {**POOL, "pool": SIX[:-1]}, SIX[0]):
        with pytest.raises(ShardwiseError, match="other problems"):
            given(whole_bank, tmp_path, ["measured-utilisation", other, "crossover-size"])


@pytest.mark.parametrize(
    ("entries", "fault"),
    [
        ([{"pool": ["ring-time", "ring-time-bug"], "choose": 1}], "different points: ring-time 2, ring-time-bug"),
        (["ring-time", {"pool": ["ring-time", "tree-steps"], "choose": 1, "points": 2}], "ring-time is listed twice"),
        ([{"pool": ["tree-steps", "tree-steps"], "choose": 1}], "tree-steps is listed twice"),
        ([{"pool": ["ring-time", "tree-step"], "choose": 1}], "Unknown problem “tree-step”"),
        ([{"pool": ["ring-time", "tree-steps"], "choose": 3}], "choose is 3, but the pool has only 2 problems"),
        ([{"pool": ["ring-time", "tree-steps"]}], "choose is missing"),
        ([{"pool": ["ring-time", "tree-steps"], "choose": 1, "chose": 2}], "unknown key 'chose'"),
        ([{"pool": "ring-time", "choose": 1}], "expected a list, but found 'ring-time'"),
        ([{"points": 3}], "id is missing"),
    ],
)
def test_faults_of_a_pool_name_their_line(whole_bank: Bank, tmp_path: Path, entries: Any, fault: str) -> None:
    path = tmp_path / "w1.yaml"
    path.write_text("name: w1\ntitle: Week 1\nproblems:\n" + "".join(f"  - {json.dumps(each)}\n" for each in entries))
    with pytest.raises(Faulty) as error:
        load_set(path, whole_bank)
    [only] = error.value.faults
    assert fault in str(only), only
    assert f"w1.yaml:{3 + len(entries)}:" in str(only), only


def test_a_set_with_a_pool_is_graded_and_regraded(whole_bank: Bank, tmp_path: Path) -> None:
    lock = Lock(given(whole_bank, tmp_path, students=STUDENTS[:3]).lock)
    submitted, out = tmp_path / "submitted", tmp_path / "results"
    for student in lock.students():
        hand_in(lock, tmp_path / "notebooks", submitted, student, right)
    command = [submitted, "--out", out, "--workers", 1, "--bank", ROOT]
    run("grade", *command)
    results = read_results(out)
    assert all(result.points == result.max_points == results[0].points for result in results)
    assert [list(result.scores) for result in results] == list(asked(lock).values())
    assert "No points change" in run("regrade", *command)
