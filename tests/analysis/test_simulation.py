"""A simulated class: its averages are the rates that it was given, and mistakes that earn points are found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from analysis.made_class import made_class, report_on, right, times
from checkout import checkout_bank
from shardwise.analysis.report import report_of
from shardwise.analysis.simulation import Slot, findings_in, marked_draws, rates_in, simulated_responses
from shardwise.bank.bank import Banks
from shardwise.cli.main import app
from shardwise.question import Question

PROBLEMS = ("ring-time", "tree-steps", "order-ring-events", "ring-or-tree")


@pytest.fixture(scope="module")
def drawn() -> Any:
    banks = Banks((checkout_bank(),))
    return marked_draws(banks, [banks.find(name).id for name in PROBLEMS], 12)


def _simulated(drawn: Any, rates: Any, **options: Any) -> dict[str, Any]:
    slots = options.pop("slots", [Slot((name,)) for name in drawn])
    found = simulated_responses(slots, drawn, rates, **{"students": 1500, "ability_sd": 1.0, "seed": 1, **options})
    return report_of(found, set_name="week-1", title="Week 1", simulated={})


def test_a_class_is_as_good_as_an_earlier_one_whose_rates_it_was_given(tmp_path: Path, drawn: Any) -> None:
    def answer(number: int, question: Question) -> Any:
        if question.slug == "tree-steps":
            return None if number < 8 else right(question)
        if question.slug == "ring-time" and number < 20:
            return times(question, 2 if number < 12 else 1.37)  # twice the key is a recognised mistake
        return right(question)

    before = report_on(*made_class(tmp_path / "course", 40, PROBLEMS, answer))
    after = _simulated(drawn, rates_in(before))
    for old, new in zip(before["items"], after["items"], strict=True):
        assert new["facility"] == pytest.approx(old["facility"], abs=0.04), old["item"]
    assert after["items"][1]["blank"] == pytest.approx(8 / 40, abs=0.03)
    assert after["items"][0]["mistakes"][0]["share"] == pytest.approx(12 / 40, abs=0.04)


def test_reliability_comes_from_the_differences_between_students(drawn: Any) -> None:
    alphas = [_simulated(drawn, {}, ability_sd=sd)["reliability"]["alpha"] for sd in (0.0, 1.0, 2.0)]
    assert abs(alphas[0]) < 0.1 < alphas[1] < alphas[2]


def test_the_same_seed_simulates_the_same_class(drawn: Any) -> None:
    assert _simulated(drawn, {}, students=50) == _simulated(drawn, {}, students=50)
    assert _simulated(drawn, {}, students=50) != _simulated(drawn, {}, students=50, seed=2)


def test_in_a_pool_everybody_gets_some_problems_and_alpha_is_not_defined(drawn: Any) -> None:
    report = _simulated(drawn, {}, slots=[Slot(tuple(drawn), choose=2, points=5)], students=100)
    assert sum(item["n"] for item in report["items"]) == 200
    assert {item["points"] for item in report["items"]} == {5}
    assert "Students answered different items" in report["reliability"]["why"]


def test_a_mistake_that_earns_points_is_found(drawn: Any) -> None:
    found = findings_in(drawn)
    assert {each["item"] for each in found} == {"order-ring-events"}  # where a part of the order is right
    assert all(each["what"].startswith("earns") and 0 < each["draws"] <= each["of"] for each in found)


def test_the_command_prints_a_prediction_and_writes_the_same_report(tmp_path: Path) -> None:
    (tmp_path / "week.yaml").write_text("name: week-1\ntitle: Week 1\nproblems: [tree-steps, ring-or-tree]\n")
    words = ["simulate", str(tmp_path / "week.yaml"), "--students", "60", "--draws", "3"]
    done = CliRunner().invoke(app, [*words, "--out", str(tmp_path / "out")], catch_exceptions=False)
    assert done.exit_code == 0
    assert "60 simulated students: mean score" in done.output and "Reliability (Cronbach's alpha)" in done.output
    report = json.loads((tmp_path / "out" / "report.json").read_text("utf-8"))
    assert report["simulated"]["draws"] == 3
    assert "A prediction, not results." in (tmp_path / "out" / "report.html").read_text("utf-8")
    assert not (tmp_path / "out" / "matches.csv").exists()
    (tmp_path / "survey.yaml").write_text("name: survey\ntitle: Survey\nproblems: [{id: tree-steps, points: 0}]\n")
    survey = CliRunner().invoke(
        app, ["simulate", str(tmp_path / "survey.yaml"), "--draws", "3"], catch_exceptions=False
    )
    assert "Reliability cannot be computed. No question in this set is worth any points." in survey.output
    (tmp_path / "other.json").write_text("[]")
    refused = CliRunner().invoke(app, [*words, "--rates", str(tmp_path / "other.json")])
    assert "was not written by `shardwise report`" in str(refused.exception)
