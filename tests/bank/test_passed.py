"""The lint in CI: what passed and has not changed is not proved again, and only what changed is looked at."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from shardwise.bank import dependencies
from shardwise.bank.bank import Bank, Banks
from shardwise.bank.lint.lint import lint
from shardwise.bank.scaffold import init_bank
from shardwise.cli.main import app

CHAPTER = Path("problems") / "01-first-chapter"
QUANTITY, FORMULA, ORDER = (f"01-first-chapter/first-{kind}" for kind in ("quantity", "formula", "order"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A bank of three problems; the two with references share a module, which imports another inside of a function."""
    folder = tmp_path / "bank"
    init_bank(folder, ("quantity", "formula", "order"))
    reference = folder / "solutions" / "example.py"
    reference.write_text(f"{reference.read_text()}\n\ndef _more():\n    from .deep import shared\n    return shared\n")
    (folder / "solutions" / "deep").mkdir()
    (folder / "solutions" / "deep" / "__init__.py").write_text("")
    (folder / "solutions" / "deep" / "shared.py").write_text("FACTOR = 1\n")
    (folder / "solutions" / "other.py").write_text("UNUSED = 1\n")
    return folder


def proved(folder: Path, seeds: int = 3) -> set[str]:
    """Lint a bank, and return the problems that were proved in this run."""
    reports = lint(Banks([Bank.open(folder)]), seeds=seeds, cached=True)
    return {report.problem for report in reports if not report.is_earlier}


def digests(folder: Path) -> dict[str, str]:
    bank = Bank.open(folder)
    of = dependencies.Dependencies(bank)
    return {name: of.digest(problem) for name, problem in bank.problems.items()}


def edit(name: str | Path, text: str = "\n# changed\n") -> Callable[[Path], object]:
    return lambda folder: (folder / name).write_text((folder / name).read_text() + text if (folder / name).exists() else text)  # fmt: skip


@pytest.mark.parametrize(
    ("change", "again"),
    [
        (edit(f"problems/{QUANTITY}.yaml"), {QUANTITY}),
        (edit("solutions/example.py"), {QUANTITY, FORMULA}),
        (edit("solutions/oracles/example.py"), {QUANTITY, FORMULA}),
        (edit("solutions/deep/shared.py"), {QUANTITY, FORMULA}),
        (edit("solutions/deep/__init__.py"), {QUANTITY, FORMULA}),
        (edit("solutions/deep/prices.json", "{}"), {QUANTITY, FORMULA, ORDER}),  # any module may read it
        (edit("problems/units.yaml", "{}"), {QUANTITY, FORMULA, ORDER}),
        (edit("problems/curriculum.yaml", "rows: []"), set()),
        (edit("problems/prose.yaml", "avoid: []"), set()),
        (edit("solutions/other.py"), set()),
        (edit(CHAPTER / "lesson.md"), set()),
    ],
)
def test_a_problem_depends_on_all_that_its_references_import_and_may_read(
    folder: Path, change: Callable[[Path], object], again: set[str]
) -> None:
    before = digests(folder)
    change(folder)
    after = digests(folder)
    assert {problem for problem in before if after[problem] != before[problem]} == again


def test_only_what_changed_is_proved_again(folder: Path) -> None:
    assert proved(folder) == {QUANTITY, FORMULA, ORDER}
    assert proved(folder) == set()
    edit(f"problems/{ORDER}.yaml")(folder)
    assert proved(folder) == {ORDER}


def test_another_engine_and_more_draws_prove_everything_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert [len(proved(folder, seeds)) for seeds in (3, 2, 4, 3)] == [3, 0, 3, 0]
    monkeypatch.setattr(dependencies, "package_digest", lambda: "another")
    assert len(proved(folder, 3)) == 3


def test_a_fault_is_found_again_in_every_run(folder: Path) -> None:
    path = folder / "problems" / f"{QUANTITY}.yaml"
    path.write_text(path.read_text().replace("oracle: example.", "oracle: example.no_"))
    assert [proved(folder), proved(folder)] == [{QUANTITY, FORMULA, ORDER}, {QUANTITY}]


def test_a_damaged_cache_only_costs_time(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    proved(folder)
    [cache] = (tmp_path / "cache").rglob("*.json")
    for damage in ("[]", '{"01-first-chapter/first-order": 3}'):
        cache.write_text(damage)
        assert ORDER in proved(folder)


# The command --------------------------------------------------------------------------------------------------------


def command(folder: Path, *words: str) -> Result:
    return CliRunner().invoke(app, ["lint", "--bank", str(folder), "--seeds", "2", *words])


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=folder, check=True)


@pytest.fixture
def repository(folder: Path) -> Path:
    for words in (
        ("init", "-q", "-b", "main"),
        ("add", "-A"),
        ("commit", "-q", "-m", "Begin"),
        ("switch", "-q", "-c", "topic"),
    ):
        git(folder, *words)
    return folder


def test_changed_checks_what_differs_from_a_branch(repository: Path) -> None:
    assert command(repository, "--changed", "main").stdout == "No problem has changed since main\n"
    edit("solutions/oracles/example.py")(repository)
    git(repository, "commit", "-q", "-a", "-m", "Change an oracle")
    edit(f"problems/{ORDER}.yaml")(repository)  # not committed
    for words, names in (((), "quantity formula order"), (("first-order",), "order")):
        done = command(repository, "--changed", "main", *words)
        assert done.exit_code == 0, done.output
        assert set(re.findall(r"first-(\w+) ", done.stdout)) == set(names.split())
    assert set(re.findall(r"first-(\w+) ", command(repository, "--changed", "HEAD").stdout)) == {"order"}
    assert "bad revision 'gone'" in str(command(repository, "--changed", "gone").exception)
    written = repository / "written-by-git"
    assert "needs a Git revision" in str(command(repository, "--changed", f"--output={written}").exception)
    assert not written.exists()


def test_no_cache_proves_everything(folder: Path) -> None:
    said = [command(folder, *words).stdout.splitlines()[-1] for words in ((), (), ("--no-cache",))]
    assert said == [
        "3 problems, 2 draws each: all sound",
        "3 problems, 2 draws each: all sound; 3 unchanged since an earlier run",
        "3 problems, 2 draws each: all sound",
    ]


@pytest.mark.parametrize("fault", ["title: A\n", "a: b: 100%\n"])
def test_github_shows_a_fault_at_its_line(folder: Path, monkeypatch: pytest.MonkeyPatch, fault: str) -> None:
    path = folder / "problems" / f"{QUANTITY}.yaml"
    path.write_text(re.sub(r"^title: .*\n", fault, path.read_text()))
    monkeypatch.setenv("GITHUB_WORKSPACE", str(folder.parent))
    done = command(folder, "--format", "github")
    assert done.exit_code == 1
    [line] = [line for line in done.stdout.splitlines() if line.startswith("::")]
    assert re.match(rf"::error file=bank/problems/{QUANTITY}\.yaml,line=1,col=\d+,title=shardwise lint::\S", line)
    assert "%0A" in line and "\n" not in line
    assert ("100%25" in line) == ("100%" in fault)


def test_a_file_name_with_a_line_break_is_no_command_for_github(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_WORKSPACE", str(folder.parent))
    (folder / f"{Path('problems', QUANTITY).parent}" / "x\n::stop-commands::y.yaml").touch()
    done = command(folder, "--format", "github")
    [line] = [line for line in done.output.splitlines() if line.startswith("::")]
    assert line.startswith("::error file=bank/problems/") and "chapter.yaml,line=" in line
