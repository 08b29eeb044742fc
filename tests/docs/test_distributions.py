"""What is shipped: the program without a problem, and the bank with all of them, from a wheel, an sdist or a checkout."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest

import shardwise

ROOT = Path(__file__).parents[2]
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}


def uv(*arguments: str | Path) -> None:
    done = subprocess.run([sys.executable, "-m", "uv", *arguments], env=ENVIRONMENT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def project(folder: Path) -> dict[str, str]:
    found: dict[str, str] = tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]
    return found


def files_of_the_bank() -> set[str]:
    """Every file of problems/ and solutions/ in this checkout, but what Python has compiled."""
    paths = [path for name in ("problems", "solutions") for path in (ROOT / name).rglob("*")]
    return {path.relative_to(ROOT).as_posix() for path in paths if path.is_file() and "__pycache__" not in path.parts}


def names_in(archive: Path) -> list[str]:
    """The files of a wheel, or of an sdist below its own folder."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            return wheel.namelist()
    with tarfile.open(archive) as sdist:
        return [name.partition("/")[2] for name in sdist.getnames()]


def carried(wheel: Path) -> set[str]:
    """The files of the bank's package in a wheel, by their path in the package."""
    package = "shardwise_bank/"
    return {name.removeprefix(package) for name in names_in(wheel) if name.startswith(package)}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a wheel and an sdist of both distributions."""
    out = tmp_path_factory.mktemp("built")
    for folder in (ROOT, ROOT / "shardwise-bank"):
        uv("build", "--quiet", "--wheel", "--sdist", "--out-dir", out, folder)
    return out


@pytest.fixture(scope="module")
def bank_wheel(built: Path) -> Path:
    return next(built.glob("shardwise_bank-*.whl"))


def folder_told_by(python: Path, cwd: Path) -> Path:
    """What `shardwise_bank.folder()` says in that environment."""
    command = [python, "-c", "import shardwise_bank; print(shardwise_bank.folder())"]
    done = subprocess.run(command, env=ENVIRONMENT, cwd=cwd, capture_output=True, text=True, check=True)
    return Path(done.stdout.strip())


def test_both_distributions_have_one_version() -> None:
    program, bank = project(ROOT), project(ROOT / "shardwise-bank")
    assert program["version"] == bank["version"] == shardwise.__version__
    assert f"shardwise=={program['version']}" in bank["dependencies"]
    assert program["requires-python"] == bank["requires-python"]
    assert (ROOT / "LICENSE").read_text("utf-8") == (ROOT / "shardwise-bank" / "LICENSE").read_text("utf-8")


@pytest.mark.slow
def test_the_program_s_wheel_holds_no_problem_and_no_reference(built: Path) -> None:
    (wheel,) = built.glob("shardwise-*.whl")
    names = names_in(wheel)
    assert {"shardwise/__init__.py", "shardwise/py.typed", "shardwise/student/widget/desk.js"} <= set(names)
    assert not [name for name in names if {"problems", "solutions"} & {*Path(name).parts}]
    assert not [name for name in names if name.endswith((".yaml", ".yml"))]


@pytest.mark.slow
def test_the_bank_s_wheel_holds_every_problem_and_every_reference(bank_wheel: Path) -> None:
    package = ROOT / "shardwise-bank" / "shardwise_bank"
    code = {path.relative_to(package).as_posix() for path in package.rglob("*.py") if "solutions" not in path.parts}
    assert carried(bank_wheel) == {"static/forms.js", *code, *files_of_the_bank()}


@pytest.mark.slow
def test_a_wheel_built_from_the_bank_s_sdist_holds_the_same(built: Path, bank_wheel: Path, tmp_path: Path) -> None:
    (sdist,) = built.glob("shardwise_bank-*.tar.gz")
    assert not [name for name in names_in(sdist) if "__pycache__" in name]
    uv("build", "--quiet", "--wheel", "--out-dir", tmp_path, sdist)
    assert carried(tmp_path / bank_wheel.name) == carried(bank_wheel)


@pytest.mark.slow
def test_the_program_s_sdist_brings_its_tests_and_the_bank_that_they_use(built: Path) -> None:
    (sdist,) = built.glob("shardwise-*.tar.gz")
    names = set(names_in(sdist))
    assert names >= files_of_the_bank()
    assert names >= {path.relative_to(ROOT).as_posix() for path in (ROOT / "tests").rglob("*.py")}
    assert names >= {
        "Makefile",
        "requirements-dev.lock",
        "hatch_build.py",
        "desk/package-lock.json",
        "grader/shardwise/student/widget/desk.js",
        "shardwise-bank/shardwise_bank/static/forms.js",
        "shardwise-bank/pyproject.toml",
        "shardwise-bank/hatch_build.py",
    }


@pytest.mark.slow
def test_without_the_forms_and_npm_a_build_says_what_to_do(built: Path, tmp_path: Path) -> None:
    (sdist,) = built.glob("shardwise-*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (checkout,) = tmp_path.iterdir()
    (checkout / "grader" / "shardwise" / "student" / "widget" / "desk.js").unlink()
    command = [sys.executable, "-m", "uv", "build", "--wheel", "--out-dir", tmp_path / "out", checkout]
    without_npm = {**ENVIRONMENT, "PATH": str(tmp_path)}
    done = subprocess.run(command, env=without_npm, capture_output=True, text=True)
    assert done.returncode and "Run `make desk`, which installs npm" in done.stderr


@pytest.mark.slow
def test_an_installed_bank_finds_its_problems_inside_the_package(built: Path, tmp_path: Path) -> None:
    python = tmp_path / "environment" / "bin" / "python"
    uv("venv", "--quiet", "--python", sys.executable, tmp_path / "environment")
    uv("pip", "install", "--quiet", "--python", python, "--no-deps", *built.glob("*.whl"))
    folder = folder_told_by(python, tmp_path)
    assert folder.is_relative_to(tmp_path / "environment")
    assert folder.name == "shardwise_bank"
    assert (folder / "problems" / "02-zero" / "chapter.yaml").is_file()
    assert (folder / "solutions" / "oracles" / "zero" / "zero.py").is_file()


@pytest.mark.slow
def test_an_editable_bank_reads_the_checkout(tmp_path: Path) -> None:
    python = tmp_path / "environment" / "bin" / "python"
    uv("venv", "--quiet", "--python", sys.executable, tmp_path / "environment")
    uv(
        "pip",
        "install",
        "--quiet",
        "--python",
        python,
        "--no-deps",
        "--editable",
        ROOT,
        "--editable",
        ROOT / "shardwise-bank",
    )
    assert folder_told_by(python, tmp_path) == ROOT
    installed = next((tmp_path / "environment").rglob("site-packages"))
    assert not list(installed.rglob("chapter.yaml"))
