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
from trials import UNSTOPPED, Batch, Verdict, batch, in_the_open

from drawing import every_sixth_at_once

ATTACKS = corpus()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """A test that asks for `attack` runs once for each file in hostile/: a new one is tested when it is saved.

    Of those of a sort the first and every sixth after it are tried at once, and the others in the long run.
    """
    if "attack" in metafunc.fixturenames:
        sorts: dict[tuple[object, ...], list[Attack]] = {}
        for attack in ATTACKS.values():
            how = (bool(attack.cell), bool(attack.answers), bool(attack.arrange), attack.due)
            sorts.setdefault(how, []).append(attack)
        tried = [param for alike in sorts.values() for param in every_sixth_at_once(alike)]
        metafunc.parametrize("attack", tried, ids=lambda attack: attack.name)


@pytest.fixture(scope="session")
def selected(request: pytest.FixtureRequest) -> list[Attack]:
    """The attacks that this run asks for, so that one alone is quickly tried."""
    wanted = [item.callspec.params.get("attack") for item in request.session.items if hasattr(item, "callspec")]
    return [attack for attack in ATTACKS.values() if attack in wanted]


@pytest.fixture(scope="session")
def course(tmp_path_factory: pytest.TempPathFactory, selected: list[Attack]) -> Course:
    """A class of those who attack in this run, for each of them costs the time of a few questions."""
    attackers = {attack.student for attack in selected} | {ATTACKS[name].student for name in UNSTOPPED}
    return Course(tmp_path_factory.mktemp("course"), sorted(attackers))


@pytest.fixture(scope="session")
def opened(course: Course, selected: list[Attack]) -> dict[str, Verdict]:
    """What became of each attack in the open."""
    return in_the_open(course, selected)


@pytest.fixture(scope="session")
def batch_at(course: Course, selected: list[Attack]) -> Callable[[str], Batch]:
    """What became of all attacks at a tier."""
    return cache(lambda tier: batch(course, selected, tier))
