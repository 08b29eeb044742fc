"""Kinds of other packages: one that is installed works everywhere, and one that cannot be used is named with its package."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from typer.testing import CliRunner

from shardwise import plugins
from shardwise.bank.scaffold import init_bank
from shardwise.cli.main import app
from shardwise.errors import ShardwiseError
from shardwise.kinds import Registry
from shardwise.plugins import kinds_and_packages

PACKAGE = '''\
"""Pairs: matching under another name."""

from typing import Literal

from shardwise.kinds.match.kind import MatchKind
from shardwise.kinds.match.model import MatchForm, MatchKey, MatchTemplate


class PairsTemplate(MatchTemplate):
    kind: Literal["pairs"]


class PairsForm(MatchForm):
    pass


class PairsKey(MatchKey):
    pass


class PairsKind(MatchKind):
    name = "pairs"
    Template, Form, Key = PairsTemplate, PairsForm, PairsKey


KIND = PairsKind()
'''


IN_TURN = """\
import shlex, sys
from shardwise.__main__ import main

for command in sys.argv[1:]:
    sys.argv = ["shardwise", *shlex.split(command)]
    try:
        main()
    except SystemExit as ended:
        if ended.code:
            raise
    print(end="\\0", flush=True)
"""


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder of packages that has one with a kind of its own."""
    folder = tmp_path / "packages"
    (folder / "pairs_kind-1.5.dist-info").mkdir(parents=True)
    (folder / "pairs_kind.py").write_text(PACKAGE)
    (folder / "pairs_kind-1.5.dist-info" / "METADATA").write_text(
        "Metadata-Version: 2.1\nName: pairs-kind\nVersion: 1.5\n"
    )
    (folder / "pairs_kind-1.5.dist-info" / "entry_points.txt").write_text(
        "[shardwise.kinds]\npairs = pairs_kind:KIND\n"
    )
    return folder


def test_a_kind_of_an_installed_package_starts_proves_shows_and_marks_problems(installed: Path, tmp_path: Path) -> None:
    path = os.pathsep.join([str(installed), *sys.path])

    def run(*commands: str) -> list[str]:
        """What each command says; one process runs them, since starting it takes longer than they do."""
        done = subprocess.run(
            [sys.executable, "-c", IN_TURN, *commands],
            env={**os.environ, "PYTHONPATH": path},
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.split("\0")

    listed, _, _, proved, shown, _ = run(
        "kinds",
        "init bank mine",
        "new 01-first-chapter/more-pairs --kind pairs --bank mine",
        "lint more-pairs --bank mine --seeds 5 --workers 1",
        "show more-pairs --bank mine",
    )
    assert "\npairs " in listed
    assert "all sound" in proved, proved
    (key,) = {line.partition(" = ")[2] for line in shown.partition(" key ")[2].splitlines()[1:2]}
    assert "Correct" in run(shlex.join(["check", "more-pairs", key, "--bank", "mine"]))[0]


def test_a_command_that_cannot_be_loaded_keeps_no_other_from_working(installed: Path, tmp_path: Path) -> None:
    entries = "[shardwise.commands]\nodd = no_such_module:app\nodder = pairs_kind:KIND\nlist = pairs_kind:KIND\n"
    (installed / "pairs_kind-1.5.dist-info" / "entry_points.txt").write_text(entries)
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(installed), *sys.path])}

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "shardwise", *words]
        return subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)

    assert run("--version").returncode == run("list", "--chapter", "02-zero", "--bank", "shipped").returncode == 0
    for name, why in (("odd", "cannot be loaded: ModuleNotFoundError"), ("odder", "is not a Typer app")):
        said = run(name, "--any", "word")
        assert (said.returncode, said.stderr.count("\n")) == (2, 1)
        assert f"command {name!r} of pairs-kind 1.5 {why}" in said.stderr


def add(monkeypatch: pytest.MonkeyPatch, *values: str) -> None:
    """Pretend that packages with these entry points for the kind `pairs` are installed."""
    entries = [EntryPoint("pairs", value, "shardwise.kinds") for value in values]
    monkeypatch.setattr(plugins, "entry_points", lambda group: entries if group == plugins.KINDS else [])
    plugins.added.cache_clear()


@pytest.fixture(autouse=True)
def kinds_as_they_are() -> Iterator[None]:
    yield
    plugins.added.cache_clear()


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("no_such_module:KIND", "cannot be loaded: ModuleNotFoundError: No module named 'no_such_module'"),
        ("shardwise.kinds.match.kind:KINDS", "cannot be loaded: AttributeError"),
        ("shardwise.kinds.match.kind:MatchKind", "has to be an object of a subclass of Kind, whose `name` is 'pairs'"),
        ("shardwise.kinds.match.kind:KIND", "is a kind with the name 'match'"),
    ],
)
def test_an_added_kind_that_cannot_be_used_is_named(monkeypatch: pytest.MonkeyPatch, value: str, words: str) -> None:
    add(monkeypatch, value)
    with pytest.raises(ShardwiseError) as said:
        Registry()["pairs"]
    assert "The kind 'pairs' of an unknown package" in str(said.value)
    assert words in str(said.value)


def test_a_kind_that_two_packages_add_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    add(monkeypatch, "one:KIND", "two:KIND")
    with pytest.raises(ShardwiseError, match=r"is added by .* and .*Uninstall all but one of them"):
        Registry()["pairs"]
    assert len(kinds_and_packages()) == 2


def test_a_kind_that_is_not_installed_is_asked_for(tmp_path: Path) -> None:
    init_bank(tmp_path / "mine")
    file = tmp_path / "mine" / "problems" / "01-first-chapter" / "first-match.yaml"
    file.write_text(file.read_text().replace("kind: match", "kind: pairs"))
    done = CliRunner().invoke(app, ["lint", "--bank", str(tmp_path / "mine")])
    assert done.exit_code == 1
    assert "unknown kind 'pairs'" in str(done.exception)
    assert "for another one, install the package that adds it" in str(done.exception)
