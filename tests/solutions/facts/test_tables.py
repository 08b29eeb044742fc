"""YAML files of the references and of the tests, which libyaml reads as YAML 1.1, mean the same in YAML 1.2."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml
from ruamel.yaml import YAML

from solutions.facts import tables

SOLUTIONS = Path(tables.__file__).parents[1]
BESIDE = sorted(SOLUTIONS.rglob("*.yaml"))
OF_TESTS = sorted(Path(__file__).parents[2].rglob("*.yaml"))


@pytest.mark.parametrize("path", BESIDE, ids=lambda path: path.name)
def test_a_table_means_the_same_in_both_versions(path: Path) -> None:
    """1e9 is a number in YAML 1.2 alone, and no is false in YAML 1.1 alone."""
    assert tables.table(path.relative_to(SOLUTIONS).as_posix()) == YAML(typ="safe").load(path.read_text("utf-8"))


@pytest.mark.slow
@pytest.mark.parametrize("path", OF_TESTS, ids=lambda path: path.name)
def test_a_file_of_the_tests_means_the_same_in_both_versions(path: Path) -> None:
    assert yaml.load(path.read_text("utf-8"), yaml.CSafeLoader) == YAML(typ="safe").load(path.read_text("utf-8"))
