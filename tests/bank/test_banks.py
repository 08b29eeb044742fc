"""Banks: found as configured, kept separate, cached by content, and digested completely."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from added_kinds import install, path_with
from checkout import ROOT
from shardwise.bank.bank import Bank, Banks
from shardwise.bank.digests import digest_of
from shardwise.bank.discovery import open_banks, shipped
from shardwise.bank.posing import pose
from shardwise.errors import Faulty, ShardwiseError
from shardwise.student import api
from shardwise.template.references import References

PROBLEM = """\
title: "{title}"
kind: quantity
points: 2
difficulty: easy
source: "Rajbhandari et al. 2020, section 3"
params:
  gpus: {{choice: [2, 4, 8]}}
prompt: |
  {title}, for {{{{ gpus }}}} GPUs: how many bytes?
answer:
  reference: zero.states
  oracle: zero.counted
  unit: B
mistakes:
  - {{factor: 0.5, say: That is half of it.}}
hints: [Count them one by one.]
solution: "There are {{{{ key }}}}."
"""


@pytest.fixture(autouse=True)
def _no_bank_of_the_surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No bank is named, there is no shardwise.toml in a parent folder, and nothing is cached."""
    monkeypatch.delenv("SHARDWISE_BANK", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setattr(api, "_SESSION", api.Session())


@pytest.fixture
def a_bank(tmp_path: Path) -> Callable[..., Path]:
    """A function that creates a bank with one problem, from the bytes that each GPU adds and the problem's name."""

    def make(
        name: str, each: int = 10, *, chapter: str = "01-zero", slug: str = "state-bytes", title: str = ""
    ) -> Path:
        folder = tmp_path / name
        lessons = folder / "problems" / chapter
        (folder / "solutions" / "oracles").mkdir(parents=True)
        lessons.mkdir(parents=True)
        (folder / "solutions" / "sizes.py").write_text(f"EACH = {each}\n")
        reference = "from .sizes import EACH\n\n\ndef states(*, gpus: int) -> int:\n    return EACH * gpus\n"
        oracle = "from ..sizes import EACH\n\n\ndef counted(*, gpus: int) -> int:\n    return sum(EACH for _ in range(gpus))\n"
        (folder / "solutions" / "zero.py").write_text(reference)
        (folder / "solutions" / "oracles" / "zero.py").write_text(oracle)
        (lessons / "chapter.yaml").write_text(f"title: Zero\nsummary: The only chapter.\nproblems: [{slug}]\n")
        (lessons / f"{slug}.yaml").write_text(PROBLEM.format(title=title or f"A problem of {name}"))
        return folder

    return make


def key_of(bank: Bank | Banks, name: str = "state-bytes") -> float:
    """Return the key for 2 GPUs."""
    for seed in range(50):
        question = pose(bank.find(name), seed)
        if question.params["gpus"] == "2":
            return float(question.key.value)  # type: ignore[attr-defined]
    raise AssertionError


# Two banks ------------------------------------------------------------------------------------------------------------


def test_a_bank_replaces_and_adds_problems_in_a_chapter_of_another(a_bank: Callable[..., Path]) -> None:
    theirs, ours = a_bank("theirs"), a_bank("ours", 700)
    lessons = theirs / "problems" / "01-zero"
    for slug in ("more-bytes", "fewer-bytes"):
        (lessons / f"{slug}.yaml").write_text(PROBLEM.format(title=slug))
    (lessons / "chapter.yaml").write_text(
        "title: Zero\nsummary: Their chapter.\nproblems:\n  One: [more-bytes, state-bytes]\n  Two: [fewer-bytes]\n"
    )
    (ours / "problems" / "01-zero" / "our-bytes.yaml").write_text(PROBLEM.format(title="Ours"))
    (ours / "problems" / "01-zero" / "chapter.yaml").write_text(
        "title: Mine\nsummary: Our chapter.\nproblems: [state-bytes, our-bytes]\n"
    )
    both = open_banks([ours, theirs])
    chapter = both.of("01-zero")
    assert chapter.folder == theirs
    assert chapter.chapters["01-zero"].sections == {
        "One": ("more-bytes", "state-bytes"),
        "Two": ("fewer-bytes", "our-bytes"),
    }
    slugs = ["more-bytes", "state-bytes", "fewer-bytes", "our-bytes"]
    assert [problem.slug for problem in both.of_chapter("01-zero")] == slugs
    assert [problem.bank for problem in chapter.of_chapter("01-zero")] == [theirs, ours, theirs, ours]
    assert [both.label(problem) for problem in both.problems] == ["1.1", "1.2", "1.3", "1.4"]


def test_two_banks_with_a_module_of_the_same_name_stay_separate(a_bank: Callable[..., Path]) -> None:
    ours, theirs = Bank.open(a_bank("ours", 10)), Bank.open(a_bank("theirs", 700))
    assert (key_of(ours), key_of(theirs), key_of(ours)) == (20, 1400, 20)
    assert [bank.references.oracle("zero.counted")(gpus=2) for bank in (ours, theirs)] == [20, 1400]
    both = Banks([ours, theirs])
    assert key_of(both) == 20
    assert key_of(Banks([theirs, ours])) == 1400


def test_of_two_problems_with_the_same_name_the_first_banks_is_used(a_bank: Callable[..., Path]) -> None:
    ours, theirs = a_bank("ours"), a_bank("theirs")
    other = a_bank("other", slug="more-bytes", chapter="02-more")
    banks = open_banks([ours, theirs, other])
    assert list(banks.problems) == ["01-zero/state-bytes", "02-more/more-bytes"]
    assert [problem.title for problem in banks.problems.values()] == ["A problem of ours", "A problem of other"]
    assert banks.find("state-bytes").title == "A problem of ours"
    assert banks.find("01-zero/state-bytes").title == "A problem of ours"
    assert list(banks.chapters) == ["01-zero", "02-more"]
    assert banks.of("01-zero").folder == ours
    assert [problem.title for problem in banks.of_chapter("02-more")] == ["A problem of other"]
    assert str(banks) == ", ".join(f"{folder} (1 chapter, 1 problem)" for folder in (ours, theirs, other))
    assert {banks.find_chapter(name) for name in (2, "02", "02-more", "More", "mor")} == {"02-more"}
    with pytest.raises(ShardwiseError, match="Several chapters match 'z': 01-zero, 02-more"):
        banks.find_chapter("z")
    with pytest.raises(ShardwiseError, match=r"Unknown chapter '3'\. The chapters are 01-zero, 02-more\."):
        banks.find_chapter(3)
    with pytest.raises(ShardwiseError, match=r"Unknown chapter '09-none'. The chapters are 01-zero, 02-more\."):
        banks.of("09-none")
    with pytest.raises(ShardwiseError, match=r"Unknown problem “stat-bytes”\. Did you mean state-bytes"):
        banks.find("stat-bytes")


# Which banks are meant ------------------------------------------------------------------------------------------------


def folders(*named: str | Path, start: Path | None = None) -> list[Path]:
    return [bank.folder for bank in open_banks(named, start=start).all]


def test_what_is_named_comes_before_the_variable_the_settings_and_the_shipped_bank(
    a_bank: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    named, variable, settings = a_bank("named"), a_bank("variable"), a_bank("settings")
    assert folders() == [shipped()]
    (tmp_path / "shardwise.toml").write_text('bank = ["settings"]\n')
    assert folders() == [settings]
    monkeypatch.setenv("SHARDWISE_BANK", str(variable))
    assert folders() == [variable]
    assert folders(named) == [named]
    monkeypatch.setenv("SHARDWISE_BANK", " ")
    assert folders() == [settings]


def test_several_banks_are_used_in_the_order_in_which_they_are_named(
    a_bank: Callable[..., Path], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first, second = a_bank("first"), a_bank("second")
    assert folders(second, first, second) == [second, first]
    assert folders("../first", "shipped") == [first, shipped()]
    monkeypatch.setenv("HOME", str(tmp_path))
    assert folders("~/second") == [second]
    monkeypatch.setenv("SHARDWISE_BANK", os.pathsep.join(["../second", "", "shipped", str(first)]))
    assert folders() == [second, shipped(), first]


def test_the_nearest_settings_count_and_their_paths_are_relative_to_them(
    a_bank: Callable[..., Path], tmp_path: Path
) -> None:
    near, far = a_bank("near"), a_bank("far")
    deep = tmp_path / "work" / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / "shardwise.toml").write_text('bank = "far"  # a text is a list of one\n')
    assert folders(start=deep) == [far]
    (tmp_path / "work" / "shardwise.toml").write_text('bank = ["../near", "shipped"]\n')
    assert folders(start=deep) == [near, shipped()]
    (deep / "shardwise.toml").write_text("")  # prints nothing
    assert folders(start=deep) == [shipped()]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('bank = ["."', "shardwise.toml cannot be read: "),
        ("bank = 5", "shardwise.toml: expected bank = [\"FOLDER\", ...], not 5."),
        ('banks = ["."]', "shardwise.toml: unknown setting banks. The only setting is bank."),
        ('bank = ["."]\nseed = 1\ncourse = "x"', "shardwise.toml: unknown setting course, seed. The only setting is bank."),
        ('bank = ["nowhere"]', "nowhere is not a bank: it has no folder problems/. To create one:  shardwise init bank "),
        ('bank = "\\ud800"', "shardwise.toml cannot be read: "),
        ("bank = " + "[" * 20_000 + "]" * 20_000, "shardwise.toml cannot be read: it is nested too deeply."),
    ],
)  # fmt: skip
def test_invalid_settings_are_reported_with_what_was_expected(tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "shardwise.toml").write_text(text)
    with pytest.raises(ShardwiseError) as caught:
        open_banks()
    assert words in str(caught.value)
    assert str(tmp_path) in str(caught.value)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (Path.mkdir, "Is a directory"),
        (os.mkfifo, "it is a pipe, a socket or a device"),
        (lambda file: file.symlink_to("nowhere"), "it is a dangling link"),
    ],
)
def test_settings_that_are_not_a_file_are_reported(
    a_bank: Callable[..., Path], tmp_path: Path, make: Callable[[Path], None], words: str
) -> None:
    make(tmp_path / "shardwise.toml")
    with pytest.raises(ShardwiseError, match=rf"shardwise\.toml: cannot be read: {words}"):
        open_banks()
    assert folders(named := a_bank("named")) == [named]


def test_a_name_that_is_too_long_for_a_folder_is_reported() -> None:
    told = api.use_bank("a" * 5000)
    assert "cannot be opened: File name too long." in told.markdown
    assert len(told.markdown) < 200


def test_a_folder_that_is_not_a_bank_is_reported(tmp_path: Path) -> None:
    words = "is not a bank: it has no folder problems/. To create one:  shardwise init bank"
    with pytest.raises(ShardwiseError, match=f"nowhere {words}"):
        open_banks([tmp_path / "nowhere"])
    (tmp_path / "a-file").write_text("x")
    with pytest.raises(ShardwiseError, match=f"a-file {words}"):
        open_banks([tmp_path / "a-file"])
    (tmp_path / "empty" / "problems").mkdir(parents=True)
    with pytest.raises(
        ShardwiseError, match=r"problems contains no chapter\. A chapter is a folder with a chapter\.yaml\."
    ):
        open_banks([tmp_path / "empty"])


def test_without_an_installed_bank_the_error_explains_how_to_get_or_name_one(
    monkeypatch: pytest.MonkeyPatch, a_bank: Callable[..., Path]
) -> None:
    mine, find_spec = a_bank("mine"), importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *more: None if name == "shardwise_bank" else find_spec(name, *more)
    )
    assert folders(mine) == [mine]
    for named in ((), ("shipped",), (mine, "shipped")):
        with pytest.raises(ShardwiseError) as caught:
            open_banks(named)
        assert "pip install shardwise-bank" in str(caught.value)
        assert 'bank = ["DIR"] in a shardwise.toml' in str(caught.value)
    told = api.check("bytes-per-gpu", "1 GB")
    assert isinstance(told, api.Message)  # students see no traceback
    assert "pip install shardwise-bank" in told.markdown


def test_an_installed_bank_whose_files_are_gone_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    import shardwise_bank

    def folder() -> Path:
        raise FileNotFoundError("Neither /a nor /b contains problems/ and solutions/. Reinstall shardwise-bank.")

    monkeypatch.setattr(shardwise_bank, "folder", folder)
    with pytest.raises(ShardwiseError, match=r"Reinstall shardwise-bank\."):
        open_banks()


# In a student's session -----------------------------------------------------------------------------------------------


def said(made: Any) -> str:
    assert isinstance(made, api.Message), made
    return made.markdown


def test_a_session_uses_the_banks_that_it_is_given(a_bank: Callable[..., Path]) -> None:
    ours, theirs = a_bank("ours"), a_bank("theirs", slug="more-bytes")
    assert said(api.use_bank(str(ours))) == f"Bank: {ours} (1 chapter, 1 problem)"
    assert "A problem of ours" in said(api.another("state-bytes"))
    assert "Unknown problem “more-bytes”" in said(api.check("more-bytes", "1 B"))
    assert said(api.use_bank(str(theirs), str(ours))).startswith(f"Bank: {theirs} (1 chapter, 1 problem), {ours} (")
    for name in ("state-bytes", "more-bytes"):
        assert isinstance(api.check(name, "1 B"), api.Checked)
    assert said(api.use_bank("shipped")).startswith(f"Bank: {shipped()} (")
    assert isinstance(api.check("bytes-per-gpu", "1 GB"), api.Checked)


def test_what_was_practised_before_is_forgotten_with_its_bank(a_bank: Callable[..., Path]) -> None:
    folder = str(a_bank("ours"))
    api.use_bank(folder)
    before = said(api.another("state-bytes"))
    assert said(api.hint()).startswith("**Hint 1.**")
    api.use_bank(folder)
    assert said(api.hint()).startswith("Which problem?")
    assert said(api.hint("state-bytes")).startswith("**Hint 1.**")
    assert said(api.another("state-bytes")) == before


@pytest.mark.parametrize("broken", ["nowhere", "faulty"])
def test_a_bank_that_cannot_be_opened_leaves_the_session_as_it_was(a_bank: Callable[..., Path], broken: str) -> None:
    api.use_bank(str(a_bank("ours")))
    api.another("state-bytes")
    faulty = a_bank("faulty")
    (faulty / "problems" / "01-zero" / "chapter.yaml").write_text("titel: Zero\n")
    told = said(api.use_bank(str(faulty.with_name(broken))))
    assert ("is not a bank" if broken == "nowhere" else "chapter.yaml:1:1: titel: unknown key 'titel'") in told
    assert said(api.hint()).startswith("**Hint 1.**")  # still for the previous problem


def test_a_kernel_in_a_folder_with_settings_finds_its_bank(a_bank: Callable[..., Path], tmp_path: Path) -> None:
    a_bank("mine")
    (tmp_path / "shardwise.toml").write_text('bank = ["mine"]\n')
    cell = "from shardwise import check\nprint(check('state-bytes', '1 B'))"
    ran = subprocess.run(
        [sys.executable, "-c", cell], cwd=tmp_path / "work", capture_output=True, text=True, check=True
    )
    assert ran.stdout.startswith("✗ Not yet")


# Reading --------------------------------------------------------------------------------------------------------------


def test_an_edited_file_is_read_when_the_bank_is_opened_again(a_bank: Callable[..., Path]) -> None:
    folder = a_bank("ours")
    path = folder / "problems" / "01-zero" / "state-bytes.yaml"
    text = path.read_text()
    path.write_text(text.replace("A problem of ours", "A problem of ouch"))
    assert Bank.open(folder).read_all().find("state-bytes").title == "A problem of ouch"
    path.write_text(text.replace("points", "pionts"))
    with pytest.raises(Faulty, match="unknown key 'pionts'"):
        Bank.open(folder).read_all()


def test_a_key_in_the_wrong_place_is_not_taken_for_a_typo(a_bank: Callable[..., Path]) -> None:
    folder = a_bank("ours")
    path = folder / "problems" / "01-zero" / "state-bytes.yaml"
    path.write_text(path.read_text().replace("answer:\n", "answer:\n  points: 1\n"))
    problem = Bank.open(folder).read_all().find("state-bytes")
    with pytest.raises(Faulty, match=r"unknown key 'points'[^?]*move it to where it belongs"):
        pose(problem, 1)


def test_a_fault_that_a_list_does_not_need_is_reported_when_the_problem_is_posed(a_bank: Callable[..., Path]) -> None:
    folder = a_bank("ours")
    path = folder / "problems" / "01-zero" / "state-bytes.yaml"
    path.write_text(path.read_text().replace("hints", "hnits"))
    problem = Bank.open(folder).read_all().find("state-bytes")
    with pytest.raises(Faulty, match="unknown key 'hnits'"):
        pose(problem, 1)


# Digests --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["problems/01-zero/state-bytes.yaml", "problems/01-zero/chapter.yaml", "problems/01-zero/lesson.md", "problems/01-zero/figures/a.png",
     "solutions/zero.py", "solutions/oracles/zero.py", "solutions/prices.json", "solutions/deep/er/table.csv", "problems/README.md"],
)  # fmt: skip
def test_every_file_of_a_bank_counts_for_its_digest(a_bank: Callable[..., Path], name: str) -> None:
    folder = a_bank("ours")
    for path in (folder / "problems" / "01-zero" / "figures" / "a.png", folder / "solutions" / "prices.json"):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"\x89PNG\xff 1")
    before = Bank.open(folder).digest
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes((path.read_bytes() if path.exists() else b"") + b"#")
    assert Bank.open(folder).digest != before


@pytest.mark.parametrize(
    "name",
    ["solutions/__pycache__/zero.cpython-311.pyc", "solutions/oracles/__pycache__/x.pyc", "problems/01-zero/.state.yaml.swp",
     "problems/.ipynb_checkpoints/a.ipynb", "solutions/.DS_Store", "notes.txt", ".git/HEAD", "shardwise.toml"],
)  # fmt: skip
def test_what_python_and_editors_leave_behind_counts_for_nothing(a_bank: Callable[..., Path], name: str) -> None:
    folder = a_bank("ours")
    before = Bank.open(folder).digest
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"x")
    assert Bank.open(folder).digest == before


def test_a_digest_depends_on_where_one_file_ends_and_the_next_begins(tmp_path: Path) -> None:
    first, second, third = (tmp_path / name / "same" for name in "abc")
    for folder, files in (
        (first, {"a": "xy", "b": "z"}),
        (second, {"a": "x", "b": "yz"}),
        (third, {"a": "xy", "c": "z"}),
    ):
        folder.mkdir(parents=True)
        for name, text in files.items():
            (folder / name).write_text(text)
    assert len({digest_of(folder) for folder in (first, second, third)}) == 3


def test_a_digest_does_not_depend_on_the_banks_location(a_bank: Callable[..., Path], tmp_path: Path) -> None:
    folder = a_bank("ours")
    before = Bank.open(folder).digest
    assert Bank.open(folder.rename(tmp_path / "moved")).digest == before
    both = Banks([Bank.open(tmp_path / "moved"), Bank.open(a_bank("theirs"))])
    assert both.digest not in [bank.digest for bank in both.all]
    assert both.digest != Banks(both.all[::-1]).digest


# References that cannot be had ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("none.states", "solutions/none.py does not exist"),
        ("zero.stats", "solutions/zero.py has no function 'stats'"),
        ("raising.f", "solutions/raising.py cannot be loaded: ZeroDivisionError: division by zero"),
        (
            "importing.f",
            "solutions/importing.py cannot be loaded: ModuleNotFoundError: No module named 'not_installed_anywhere'",
        ),
        ("exiting.f", "solutions/exiting.py cannot be loaded: SystemExit: 3"),
        ("spelling.f", "solutions/spelling.py cannot be loaded: SyntaxError: "),
    ],
)
def test_an_unloadable_reference_is_distinguished_from_a_missing_one(
    a_bank: Callable[..., Path], name: str, words: str
) -> None:
    folder = a_bank("ours")
    sources = {
        "raising": "1 / 0", "importing": "import not_installed_anywhere",
        "exiting": "import sys\nsys.exit(3)", "spelling": "def f(:",
    }  # fmt: skip
    for module, source in sources.items():
        (folder / "solutions" / f"{module}.py").write_text(source)
    references = References(folder / "solutions")
    for _ in range(2):  # a second attempt fails too
        with pytest.raises(ShardwiseError) as caught:
            references.reference(name)
        assert str(caught.value).startswith(words)


def test_a_student_sees_the_faults_of_a_bank_without_a_traceback(a_bank: Callable[..., Path]) -> None:
    folder = a_bank("ours")
    (folder / "solutions" / "zero.py").write_text("import not_installed_anywhere\n")
    api.use_bank(str(folder))
    told = said(api.check("state-bytes", "20 B"))
    assert told.startswith("01-zero/state-bytes, seed 0: solutions/zero.py cannot be loaded: ModuleNotFoundError")
    path = folder / "problems" / "01-zero" / "state-bytes.yaml"
    path.write_text(path.read_text().replace("points", "pionts"))
    api.use_bank(str(folder))
    told = said(api.check("state-bytes", "20 B"))
    assert told.startswith("```text\nproblems/01-zero/state-bytes.yaml:")
    assert "pionts: unknown key 'pionts'" in told


def test_installed_banks_are_listed_and_a_broken_one_says_why(tmp_path: Path) -> None:
    install(ROOT / "examples" / "bank", tmp_path)

    def run(*words: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "PYTHONPATH": path_with(tmp_path)}
        command = [sys.executable, "-m", "shardwise", *words]
        return subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)

    (tmp_path / "finance").mkdir()  # a folder of that name, perhaps a student's, is not meant
    assert f"Bank: {tmp_path}/finance_bank (1 chapter, 10 problems)" in run("list", "--bank", "finance").stderr
    (tmp_path / "shardwise.toml").write_text('bank = ["finance"]')
    assert run("list").returncode == 0  # without asking whether it is trusted
    done = run("banks")
    assert done.returncode == 0
    assert re.search(rf"^finance +1 +10 +{tmp_path}/finance_bank$", done.stdout, re.MULTILINE)
    shutil.rmtree(tmp_path / "finance_bank" / "problems")
    done = run("banks")
    assert done.returncode == 1
    assert "the package of the bank 'finance' of finance-bank 1.0. Reinstall it." in done.stderr
