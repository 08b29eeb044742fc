"""What is shipped: the program without a problem, and the bank with all of them, from a wheel, an sdist or a checkout."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import pytest
import yaml

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


def test_both_projects_ask_for_the_same_python_and_have_the_same_licence() -> None:
    assert project(ROOT)["requires-python"] == project(ROOT / "shardwise-bank")["requires-python"]
    assert (ROOT / "LICENSE").read_text("utf-8") == (ROOT / "shardwise-bank" / "LICENSE").read_text("utf-8")


@pytest.mark.slow
def test_both_distributions_have_the_version_that_the_program_says(built: Path) -> None:
    metadata = {}
    for wheel in built.glob("*.whl"):
        (name,) = (name for name in names_in(wheel) if name.endswith(".dist-info/METADATA"))
        with zipfile.ZipFile(wheel) as archive:
            metadata[wheel.name.partition("-")[0]] = archive.read(name).decode().splitlines()
    assert f"Version: {shardwise.__version__}" in metadata["shardwise"]
    assert f"Version: {shardwise.__version__}" in metadata["shardwise_bank"]
    assert f"Requires-Dist: shardwise=={shardwise.__version__}" in metadata["shardwise_bank"]


@pytest.mark.slow
def test_the_program_s_wheel_holds_no_problem_and_no_reference(built: Path) -> None:
    (wheel,) = built.glob("shardwise-*.whl")
    names = names_in(wheel)
    assert {"shardwise/__init__.py", "shardwise/py.typed", "shardwise/student/widget/desk.js"} <= set(names)
    assert not [name for name in names if {"problems", "solutions"} & {*Path(name).parts}]
    yaml = [Path(name) for name in names if name.endswith((".yaml", ".yml"))]
    assert {path.parent.name for path in yaml} <= {"beginnings", "sets", "lint", "for-students", "workflows"}


@pytest.mark.slow
def test_the_bank_s_wheel_holds_every_problem_and_every_reference(bank_wheel: Path) -> None:
    package = ROOT / "shardwise-bank" / "shardwise_bank"
    code = {path.relative_to(package).as_posix() for path in package.rglob("*.*") if path.suffix in (".py", ".md")}
    code = {name for name in code if not name.startswith("solutions/")}
    assert carried(bank_wheel) == {"static/forms.js", *code, *files_of_the_bank()}
    assert len(names_in(bank_wheel)) == len(set(names_in(bank_wheel)))


@pytest.mark.slow
def test_a_wheel_built_from_the_bank_s_sdist_holds_the_same(built: Path, bank_wheel: Path, tmp_path: Path) -> None:
    (sdist,) = built.glob("shardwise_bank-*.tar.gz")
    assert not [name for name in names_in(sdist) if "__pycache__" in name]
    assert len(names_in(sdist)) == len(set(names_in(sdist)))
    with tarfile.open(sdist) as archive:
        assert all(member.isfile() for member in archive)  # no link to a folder that is not there
    uv("build", "--quiet", "--wheel", "--out-dir", tmp_path, sdist)
    assert carried(tmp_path / bank_wheel.name) == carried(bank_wheel)


@pytest.mark.slow
def test_where_git_makes_no_links_the_package_is_the_same(bank_wheel: Path, tmp_path: Path) -> None:
    """On Windows the link to solutions/ is a small file of text."""
    checkout, package = tmp_path / "checkout", "shardwise-bank/shardwise_bank"
    for name in ("shardwise-bank", "problems", "solutions", "grader"):
        hidden = shutil.ignore_patterns("__pycache__", *(["solutions"] if name == "shardwise-bank" else []))
        shutil.copytree(ROOT / name, checkout / name, ignore=hidden)
    (checkout / package / "solutions").write_text("../../solutions")
    uv("build", "--quiet", "--wheel", "--out-dir", tmp_path, checkout / "shardwise-bank")
    assert carried(tmp_path / bank_wheel.name) == carried(bank_wheel)
    program = (
        "import shardwise_bank.solutions as found, shardwise_bank; print(found.__path__[0], shardwise_bank.folder())"
    )
    path = {**ENVIRONMENT, "PYTHONPATH": str(checkout / "shardwise-bank")}
    done = subprocess.run([sys.executable, "-c", program], env=path, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.split() == [str(checkout / "solutions"), str(checkout)], done.stderr


@pytest.mark.slow
def test_the_program_s_sdist_brings_its_tests_and_the_bank_that_they_use(built: Path) -> None:
    (sdist,) = built.glob("shardwise-*.tar.gz")
    names = set(names_in(sdist))
    assert names >= files_of_the_bank()
    assert not [name for name in names if name.startswith("shardwise-bank/shardwise_bank/solutions")]
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
def test_a_checkout_installs_where_there_is_no_npm(built: Path, tmp_path: Path) -> None:
    """As `pip install . ./shardwise-bank` does after a git clone: the build brings its own Node."""
    (sdist,) = built.glob("shardwise-*.tar.gz")
    with tarfile.open(sdist) as archive:
        archive.extractall(tmp_path, filter="data")
    (checkout,) = tmp_path.glob("shardwise-*")
    for forms in ("grader/shardwise/student/widget/desk.js", "shardwise-bank/shardwise_bank/static/forms.js"):
        (checkout / forms).unlink()
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("sh", "env"):  # what npm's own scripts need
        (programs / name).symlink_to(shutil.which(name) or "")
    uv("venv", "--quiet", "--seed", "--python", sys.executable, tmp_path / "environment")
    command = [tmp_path / "environment" / "bin" / "pip", "install", "--quiet", "--no-deps", ".", "./shardwise-bank"]
    done = subprocess.run(
        command, cwd=checkout, env={**ENVIRONMENT, "PATH": str(programs)}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    (site,) = (tmp_path / "environment").glob("lib/python*/site-packages")
    assert (site / "shardwise" / "student" / "widget" / "desk.js").stat().st_size > 100_000
    assert (site / "shardwise_bank" / "static" / "forms.js").is_file()


class Installed:
    """An environment with wheels and their dependencies, and nothing of the checkout."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.python = folder, folder / "environment" / "bin" / "python"
        self.environment = {
            **ENVIRONMENT,
            **{f"XDG_{name}_HOME": str(folder / name) for name in ("CONFIG", "DATA", "CACHE")},
        }
        self.environment["SHARDWISE_PROGRESS"] = str(folder / "progress.sqlite")
        uv("venv", "--quiet", "--python", sys.executable, folder / "environment")

    def install(self, *wheels: Path) -> None:
        uv("pip", "install", "--quiet", "--python", self.python, *wheels)

    def run(self, words: str, typed: str = "") -> str:
        command = [self.folder / "environment" / "bin" / "shardwise", *shlex.split(words)]
        done = subprocess.run(
            command, env=self.environment, cwd=self.folder, input=typed, capture_output=True, text=True
        )
        assert done.returncode == 0, f"{words}\n{done.stdout}{done.stderr}"
        return done.stdout


@pytest.mark.slow
def test_both_wheels_in_an_environment_of_their_own_do_all_that_a_course_needs(built: Path, tmp_path: Path) -> None:
    there = Installed(tmp_path)
    there.install(*built.glob("shardwise-*.whl"))
    assert "layout" not in there.run("kinds")
    there.run("init bank mine")
    assert "all sound" in there.run("lint first-quantity --bank mine --seeds 5")
    assert "01-first-chapter/first-" in there.run("practice --bank mine --chapter 01-first-chapter", "quit\n")
    there.install(*built.glob("shardwise_bank-*.whl"))
    assert "layout" in there.run("kinds")
    assert "02-zero" in there.run("list --chapter 02-zero")
    assert "16 notebooks, 16 changed" in there.run("render")
    (tmp_path / "set.yaml").write_text("name: week-1\ntitle: Week 1\nproblems: [bytes-per-gpu, a-layout-that-fits]\n")
    (tmp_path / "roster.csv").write_text("student,name\nada,Ada\n")
    there.run("assign set.yaml --roster roster.csv --out course")
    shutil.copytree(tmp_path / "course" / "notebooks", tmp_path / "course" / "submitted")
    assert "1 graded, 0 could not be" in there.run("grade course/submitted --out course/results")
    assert "MFU" in there.run(
        "plan --model llama3-70b --cluster h100-512 --tp 8 --pp 4 --virtual-stages 5 --global-batch 1024"
    )
    assert "01-ring-all-reduce/" in there.run("practice --chapter 01-ring-all-reduce", "quit\n")


@pytest.mark.slow
def test_a_bank_in_a_wheel_is_found_by_its_name_assigned_and_graded(built: Path, tmp_path: Path) -> None:
    uv("build", "--quiet", "--wheel", "--out-dir", tmp_path / "wheel", ROOT / "examples" / "bank")
    there = Installed(tmp_path)
    there.install(*built.glob("shardwise-*.whl"), *(tmp_path / "wheel").glob("*.whl"))
    (line,) = there.run("banks").splitlines()[1:]
    assert re.fullmatch(r"finance +1 +10 +.*/site-packages/finance_bank", line)
    assert "01-loans-and-bonds/monthly-payment" in there.run("list --bank finance")
    assert "all sound" in there.run("lint monthly-payment where-the-payments-go --bank finance --seeds 5")
    (tmp_path / "set.yaml").write_text("name: week-1\ntitle: Week 1\nproblems: [monthly-payment]\n")
    (tmp_path / "roster.csv").write_text("student,name\nada,Ada\n")
    there.run("assign set.yaml --roster roster.csv --bank finance --out course")
    shutil.copytree(tmp_path / "course" / "notebooks", tmp_path / "course" / "submitted")
    assert "1 graded, 0 could not be" in there.run("grade course/submitted --out course/results")
    there.run("render --bank finance --out practice")
    assert 'bank=\\"finance\\"' in (tmp_path / "practice" / "01-loans-and-bonds.ipynb").read_text("utf-8")


OF_THE_BANK = re.compile(
    r"pipeline|gpu|tensor.?parallel|data.?parallel|micro.?batch|all.?reduce|nvlink|megatron|zero-[123]|02-zero|\bmfu\b",
    re.IGNORECASE,
)
DATA = {  # words that people write in answers and templates, and what they mean: data, of which a bank uses what it needs
    "units": "units are of computing, and nouns are what people call what is counted",
    "kinds/quantity/slips/words.py": "what parameters are called in words",
    "kinds/quantity/slips/arguments.py": "which parameters count what work is shared out to",
    "kinds/quantity/slips/variants.py": "a slip that only a ring has, in words",
    "kinds/formula/spelling.py": "units that people write behind a formula",
    "kinds/formula/advice.py": "units that people take for symbols",
}


def test_no_module_of_the_program_speaks_of_the_field_of_the_bank_that_ships_beside_it() -> None:
    package = ROOT / "grader" / "shardwise"
    found = [
        f"{name}:{number}: {line.strip()[:100]}"
        for path in sorted(package.rglob("*.py"))
        if not (name := path.relative_to(package).as_posix()).startswith(tuple(DATA))
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1)
        if OF_THE_BANK.search(line)
    ]
    assert found == []


def test_a_release_publishes_each_distribution_alone_and_from_its_own_environment(built: Path) -> None:
    """PyPI creates one project for a pending publisher, and accepts one of those for a workflow and an environment."""
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "release.yml").read_text("utf-8"))["jobs"]
    uploads = {
        step["with"]["name"]: step["with"]["path"]
        for step in jobs["build"]["steps"]
        if "if-no-files-found" in step.get("with", {})
    }
    publish = jobs["publish"]
    packages = publish["strategy"]["matrix"]["package"]
    assert (
        sorted(packages)
        == sorted(uploads)
        == sorted(project(ROOT / folder)["name"] for folder in (".", "shardwise-bank"))
    )
    assert publish["steps"][0]["with"]["name"] == "${{ matrix.package }}"
    for package, pattern in uploads.items():
        found = {path.name for path in built.glob(Path(pattern).name)}
        stem = f"{package.replace('-', '_')}-{shardwise.__version__}"
        assert found == {f"{stem}.tar.gz", f"{stem}-py3-none-any.whl"}
        environment = publish["environment"].replace("${{ matrix.package }}", package)
        assert f"environment `{environment}`" in (ROOT / "CONTRIBUTING.md").read_text("utf-8")
