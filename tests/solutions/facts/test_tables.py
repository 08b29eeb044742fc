"""YAML files of the references and of the tests, which libyaml reads as YAML 1.1, mean the same in YAML 1.2."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from shardwise.template.yaml_source import parse_yaml
from solutions.facts import tables

SOLUTIONS = Path(tables.__file__).parents[1]
BESIDE = sorted(SOLUTIONS.rglob("*.yaml"))
OF_TESTS = sorted(Path(__file__).parents[2].rglob("*.yaml"))


def as_json(data: Any) -> str:
    """Return data as text, in which a tuple is a list."""
    return json.dumps(data, default=str)


@pytest.mark.parametrize("path", BESIDE, ids=lambda path: path.name)
def test_a_table_means_the_same_in_both_versions(path: Path) -> None:
    """1e9 is a number in YAML 1.2 alone, and no is false in YAML 1.1 alone."""
    table = tables.table(path.relative_to(SOLUTIONS).as_posix())
    assert as_json(table) == as_json(parse_yaml(path.read_text("utf-8"), path.name).data)


@pytest.mark.slow
@pytest.mark.parametrize("path", OF_TESTS, ids=lambda path: path.name)
def test_a_file_of_the_tests_means_the_same_in_both_versions(path: Path) -> None:
    text = path.read_text("utf-8")
    assert as_json(yaml.load(text, yaml.CSafeLoader)) == as_json(parse_yaml(text, path.name).data)
