"""A bank with SI units: what students of physics type is read and marked, from a lock file that needs no bank."""

from __future__ import annotations

import doctest
import json
import shutil
from functools import cache
from pathlib import Path

import pytest

from checkout import ROOT
from command_line import run
from shardwise.bank.bank import Bank
from shardwise.bank.posing import pose
from shardwise.course.assigning.lockfile import Lock
from shardwise.course.assigning.simulated_class import hand_in
from shardwise.grading.results import read_results
from shardwise.kinds import kind_of
from shardwise.kinds.quantity.model import QuantityForm, QuantityKey
from shardwise.marking import check
from shardwise.question import Outcome, Question
from shardwise.units import from_base, qualified, unit

SEEDS = range(4)
SPELLINGS = {  # of the right answer {n} in each unit; with a decimal comma as {c}
    "projectile-range": {"m": ("{n} m", "{c} m", "{n} metres", "R = {n} m"), "km": ("{n} km",), "ft": ("{n} ft", "{n} feet")},
    "seesaw": {"m": ("{n} m", "{n} meters"), "cm": ("{n} cm", "{c}cm"), "mm": ("{n} mm",)},
    "current-in-a-network": {"mA": ("{n} mA", "{n} milliamps"), "A": ("{n} A", "{n} V/ohm", "{n} V/Ω"), "uA": ("{n} µA", "{n} μA", "{n} uA")},
    "bottle-of-nitrogen": {"bar": ("{n} bar", "{c} bar"), "Pa": ("{n} Pa", "{n} N/m²", "{n} N/m^2", "{n} J/m3"), "MPa": ("{n} MPa",), "atm": ("{n} atm",)},
    "milk-in-the-coffee": {"°C": ("{n} °C", "{n}°C", "{c} °C", "{n} C", "{n} degrees Celsius"), "K": ("{n} K",), "°F": ("{n} °F",)},
    "photon-of-a-diode": {"eV": ("{n} eV", "{c} eV", "E = {n} eV", "about {n} eV"), "J": ("{n} J", "{n} N·m"), "aJ": ("{n} aJ",)},
    "image-of-a-lens": {"cm": ("{n} cm",), "m": ("{n} m", "{c} m"), "in": ("{n} in", "{n} inches")},
}  # fmt: skip


@cache
def physics() -> Bank:
    return Bank.open(ROOT / "examples" / "physics")


def assigned(name: str, seed: int) -> Question:
    """A question as a lock file gives it back, without its bank."""
    question = pose(physics().find(name), seed)
    kind, data = kind_of(question), json.loads(question.model_dump_json())
    form, key = kind.Form.model_validate(data["form"]), kind.Key.model_validate(data["key"])
    return Question.model_validate({**data, "form": form, "key": key})


@pytest.mark.parametrize("name", SPELLINGS)
def test_a_right_answer_is_right_in_every_unit_and_spelling(name: str) -> None:
    for seed in SEEDS:
        question = assigned(name, seed)
        key, form = question.key, question.form
        assert isinstance(key, QuantityKey) and isinstance(form, QuantityForm)
        for text, spellings in SPELLINGS[name].items():
            number = f"{from_base(key.value, qualified(text, unit(form.unit).system.text)):.4g}"
            for spelling in spellings:
                answer = spelling.format(n=number, c=number.replace(".", ","))
                assert check(question, answer).outcome is Outcome.CORRECT, answer


@pytest.mark.parametrize(
    ("name", "answer", "words"),
    [
        ("seesaw", "0.9", "0.9 what?"),
        ("seesaw", "0.9 kg", "“`kg`” is a mass; this question asks for a length."),
        ("photon-of-a-diode", "2.2 V", "“`V`” is a voltage; this question asks for an energy or a torque."),
        ("milk-in-the-coffee", "57", "57 what?"),
        ("projectile-range", "50 m/s", "“`m/s`” is a speed; this question asks for a length."),
    ],
)
def test_an_answer_in_another_dimension_is_refused_in_words(name: str, answer: str, words: str) -> None:
    feedback = check(assigned(name, 3), answer)
    assert feedback.outcome is Outcome.UNREADABLE
    assert words in feedback.say


def test_a_wrong_temperature_is_not_compared_by_a_ratio() -> None:
    question = assigned("milk-in-the-coffee", 0)
    assert check(question, "50 °C").say == "Too low."
    near = question.key.value + 0.51 - 273.15  # it asks for half a degree, not for the exact number
    assert check(question, f"{near:.3f} °C").say.startswith("Close, but outside the tolerance.")


@pytest.mark.parametrize(
    ("formula", "is_right"),
    [
        ("g*(sin(theta) - mu*cos(theta))", True),
        ("a = g sin(θ) - μ g cos(θ)", True),
        (r"g\left(\sin(\theta) - \mu\cos(\theta)\right)", True),
        ("g*cos(theta)*(tan(theta) - mu)", True),
        ("g*(sin(2*theta)/(2*cos(theta)) - mu*sqrt(1 - sin²(theta)))", True),
        ("g*(np.sin(theta) - mu*np.cos(theta))", True),
        ("g*(sin(2*theta) - mu*cos(theta))", False),
        ("g*(sin(mu) - theta*cos(theta))", False),
    ],
)
def test_formulas_with_angles_are_compared_as_functions(formula: str, is_right: bool) -> None:
    for seed in SEEDS:
        feedback = check(assigned("crate-on-a-ramp", seed), formula)
        assert feedback.outcome is (Outcome.CORRECT if is_right else Outcome.INCORRECT), formula


def test_the_usual_slips_with_angles_and_squares_are_named() -> None:
    slips = {how for seed in range(8) for _, how in assigned("projectile-range", seed).key.slips}  # type: ignore[attr-defined]
    assert {"typed degrees into a calculator that was set to radians", "used the cosine instead of the sine"} <= slips
    assert any("(24 m/s)^2" in how for how in slips)


@pytest.mark.parametrize("module", ["mechanics", "electricity", "heat", "light", "nuclei"])
def test_the_examples_in_the_references_hold(module: str) -> None:
    tried = doctest.testmod(physics().references.module(module))
    assert tried.attempted and not tried.failed


def test_a_unit_that_is_defined_later_is_read_in_a_regrade(tmp_path: Path) -> None:
    bank = shutil.copytree(ROOT / "examples" / "physics", tmp_path / "bank")
    (tmp_path / "roster.csv").write_text("id\nada\n")
    (tmp_path / "set.yaml").write_text("name: motion\ntitle: Motion\nproblems: [seesaw]\n")
    course = tmp_path / "course"
    run("assign", tmp_path / "set.yaml", "--roster", tmp_path / "roster.csv", "--bank", bank, "--out", course)
    lock = Lock(course / "motion.lock.jsonl")
    smoots = lock.questions("ada")[0].key.value / 1.7018  # type: ignore[attr-defined]
    hand_in(lock, course / "notebooks", course / "submitted", "ada", lambda _: f"seesaw = '{smoots:.5g} smoots'")
    graded = ("--lock", lock.path, "--out", tmp_path / "out")
    run("grade", course / "submitted", *graded)
    assert [result.points for result in read_results(tmp_path / "out")] == [0]
    with (bank / "problems" / "units.yaml").open("a") as units:
        units.write("units: {smoot: 1.7018 m}\n")
    run("regrade", course / "submitted", *graded, "--bank", bank, "--yes")
    assert [result.points for result in read_results(tmp_path / "out")] == [1]
