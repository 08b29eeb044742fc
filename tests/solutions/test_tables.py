"""YAML files of the references and of the tests, which libyaml reads as YAML 1.1, mean the same in YAML 1.2."""

from __future__ import annotations

from pathlib import Path

import pytest
from ruamel.yaml import YAML

from checkout import ROOT, every_sixth_at_once, yaml_data

FILES = sorted(path for folder in ("solutions", "tests") for path in (ROOT / folder).rglob("*.yaml"))


@pytest.mark.parametrize("path", every_sixth_at_once(FILES), ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_file_means_the_same_in_both_versions(path: Path) -> None:
    """1e9 is a number in YAML 1.2 alone, and no is false in YAML 1.1 alone."""
    assert yaml_data(path) == YAML(typ="safe").load(path.read_text("utf-8"))
