"""The command line: help with examples, JSON that scripts rely on, exit codes, and no traceback for a user's mistake."""

from __future__ import annotations

import codecs
import json
import subprocess
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any, NamedTuple

import jsonschema  # type: ignore[import-untyped]
import pytest
from typer.main import get_command

from checkout import ROOT, template
from shardwise import __version__
from shardwise.bank.bank import Bank
from shardwise.bank.posing import pose
from shardwise.bank.scaffold import starter
from shardwise.cli import tables
from shardwise.cli.authoring import schema
from shardwise.cli.main import app, main
from shardwise.kinds import OURS, kinds
from shardwise.marking import check as mark
from shardwise.question import Outcome
from shardwise.template import yaml_source
from shardwise.units import show_amount

COMMANDS = sorted(getattr(get_command(app), "commands", {}))


class Ran(NamedTuple):
    """The result of a command; the line about its bank is separate."""

    code: int
    out: str
    err: str
    bank: str = ""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command in this process, as the installed script does."""
    monkeypatch.setenv("COLUMNS", "200")

    def ran(*args: str) -> Ran:
        monkeypatch.setattr(sys, "argv", ["shardwise", *args])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        first, _, rest = captured.err.partition("\n")
        bank, err = (first, rest) if first.startswith("Bank: ") else ("", captured.err)
        return Ran(int(ended.value.code or 0), captured.out, err, bank.removeprefix("Bank: "))

    return ran


# Help ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [(name,) for name in COMMANDS if name != "init"] + [("init", "bank")], ids=" ".join)
def test_every_command_has_help_and_an_example_that_it_accepts(run: Any, words: tuple[str, ...]) -> None:
    command: Any = get_command(app)
    for word in words:
        command = command.commands[word]
    assert (command.help or "").strip().endswith(".")
    assert command.epilog.startswith(f"Example:  shardwise {' '.join(words)}")
    undescribed = [option.name for option in command.params if not getattr(option, "help", "x")]
    assert undescribed in ([], ["problem"], ["problem", "answer"])  # the command's own message explains it
    shown = run(*words, "--help")
    assert shown.code == 0
    assert "Example:" in shown.out


@pytest.mark.parametrize("words", [["list"], ["show", "bytes-per-gpu"], ["check", "bytes-per-gpu", "1.75 GB"]])
def test_commands_for_people_load_no_slow_modules(words: list[str]) -> None:
    slow = ("numpy", "sympy", "rich", "IPython", "shardwise.grading.batch")
    program = (
        f"import sys; sys.argv = ['shardwise', *{words}]\n"
        "from shardwise.__main__ import main\n"
        "try: main()\nexcept SystemExit: pass\n"
        f"print('loaded:', [name for name in {slow} if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "loaded: []"


def test_python_m_loads_nothing_from_the_current_folder(tmp_path: Path) -> None:
    """An instructor may run it in a folder of students' files, one of which may be called typer.py."""
    for name in ("typer", "typing", "signal"):
        (tmp_path / f"{name}.py").write_text("print('loaded')")
    words = [sys.executable, "-m", "shardwise", "--version"]
    ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert (ran.stdout, ran.stderr) == (f"shardwise {__version__}\n", "")


# list and show ---------------------------------------------------------------------------------------------------


def test_the_list_for_scripts_has_every_problem_and_field(run: Any, whole_bank: Bank) -> None:
    rows = json.loads(run("list", "--json").out)
    assert [row["id"] for row in rows] == list(whole_bank.problems)
    for row in rows:
        assert set(row) == {
            "id", "kind", "chapter", "title", "points", "difficulty", "tags", "covers", "source", "digest",
        }  # fmt: skip
        problem = whole_bank.problems[row["id"]]
        assert (row["title"], row["points"], row["digest"]) == (
            problem.template.title, problem.template.points, problem.digest,
        )  # fmt: skip


def test_the_list_is_narrowed_by_tags_and_difficulty(run: Any, whole_bank: Bank) -> None:
    def ids(*options: str) -> set[str]:
        return {row["id"] for row in json.loads(run("list", "--json", *options).out)}

    problems = whole_bank.read_all().problems.values()
    easy = {problem.id for problem in problems if problem.data["difficulty"] == "easy"}
    counted = {problem.id for problem in problems if "bytes" in problem.data.get("tags", ())}
    assert ids("--difficulty", "easy") == easy
    assert ids("--tag", "bytes") == counted
    assert ids("--tag", "bytes", "--tag", "collectives", "--difficulty", "easy") <= easy & counted
    refused = run("list", "--tag", "bites", "--kind", "code")
    assert refused.err == "shardwise: No problem matches kind code, tag bites. Did you mean bytes?\n"


@pytest.mark.parametrize("kind", ["quantity", "choice", "order", "formula", "code", "bugline"])
def test_a_question_for_scripts_has_its_numbers_key_and_mistakes(run: Any, whole_bank: Bank, kind: str) -> None:
    problem = next(problem for problem in whole_bank.problems.values() if problem.template.kind == kind)
    shown = json.loads(run("show", problem.id, "--seed", "7", "--json").out)
    asked = pose(problem, 7)
    assert {"params", "prompt", "key", "mistakes", "hints", "solution", "form", "seed", "digest"} <= set(shown)
    assert (shown["prompt"], shown["params"], shown["seed"]) == (asked.prompt, dict(asked.params), "7")
    assert shown["key"] == json.loads(asked.key.model_dump_json())
    assert bool(shown["mistakes"]) == (kind != "bugline")


def test_a_question_is_shown_readably(run: Any) -> None:
    text = run("show", "ring-time", "--seed", "7").out
    for part in ("question", "key", "hint 1", "mistake 1", "solution", "How long does a ring all-reduce take?"):
        assert part in text
    assert "$" not in text
    assert "\\frac" not in text


@pytest.mark.parametrize("name", ["bytes-per-gpu", "ring-time-function", "order-by-time", "bytes-per-gpu-formula"])
def test_a_question_is_shown_with_its_right_answer(run: Any, whole_bank: Bank, name: str) -> None:
    asked = pose(whole_bank.find(name), 7)
    key = run("show", name, "--seed", "7").out.partition("── key")[2].partition("── ")[0]
    if asked.kind == "code":
        case = asked.key.cases[0]  # type: ignore[attr-defined]
        assert f"→  {case.expected!r}" in key
        return
    scope: dict[str, Any] = {}
    exec(key.partition("\n")[2], scope)  # a notebook's cell contains it
    assert mark(asked, scope[asked.variable]).outcome == Outcome.CORRECT


def test_each_mistake_is_shown_with_the_answer_that_it_makes(run: Any, whole_bank: Bank) -> None:
    asked = pose(whole_bank.find("bytes-per-gpu"), 7)
    shown = run("show", "bytes-per-gpu", "--seed", "7").out
    for number in range(len(asked.key.mistakes)):  # type: ignore[attr-defined]
        section = shown.partition(f"── mistake {number + 1} ")[2].partition("── ")[0]
        scope: dict[str, Any] = {}
        exec(section.rstrip().rpartition("\n")[2], scope)
        assert mark(asked, scope[asked.variable]).mistake == number


# check -----------------------------------------------------------------------------------------------------------


def test_a_right_answer_exits_with_0_and_any_other_with_1(run: Any, whole_bank: Bank) -> None:
    key: Any = pose(whole_bank.find("bytes-per-gpu"), 7).key
    right = run("check", "bytes-per-gpu", "--seed", "7", show_amount(key.value, "GB", digits=9))
    assert (right.code, right.out.splitlines()[0]) == (0, "✓ Correct · 2 of 2 points")
    wrong = run("check", "bytes-per-gpu", "--seed", "7", "1 B")
    assert (wrong.code, wrong.out.splitlines()[0]) == (1, "✗ Not yet · 0 of 2 points")
    unread = run("check", "bytes-per-gpu", "--seed", "7", "1 ms")
    assert (unread.code, unread.out.splitlines()[0]) == (1, "? Unreadable")
    blank = run("check", "bytes-per-gpu", "--seed", "7", " ")
    assert (blank.code, blank.out.splitlines()[0]) == (1, "○ No answer yet")
    assert [ran.err for ran in (right, wrong, unread, blank)] == [""] * 4


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("bytes-per-gpu", "\na number with its unit, such as '250 GB'\n"),
        ("ring-time-bug", '    "line": ...,\n'),
        ("train-a-model", '    "micro_batches": ...,'),
    ],
)
def test_a_question_shows_what_an_answer_looks_like(run: Any, name: str, said: str) -> None:
    assert said in run("show", name).out.partition("── answer with ")[2].partition("── ")[0]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["31", "GB", "--seed", "7"], "✓ Correct"),  # without quotes
        (["--seed", "7", "-31 GB"], "✗ Not yet"),
        (["-31", "GB", "--seed", "7"], "I read: -31 GB"),
    ],
)
def test_an_answer_needs_no_quotes_and_may_begin_with_a_minus(run: Any, words: list[str], said: str) -> None:
    assert said in run("check", "bytes-per-gpu", *words).out


def test_a_misspelt_option_is_not_part_of_an_answer(run: Any) -> None:
    ran = run("check", "bytes-per-gpu", "31 GB", "--sed", "7")
    assert ran.code == 2
    assert "Unknown option --sed. See `shardwise check --help`." in ran.err


def test_a_blank_answer_in_the_terminal_explains_what_to_type_without_a_variable(run: Any) -> None:
    said = run("check", "bytes-per-gpu", "").out
    assert "A number with its unit, for example 250 GB" in said and "Assign" not in said


def test_a_check_for_scripts_is_one_json_object(run: Any) -> None:
    found = json.loads(run("check", "bytes-per-gpu", "--json", "1 B").out)
    assert (found["outcome"], found["points"], found["max_points"], found["read"]) == ("incorrect", 0, 2, "1 B")


def test_a_verdict_is_coloured_in_a_terminal_that_has_colour(monkeypatch: pytest.MonkeyPatch, run: Any) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[31m\x1b[1m✗ Not yet" in run("check", "bytes-per-gpu", "1 B").out
    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        with monkeypatch.context() as there:
            there.setenv(name, value)
            assert run("check", "bytes-per-gpu", "1 B").out.startswith("✗ Not yet")


# kinds and banks -------------------------------------------------------------------------------------------------


def test_the_kinds_are_listed_with_a_sentence_each(run: Any) -> None:
    about = {name: kind.about for name, kind in kinds().items()}
    assert json.loads(run("kinds", "--json").out) == about
    assert run("kinds").out.splitlines() == [f"{name:10} {words}" for name, words in about.items()]


def test_every_command_that_reads_a_bank_reports_which(run: Any, small_bank: Path) -> None:
    said = f"{small_bank} (1 chapter, 1 problem)"
    option = ("--bank", str(small_bank))
    assert run("list", *option).bank == said
    assert run("show", "only-one", *option).bank == said
    assert run("check", "only-one", "a", *option).bank == said
    assert run("lint", *option, "--seeds", "1", "--workers", "1").bank == said
    assert run("list", *option, "--bank", str(ROOT)).bank.startswith(f"{said}, {ROOT} (")
    assert run("schema").bank == run("kinds").bank == ""


def test_a_new_bank_passes_the_lint(run: Any, tmp_path: Path) -> None:
    folder = tmp_path / "Größe und Maß"
    made = run("init", "bank", str(folder))
    assert (made.code, made.bank) == (0, "")
    assert made.out.splitlines()[-1] == f"Check it:  shardwise lint --bank '{folder}'"
    written = {Path(line.removeprefix("Wrote ")) for line in made.out.splitlines()[:-1]}
    assert written == {path for path in folder.rglob("*") if path.is_file()}
    ran = run("lint", "--bank", str(folder), "--seeds", "5", "--workers", "1")
    assert (ran.code, ran.out.splitlines()[-1]) == (0, f"{len(OURS)} problems, 5 draws each: all sound")
    again = run("init", "bank", str(folder))
    assert again.code == 2
    assert "already exist. Nothing was written" in again.err


def test_a_new_bank_keeps_keys_and_results_out_of_git(run: Any, tmp_path: Path) -> None:
    folder = tmp_path / "mine"
    folder.mkdir()
    (folder / ".gitignore").write_text("/my-drafts/\n__pycache__/")
    assert run("init", "bank", str(folder)).code == 0
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    secret = [
        "week1/course.key",
        "week1/week-1.lock.jsonl",
        "submitted/ada/week-1.ipynb",
        "week1/results/ledger.sqlite-wal",
        "my-drafts/a.yaml",
    ]
    for name, ignored in [*((name, True) for name in secret), ("problems/01-first-chapter/chapter.yaml", False)]:
        done = subprocess.run(["git", "-C", str(folder), "check-ignore", "-q", name], check=False)
        assert (done.returncode == 0) is ignored, name
    assert (folder / ".gitignore").read_text().count("__pycache__/") == 1


def test_one_key_is_suggested_where_a_second_would_be_made(run: Any, tmp_path: Path) -> None:
    (tmp_path / "set.yaml").write_text("{name: week-1, title: Week 1, problems: [bytes-per-gpu]}")
    (tmp_path / "roster.csv").write_text("student\nada\n")
    set_, roster = str(tmp_path / "set.yaml"), str(tmp_path / "roster.csv")
    words = ("assign", set_, "--roster", roster, "--bank", str(ROOT), "--out")
    first, second = (run(*words, str(tmp_path / "course" / name)) for name in ("week1", "week2"))
    assert "a course needs only one" not in first.out
    assert f"run the command again with --key {tmp_path / 'course' / 'week1' / 'course.key'}" in " ".join(
        second.out.split()
    )


# schema ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def schemas() -> dict[str, Any]:
    found = {}
    for of in ("problem", "chapter", "curriculum", "prose", "units", "set"):
        with redirect_stdout(StringIO()) as out:
            schema(of)
        found[of] = json.loads(out.getvalue())
    return found


def as_lists(value: Any) -> Any:
    """Return sequences as lists, as in JSON."""
    if isinstance(value, tuple):
        return [as_lists(part) for part in value]
    return {name: as_lists(part) for name, part in value.items()} if isinstance(value, dict) else value


def complaints(document: Any, against: Any) -> list[str]:
    return [error.message for error in jsonschema.Draft202012Validator(against).iter_errors(as_lists(document))]


def test_the_schema_fits_every_problem(whole_bank: Bank, schemas: dict[str, Any]) -> None:
    found = {problem.id: complaints(problem.data, schemas["problem"]) for problem in whole_bank.problems.values()}
    assert {name: words for name, words in found.items() if words} == {}


def test_the_schema_fits_every_chapter_and_refuses_what_the_loader_refuses(
    schemas: dict[str, Any], whole_bank: Bank
) -> None:
    for chapter in whole_bank.chapters:
        path = whole_bank.lessons / chapter / "chapter.yaml"
        assert complaints(yaml_source.load_yaml(path).data, schemas["chapter"]) == []
    text = template("quantity")
    for old, new in (
        ("points: 2", "points: two"),
        ("title:", "titel:"),
        ("kind: quantity", "kind: quantty"),
        ("{choice:", "{chioce:"),
    ):
        spoilt = yaml_source.parse_yaml(text.replace(old, new), "x").data
        assert complaints(spoilt, schemas["problem"]), old
    assert complaints(yaml_source.parse_yaml(text, "x").data, schemas["problem"]) == []
    good = {"name": "week-1", "title": "Week 1", "problems": ["ring-time", {"id": "link-gap", "points": 3}]}
    assert complaints(good, schemas["set"]) == []
    assert complaints({**good, "pionts": 3}, schemas["set"])
    words = {"avoid": [{"avoid": "wizards?", "write": "engineer"}], "longest_sentence": 35}
    assert complaints(words, schemas["prose"]) == []
    assert complaints({**words, "longest_sentence": "many"}, schemas["prose"])
    units = {"systems": ["si"], "units": {"furlong": "201.168 m", "widget": {"dimension": "widget"}}}
    assert complaints(units, schemas["units"]) == []
    assert complaints({"systems": ["imperial"]}, schemas["units"])


# lint, new and render --------------------------------------------------------------------------------------------


@pytest.fixture
def small_bank(tmp_path: Path) -> Path:
    """A bank with one chapter and one problem."""
    root = tmp_path / "bank"
    chapter = root / "problems" / "01-one"
    chapter.mkdir(parents=True)
    (chapter / "chapter.yaml").write_text("title: One\nsummary: The only chapter.\nproblems:\n  - only-one\n")
    (chapter / "only-one.yaml").write_text(starter("choice", "Only one"))
    (chapter / "lesson.md").write_text("# One\n\nA lesson.\n")
    return root


def test_a_sound_bank_is_linted_with_0_and_a_broken_one_with_1(run: Any, small_bank: Path) -> None:
    sound = run("lint", "--bank", str(small_bank), "--seeds", "2", "--workers", "1")
    assert (sound.code, sound.out.splitlines()[-1]) == (0, "1 problem, 2 draws each: all sound")
    (small_bank / "problems" / "01-one" / "stray.txt").write_text("x")
    broken = run("lint", "--bank", str(small_bank), "--seeds", "2", "--workers", "1")
    assert (broken.code, broken.err) == (
        1,
        "problems/01-one/stray.txt: does not belong to any problem or lesson\n     Delete it, or move it out of the bank.\n",
    )


@pytest.mark.parametrize(
    "path", ["01-one", "problems/01-one/", "./problems/01-one/only-one.yaml", "{root}/01-one", "01-one/only-one"]
)
def test_lint_accepts_paths_and_ids(run: Any, small_bank: Path, path: str) -> None:
    path = path.format(root=small_bank / "problems")
    ran = run("lint", path, "--bank", str(small_bank), "--seeds", "1", "--workers", "1")
    assert (ran.code, ran.out.splitlines()[-1]) == (0, "1 problem, 1 draw each: all sound")


def test_a_new_problem_is_written_and_listed(run: Any, small_bank: Path) -> None:
    made = run("new", "01-one/my-own", "--kind", "formula", "--bank", str(small_bank))
    assert made.code == 0
    assert made.out.replace("\n", "").endswith(f"it:  shardwise lint 01-one/my-own --bank {small_bank}")
    assert run("check", "my-own", "B/W + L", "--bank", str(small_bank)).code == 0
    assert run("lint", "my-own", "--bank", str(small_bank), "--seeds", "2", "--workers", "1").code == 0
    again = run("new", "01-one/my-own", "--bank", str(small_bank))
    assert (again.code, again.err) == (
        2,
        "shardwise: 01-one/my-own already has this slug. Slugs must be unique in a bank.\n",
    )


def test_render_writes_notebooks_and_check_detects_differences(run: Any, small_bank: Path, tmp_path: Path) -> None:
    out = tmp_path / "notebooks"
    options = ("render", "--bank", str(small_bank), "--out", str(out))
    missing = run(*options, "--check")
    assert missing.code == 1
    assert "Run `shardwise render` and commit the notebooks." in missing.err
    assert run(*options).code == 0
    assert run(*options, "--check").code == 0
    path = small_bank / "problems" / "01-one" / "only-one.yaml"
    assert "It falls, but not by half." in path.read_text()
    path.write_text(path.read_text().replace("It falls, but not by half.", "It falls to more than a half."))
    assert run(*options, "--check").code == 1


def test_a_program_that_notepad_saved_is_read(run: Any, small_bank: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("new", "01-one/my-own", "--kind", "code", "--bank", str(small_bank))
    file, program = small_bank / "mine.py", "def transfer_ms(*_):\n    return 1\n"
    file.write_bytes(codecs.BOM_UTF8 + program.encode())
    assert "Correct" not in run("check", "my-own", str(file), "--bank", str(small_bank)).out
    monkeypatch.setattr(sys, "stdin", StringIO(f"skip\n{file}\n"))
    drilled = run("practice", "--chapter", "01-one", "--bank", str(small_bank)).out
    for said in (run("check", "my-own", str(file), "--bank", str(small_bank)).out, drilled):
        assert "I read: function transfer_ms" in said
    file.write_text("'\u00e4'", "latin-1")
    assert run("check", "my-own", str(file), "--bank", str(small_bank)).err == (
        f"{file}:1: is not UTF-8: invalid continuation byte\n     Save it as UTF-8.\n1 fault\n"
    )


# A user's mistakes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("check", "bytes-per-gpo", "1 GB"), "Unknown problem “bytes-per-gpo”. Did you mean bytes-per-gpu"),
        (("show", "zzzzzz"), "Unknown problem “zzzzzz”. `shardwise list` shows all problems; for another bank, add --bank."),
        (("check", "ring-time-function", "nowhere.py"), "give a file that defines the function; 'nowhere.py' is not a file."),
        (("list", "--chapter", ""), "Unknown chapter ''. The chapters are 01-ring-all-reduce, "),
        (("init", "bank", str(ROOT / "README.md" / "bank")), "README.md is not a folder. Nothing was written; name a new folder."),
        (("assign", "/dev/zero", "--roster", "/dev/zero", "--out", "/dev/null/x"), "/dev/zero: cannot be read: it is a pipe, a socket or a device"),
        (("list", "--difficulty", "tricky"), "No problem matches difficulty tricky. A difficulty is easy, medium or hard."),
        (("assign", "/nowhere.yaml", "--roster", "/nowhere.csv", "--out", __file__), f"--out needs a folder, but {__file__} is a file."),
        (("grade", "/", "--out", __file__), f"--out needs a folder, but {__file__} is a file."),
        (("list", "--chapter", "parallelism"), "Several chapters match 'parallelism': 07-pipeline-parallelism, 08-tensor"),
        (("list", "--bank", "/nowhere"), "/nowhere is not a bank: it has no folder problems/. To create one:  shardwise init bank /nowhere"),
        (("schema", "essay"), "Unknown file 'essay'. Choose problem, chapter, curriculum, prose, units, set, course or overrides."),
        (("lint", "essay"), "No problem's id starts with essay."),
        (("new", "none/essay"), "'none' is not a valid chapter name. Write two digits and a slug, such as 01-ring-all-reduce."),
        (("new", "01-ring-all-reduce/essay", "--kind", "essay"), "Unknown kind 'essay'. The kinds are bugline,"),
        (("assign", "/nowhere.yaml", "--roster", "/nowhere.csv", "--out", "/dev/null/x"), "/nowhere.yaml: cannot be read: No such file"),
        (("grade", "/nowhere", "--out", "/dev/null/x"), "/nowhere does not exist."),
        (("formulas", "--write", "/proc/x.md"), "shardwise: /proc/x.md: "),
        (("show", "z" * 10_000), f"Unknown problem “{'z' * 100}”."),
    ],
)  # fmt: skip
def test_a_user_error_prints_one_line_and_exits_with_2(run: Any, args: tuple[str, ...], words: str) -> None:
    ran = run(*args)
    assert ran.code == 2
    assert words in ran.err
    assert "Traceback" not in ran.err + ran.out
    assert len(ran.err.splitlines()) <= 3
    assert not ran.err.startswith("shardwise: shardwise:")


@pytest.mark.parametrize(
    "args",
    [
        ("frobnicate",),
        ("lint", "--seeds", "0"),
        ("lint", "--seeds", "1000001"),
        ("show", "a", "b"),
    ],
)
def test_a_wrong_command_line_prints_the_usage_and_exits_with_2(run: Any, args: tuple[str, ...]) -> None:
    ran = run(*args)
    assert ran.code == 2
    assert ran.err.startswith("Usage: ")
    assert "Traceback" not in ran.err


def test_faults_of_a_bank_are_listed_and_counted(run: Any, small_bank: Path) -> None:
    path = small_bank / "problems" / "01-one" / "only-one.yaml"
    path.write_text(
        path.read_text().replace("points: 2", "points: two").replace("difficulty: easy", "difficulty: eazy")
    )
    ran = run("list", "--bank", str(small_bank))
    assert ran.code == 2
    assert ran.err.splitlines()[0] == "problems/01-one/only-one.yaml:3:9: points: expected a number, but found 'two'"
    assert ran.err.splitlines()[-1] == "2 faults"


def test_the_doctor_reports_which_tier_works_and_what_to_install(
    run: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    well = run("doctor")
    assert well.code == 0
    assert "Submissions are graded in tier 1 here" in well.out
    monkeypatch.setenv("PATH", str(tmp_path))
    poor = run("doctor")
    assert poor.code == 0
    assert "apt install bubblewrap" in poor.out
    assert "Submissions are graded in tier 2 here" in poor.out
    tiers = json.loads(run("doctor", "--json").out)
    assert [(tier["name"], tier["passed"]) for tier in tiers] == [("1", False), ("1b", False), ("2", True)]


def test_a_table_keeps_its_numbers_in_a_terminal_of_20_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    """The terminal wraps the lines."""
    monkeypatch.setenv("COLUMNS", "20")
    assert tables.console().width == 140  # a pipe
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert tables.console().width == 60
    monkeypatch.setenv("COLUMNS", "100")
    assert tables.console().width == 100
