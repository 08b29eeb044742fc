"""What the docs promise: their commands run, their links lead somewhere, their tables are those of the bank."""

from __future__ import annotations

import re
import shlex
import webbrowser
from pathlib import Path

import pytest
from typer.testing import CliRunner

from book import reference
from checkout import ROOT
from docs import generated
from shardwise.app.server import AppServer
from shardwise.bank.bank import Bank
from shardwise.cli.main import app

DOCS = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    ROOT / "SECURITY.md",
    ROOT / "bench" / "README.md",
    *sorted((ROOT / "docs").rglob("*.md")),
]
HOME = "https://github.com/shardwise/shardwise/blob/main/"  # by which pages of a package index can be left


@pytest.mark.parametrize("path", DOCS, ids=lambda path: path.name)
def test_every_link_leads_somewhere(path: Path) -> None:
    text = path.read_text("utf-8")
    for target in re.findall(r"\]\((?!https?:)([^)#]+)(?:#[^)]*)?\)", text):
        assert (path.parent / target).exists(), target
    for target in re.findall(rf"{re.escape(HOME)}([^)#\s]+)", text):
        assert (ROOT / target).exists(), target


def test_the_readme_can_be_read_on_a_package_page() -> None:
    targets = re.findall(r"\]\(([^)]+)\)", (ROOT / "README.md").read_text("utf-8"))
    assert [target for target in targets if not target.startswith("https://")] == []


def test_the_readmes_commands_for_instructors_are_those_of_the_page_about_a_course() -> None:
    """That page's commands are run by test_course_page.py."""
    block = (ROOT / "README.md").read_text("utf-8").partition("## For instructors")[2].partition("```console\n")[2]
    commands = [line.partition("#")[0].strip() for line in block.partition("```")[0].splitlines()]
    page = (ROOT / "docs" / "course.md").read_text("utf-8").splitlines()
    assert [command for command in commands if not any(line.startswith(command) for line in page)] == []
    assert len(commands) == 8


@pytest.mark.parametrize("page", ["student", "author"])
def test_the_tutorials_work_as_they_are_written(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every file that a block names is written, and every command of shardwise's is run, from top to bottom.

    A block names its file in a comment in its first line, or in the words before it, since CSV has no comments.
    """
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHARDWISE_BANK", str(ROOT))
    monkeypatch.setenv("SHARDWISE_PROGRESS", str(tmp_path / "progress.sqlite"))
    monkeypatch.setattr(AppServer, "serve_forever", lambda server: None)  # as if it were stopped at once
    monkeypatch.setattr(webbrowser, "open", lambda address: True)
    text = (ROOT / "docs" / "tutorials" / f"{page}.md").read_text("utf-8")
    run = 0
    for name, language, block in re.findall(r"(?:Save this as `(.+?)`:\n\n)?```(\w+)\n(.*?)```", text, re.DOTALL):
        first, _, rest = block.partition("\n")
        if name:
            Path(name).write_text(block, "utf-8")
        elif language != "console" and first.startswith("# "):
            Path(first[2:]).parent.mkdir(parents=True, exist_ok=True)
            Path(first[2:]).write_text(rest, "utf-8")
        for command in block.splitlines() if language == "console" else ():
            words = shlex.split(command)
            if words[0] != "shardwise":
                continue
            done = CliRunner().invoke(app, words[1:], input="quit\n", catch_exceptions=False)
            assert done.exit_code == 0, f"{command}\n{done.output}"
            run += 1
    assert run >= 6


def test_the_commands_of_the_page_about_progress_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (ROOT / "docs" / "progress.md").read_text("utf-8")
    commands = [
        line.partition("#")[0].strip() for line in text.splitlines() if line.startswith("shardwise p") and "#" in line
    ]
    assert len(commands) == 9
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SHARDWISE_BANK", str(ROOT))
    monkeypatch.setenv("SHARDWISE_PROGRESS", str(tmp_path / "progress.sqlite"))
    for command in commands:
        done = CliRunner().invoke(app, shlex.split(command)[1:], input="y\n" if "--forget" in command else "!\nquit\n")
        assert done.exit_code == 0, done.output
    assert "progress.json" in {path.name for path in tmp_path.iterdir()}


def test_the_docs_say_of_kinds_and_chapters_what_is_so() -> None:
    assert [path.name for path, now in generated.pages() if path.read_text("utf-8") != now] == [], (
        "run `make generated`"
    )


def test_the_yaml_of_the_docs_is_accepted(whole_bank: Bank, tmp_path: Path) -> None:
    from shardwise.course.assigning.set_file import load_set
    from shardwise.template.parameters import Parameter
    from shardwise.template.yaml_source import parse_yaml

    blocks = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs" / "templates.md").read_text("utf-8"), re.DOTALL)
    for name, drawn in parse_yaml(blocks[0], "docs").data["params"].items():
        Parameter.model_validate(drawn if isinstance(drawn, dict) else {"fixed": drawn})
        assert name.islower()
    block = re.search(r"```yaml\n(.*?)```", (ROOT / "docs" / "grading.md").read_text("utf-8"), re.DOTALL)
    assert block
    (tmp_path / "set.yaml").write_text(block[1])
    assert load_set(tmp_path / "set.yaml", whole_bank).attempts == 3


def test_the_units_that_the_docs_name_are_units() -> None:
    from shardwise.units import unit

    text = (ROOT / "docs" / "templates.md").read_text("utf-8")
    named = re.findall(r"`(.+?)`", text.partition("A unit is one such as")[2].partition("[the table]")[0])
    assert len(named) >= 10
    assert all(unit(name) for name in named)


def test_the_makefile_knows_every_target_that_is_no_file() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    targets = re.findall(r"^([a-z-]+):", makefile, re.MULTILINE)
    assert sorted(targets) == sorted(re.findall(r"^\.PHONY: (.*)$", makefile, re.MULTILINE)[0].split())


def test_nothing_names_the_machine_it_was_written_on() -> None:
    for path in [*DOCS, *(ROOT / "grader").rglob("*.py"), *ROOT.glob("requirements*.lock")]:
        text = path.read_text("utf-8")
        assert not re.search(
            r"/(root|home)/\w+/|--index-url|--find-links|https?://(?!\S*(keepachangelog|semver|json-schema))\S*/simple",
            text,
        ), path


def test_every_key_of_a_yaml_file_has_a_description() -> None:
    rows = [line for line in reference.keys().splitlines() if line.startswith("| `")]
    assert len(rows) > 150
    assert [row for row in rows if row.endswith("|  |")] == []
