"""Prose in a terminal: wrapped to its width, with indented lists, tables in columns, verbatim code and wide characters."""

from __future__ import annotations

import os
import subprocess
import sys
from datetime import UTC, datetime
from typing import NoReturn

import pytest

from checkout import ROOT, fresh_session, kinds_of_the_bank
from shardwise.bank.bank import Bank, Banks
from shardwise.bank.posing import pose
from shardwise.cli.main import main
from shardwise.kinds import kind_of, text_of
from shardwise.markdown.terminal import cells, to_terminal
from shardwise.markdown.timeline import as_text
from shardwise.question import Bar, Timeline, TimelineRow
from shardwise.student.drill import Drill
from shardwise.student.progress.chapters import progress_of

TABLE = (
    "| chip | what it reaches | rate |\n|---|---|---:|\n| H100 | most of its peak | 3350 |\n| 芯片 | little | 80 |\n"
)


@pytest.mark.parametrize(
    ("markdown", "shown"),
    [
        ("A message\nis cut into chunks, and each of them\ntravels.", "A message is cut into chunks, and each\nof them travels."),
        ("- one\n\n- two", "- one\n\n- two"),
        ("So\n\n$$T = \\frac{7}{8}$$\n\nin all.", "So\n\n    T = 7/8\n\nin all."),
        ("| | |\n|---|---|\n| a | 1 |\n", "─  ─\na  1"),
        ("“`2*M`”, a\\_b\\* and \\[x\\], $5 < 6 \\& \\`z\\`", "“2*M”, a_b* and [x], $5 < 6 & `z`"),
        ("See [it](https://example.org/a).", "See it (https://example.org/a)."),
        (r"$\left\lfloor \frac{M}{N} \right\rfloor + \lceil\log_2 N\rceil$", "⌊M/N⌋ + ⌈log_2 N⌉"),  # no absolute values
    ],
    ids=["a filled paragraph", "a spaced list", "a displayed formula", "no header", "escaped characters", "a link", "floor and ceiling"],
)  # fmt: skip
def test_prose_is_shown_as_text(markdown: str, shown: str) -> None:
    assert to_terminal(markdown, 40) == shown


def test_a_number_keeps_its_unit_and_a_formula_is_not_broken() -> None:
    assert to_terminal("A GPU has only 80 GB.", 20).splitlines()[1] == "80 GB."
    assert to_terminal("It sends $2 \\cdot 3\\,\\text{GB}$ over `a + b`", 20) == "It sends 2 · 3 GB\nover a + b"


def test_a_list_is_indented_and_keeps_its_numbers() -> None:
    source = "Steps:\n\n1. **Reduce:** each GPU\n   sends one\n2. All-gather:\n   - again\n\nAfter it."
    assert (
        to_terminal(source, 20)
        == "Steps:\n\n1. Reduce: each GPU\n   sends one\n2. All-gather:\n   - again\n\nAfter it."
    )


def test_code_stays_as_it_was_written() -> None:
    code = " 1  def f(a, b):\n\n 2      return a * b * 2**a  # $x$ `y` and far beyond the width"
    assert to_terminal(f"See:\n\n```python\n{code}\n```\n\nWhere?", 30) == f"See:\n\n{code}\n\nWhere?"


def test_a_table_has_columns_and_its_numbers_keep_their_alignment() -> None:
    assert to_terminal(TABLE, 60).splitlines() == [
        "chip  what it reaches   rate",
        "────  ────────────────  ────",
        "H100  most of its peak  3350",
        "芯片  little              80",
    ]


def test_a_table_that_is_too_wide_folds_its_widest_column() -> None:
    lines = to_terminal(TABLE, 22).splitlines()
    assert lines[3:5] == ["H100  most of     3350", "      its peak"]
    assert max(map(cells, lines)) <= 22


def test_wide_characters_and_accents_are_counted_as_displayed() -> None:
    assert to_terminal("学 生 学 生 学 生 学 生", 20).splitlines() == ["学 生 学 生 学 生 学", "生"]
    assert cells("re\u0301seau") == 6


@pytest.mark.slow
def test_no_text_of_the_bank_is_wider_than_the_terminal_or_shows_its_markup(whole_bank: Bank) -> None:
    for problem in whole_bank.problems.values():
        asked = pose(problem, 3)
        for markdown in (text_of(asked), asked.solution, *asked.hints, *kind_of(asked).mistakes(asked)):
            shown = to_terminal(markdown, 80)
            code = {line for line in markdown.splitlines() if line in shown}
            for line in shown.splitlines():
                assert cells(line) <= 80 or line in code or " " not in line.strip(), (problem.id, line)
                assert "|---" not in line and "\\" not in line.replace("\\n", ""), (problem.id, line)


@pytest.mark.parametrize(
    "markdown",
    ["a \x1b[31mred \x07\x9b2J", "`\x1b[2J`", "```\nif x:\n\treturn\x1b[1m\n```", "|a|b|\n|-|-|\n|\x1b[1m|x|", "$\x1b[31m x$",
     "[x](http://a\x1b[2J)", "a \u202e txt.exe", "\ud800"],
)  # fmt: skip
def test_no_text_controls_the_terminal(markdown: str) -> None:
    shown = to_terminal(markdown, 40)
    assert shown.replace("\n", "").isprintable(), shown
    assert "return" not in markdown or "\n    return" in shown  # a tab becomes spaces


SHOW = ["show", "bytes-per-gpu", "--bank", str(ROOT)]
PLAN = ["plan", "--model", "llama3-405b", "--cluster", "h100-16384", "--pp", "16"]


def widest_of_prose(shown: str) -> int:
    return max(cells(line) for line in shown.splitlines() if line.count(" ") > 5 and not set(line) & set("─█░"))


@pytest.mark.parametrize(("columns", "widest"), [("50", 50), ("300", 88)])
@pytest.mark.parametrize("words", [SHOW, PLAN], ids=["show", "plan"])
def test_the_commands_use_the_width_of_the_terminal(
    columns: str, widest: int, words: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr(sys, "argv", ["shardwise", *words])
    with pytest.raises(SystemExit):
        main()
    assert widest - 12 < widest_of_prose(capsys.readouterr().out) <= widest


@pytest.mark.parametrize("words", [SHOW, PLAN], ids=["show", "plan"])
def test_the_commands_use_80_columns_without_a_terminal(words: list[str]) -> None:
    environment = {**os.environ, "COLUMNS": ""}
    command = [sys.executable, "-m", "shardwise", *words]
    ran = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert 80 - 12 < widest_of_prose(ran.stdout) <= 80


@pytest.mark.parametrize("name", kinds_of_the_bank())
def test_how_to_answer_is_shown_once_and_fits_the_terminal(
    name: str, whole_bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    problem = next(each for each in whole_bank.read_all().problems.values() if each.data["kind"] == name)
    chapter = progress_of(Banks([whole_bank]), [], datetime.now(UTC)).chapter(problem.chapter)
    assert chapter is not None
    said: list[str] = []

    def ask(_: str) -> NoReturn:
        raise EOFError

    Drill(fresh_session(), ask, said.append).run([row for row in chapter.rows if row.problem.id == problem.id])
    lines = "\n".join(said).splitlines()
    code = {line for line in lines if line.lstrip(" 0123456789").startswith(("def ", "return ")) or " = " in line}
    assert [line for line in lines if cells(line) > 60 and line not in code and not line.startswith("──")] == []
    assert len([line for line in lines if line.startswith("def ")]) == (name == "code")
    assert lines.count("? hint · ! solution · skip · quit") == 1


def test_a_timeline_continues_below_in_a_narrow_terminal() -> None:
    bars = tuple(Bar(start=time, end=time + 1, label=f"F{time}", look="blue") for time in range(8))
    drawn = as_text(Timeline(about="", rows=(TimelineRow(label="stage 1", bars=bars),), end=8), 30)
    assert drawn == ("         0\nstage 1  F0 F1 F2 F3 F4\n\n         5        8\nstage 1  F5 F6 F7")


@pytest.mark.parametrize("columns", ["60", "80"])
def test_the_table_of_progress_fits_the_terminal(columns: str) -> None:
    environment = {**os.environ, "COLUMNS": columns, "SHARDWISE_PROGRESS": "kept.sqlite"}
    words = [sys.executable, "-m", "shardwise", "progress", "--bank", str(ROOT)]
    ran = subprocess.run(words, capture_output=True, text=True, env=environment)
    lines = ran.stdout.splitlines()
    assert max(map(cells, lines)) <= int(columns)
    assert any(line.startswith("08-tensor-and-context-para") for line in lines)
