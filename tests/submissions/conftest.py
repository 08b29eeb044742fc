"""The corpus of hostile submissions, graded in the open and at every tier: once for all the tests about it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # the attacks and their judges share modules that belong to no package

from corpus import Attack, corpus
from room import Course
from trials import Batch, Verdict, batch, in_the_open

ATTACKS = corpus()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for `attack` runs once for each file in hostile/: a new one is tested when it is saved."""
    if "attack" in metafunc.fixturenames:
        metafunc.parametrize("attack", list(ATTACKS.values()), ids=list(ATTACKS))


@pytest.fixture(scope="session")
def course(tmp_path_factory: pytest.TempPathFactory) -> Course:
    return Course(tmp_path_factory.mktemp("course"), [attack.student for attack in ATTACKS.values()])


@pytest.fixture(scope="session")
def selected(request: pytest.FixtureRequest) -> list[Attack]:
    """The attacks that this run asks for, so that one alone is quickly tried."""
    wanted = [item.callspec.params.get("attack") for item in request.session.items if hasattr(item, "callspec")]
    return [attack for attack in ATTACKS.values() if attack in wanted]


@pytest.fixture(scope="session")
def opened(course: Course, selected: list[Attack]) -> dict[str, Verdict]:
    """What became of each attack in the open."""
    return in_the_open(course, selected)


@pytest.fixture(scope="session")
def batch_at(course: Course, selected: list[Attack]) -> Callable[[str], Batch]:
    """What became of all attacks at a tier."""
    return cache(lambda tier: batch(course, selected, tier))
