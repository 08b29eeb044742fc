"""The checkout under test: its bank, and problems made of a text that is in no bank."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

from shardwise.bank.bank import Bank, Banks, Problem
from shardwise.bank.files import template_model
from shardwise.bank.posing import pose
from shardwise.question import Question
from shardwise.student.session import Session
from shardwise.template import yaml_source

ROOT = Path(__file__).resolve().parents[1]
TEMPLATES = sorted(
    path.stem for path in (ROOT / "tests" / "templates").glob("*.yaml")
)  # the kinds of which there is one


@cache
def checkout_bank() -> Bank:
    """The bank of this checkout, whatever else is installed."""
    return Bank.open(ROOT)


def kinds_of_the_bank() -> list[str]:
    """Return the kinds of which the bank of this checkout has a problem."""
    return sorted({problem.data["kind"] for problem in checkout_bank().read_all().problems.values()})


def of_each_kind(most: int) -> pytest.MarkDecorator:
    """Give a test so many problems of each kind, as `formed`."""
    every = checkout_bank().read_all().problems.values()
    names = kinds_of_the_bank()
    chosen = [problem for name in names for problem in [one for one in every if one.kind.name == name][:most]]
    return pytest.mark.parametrize("formed", chosen, ids=[problem.id for problem in chosen])


def yaml_data(path: Path) -> Any:
    """What a YAML file holds. By libyaml: every process that runs tests reads half a megabyte of it first."""
    return yaml.load(path.read_text("utf-8"), yaml.CSafeLoader)


def template(kind: str, *changes: tuple[str, str]) -> str:
    """The text of a sound problem about the ring all-reduce, with some of it replaced."""
    text = (Path(__file__).parent / "templates" / f"{kind}.yaml").read_text("utf-8")
    for old, new in changes:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def problem_of(text: str, name: str = "09-test/a-problem") -> Problem:
    """The problem of a template that is in no file, with the references of this checkout. Raises Faulty."""
    source = yaml_source.parse_yaml(text, f"problems/{name}.yaml")
    yaml_source.validate(source, template_model())
    problem = Problem(name, Path(f"{name}.yaml"), checkout_bank().references)
    vars(problem).update(source=source, text=text, digest="")  # as if they had been read from a file
    return problem


def edited(problem: Problem, **changes: Any) -> Problem:
    """Return a problem with another text in its file."""
    made = replace(problem)
    vars(made)["source"] = replace(problem.source, data={**problem.source.data, **changes})
    return made


def asked(name: str, seed: int | str = 0) -> Question:
    """The question of a problem of this checkout's bank."""
    return pose(checkout_bank().find(name), seed)


def posed(text: str, seed: int = 1) -> Question:
    """The question of a template that is in no file."""
    return pose(problem_of(text), seed)


def fresh_session() -> Session:
    """A student's session that remembers nothing and practises the bank of this checkout."""
    return Session.of(Banks([checkout_bank()]))
