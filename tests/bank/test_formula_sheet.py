"""The formula sheet: parsing of docstrings, the problems that use a formula, and the pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from checkout import ROOT, checkout_bank
from shardwise.bank.bank import Bank
from shardwise.bank.pages.formula_sheet import in_html, in_markdown
from shardwise.bank.pages.formulas import Formula, formulas_of
from shardwise.cli.main import app
from shardwise.errors import Faulty

REFERENCE = '''"""Springs."""


def work(*, stiffness: float, length: float = 1.0) -> float:
    """Work that stretches a spring
    from rest.

        W = k · x² / 2      with k > 0

    It is the area under the force.

    Units:   newtons per metre, metres.
             Result in joules.
    Raises:  ValueError if a value is negative.
    Source:  Hooke 1678 <lecture>.

    >>> work(stiffness=2.0)
    1.0
    """
    return stiffness * length**2 / 2


def plain() -> None:
    """Without an equation."""


def _hidden() -> None:
    """Private.

        x = 1
    """
'''
PROBLEM = """title: A spring
kind: quantity
points: 1
difficulty: easy
source: Hooke 1678
params:
  stiffness: {choice: [2, 3, 4, 5, 6]}
prompt: What work stretches it by 1 m?
answer: {reference: springs.work, oracle: springs.work, unit: J}
mistakes:
  - {value: key * 2, say: Half of it.}
hints: [What is the mean force?, How far does it go?, The mean force times the way.]
solution: The mean force times the way is {{ key }}.
"""


@pytest.fixture
def bank(tmp_path: Path) -> Bank:
    chapter = tmp_path / "problems" / "01-springs"
    chapter.mkdir(parents=True)
    (tmp_path / "solutions").mkdir()
    (tmp_path / "solutions" / "__init__.py").touch()
    (tmp_path / "solutions" / "springs.py").write_text(REFERENCE, "utf-8")
    (chapter / "chapter.yaml").write_text(
        "title: Springs & masses\nsummary: What a spring keeps and gives back.\nproblems: [a-spring]\n", "utf-8"
    )
    (chapter / "lesson.md").write_text("# Springs\n", "utf-8")
    (chapter / "a-spring.yaml").write_text(PROBLEM, "utf-8")
    return Bank.open(tmp_path)


def test_a_docstring_is_read_part_by_part(bank: Bank) -> None:
    assert formulas_of(bank) == [
        Formula(
            name="springs.work",
            about="Work that stretches a spring from rest.",
            equation="W = k · x² / 2      with k > 0",
            words="It is the area under the force.",
            arguments=("stiffness", "length = 1.0"),
            units="newtons per metre, metres. Result in joules.",
            source="Hooke 1678 <lecture>.",
            line="solutions/springs.py:4",
            chapter="01-springs",
            problems=("01-springs/a-spring",),
        )
    ]


def test_the_pages_show_it_verbatim_and_link_to_its_problems(bank: Bank) -> None:
    found = formulas_of(bank)
    markdown, html = in_markdown(bank, found, bank.folder), in_html(bank, found, bank.folder)
    assert "- [Springs & masses](#springs--masses) (1)" in markdown
    assert "```text\nW = k · x² / 2      with k > 0\n```" in markdown
    assert "Hooke 1678 \\<lecture>" in markdown
    assert "[a-spring](problems/01-springs/a-spring.yaml)" in markdown
    assert "Hooke 1678 &lt;lecture&gt;" in html and "with k &gt; 0" in html
    assert '<a href="problems/01-springs/a-spring.yaml">a-spring</a>' in html


def test_every_reference_of_a_question_that_has_an_equation_is_on_the_sheet() -> None:
    found = {formula.name: formula for formula in formulas_of(checkout_bank())}
    assert found["ring.ring.all_reduce_seconds"].chapter == "01-ring-all-reduce"
    assert "01-ring-all-reduce/ring-time" in found["ring.ring.all_reduce_seconds"].problems
    for formula in found.values():
        assert formula.about and formula.equation and formula.source, formula.name
        path, line = formula.line.split(":")
        function = formula.name.rpartition(".")[2]
        assert (ROOT / path).read_text("utf-8").splitlines()[int(line) - 1].startswith(f"def {function}("), formula.name


def run(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["formulas", "--bank", str(ROOT), *words])
    return done.exit_code, done.output + str(done.exception or "")


def test_a_page_is_written_once_and_changes_are_detected(tmp_path: Path) -> None:
    page = tmp_path / "new" / "formulas.md"
    assert run("--write", str(page))[0] == 0
    assert run("--write", str(page), "--check")[0] == 0
    page.write_text(page.read_text("utf-8").replace("busbw", "bandwidth"), "utf-8")
    code, said = run("--write", str(page), "--check")
    assert code == 1 and "is out of date" in said
    assert "busbw" not in page.read_text("utf-8")


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (b"x = 1\ndef f(:", "solutions/springs.py:2: is not valid Python: invalid syntax"),
        (
            b"x = " + b"(" * 5000 + b")" * 5000,
            "solutions/springs.py:1: is not valid Python: too many nested parentheses",
        ),
        (b"# \xff", "solutions/springs.py:1: is not UTF-8"),
    ],
)
def test_a_module_that_is_not_python_is_reported_at_its_place(bank: Bank, written: bytes, said: str) -> None:
    (bank.folder / "solutions" / "springs.py").write_bytes(written)
    with pytest.raises(Faulty) as refused:
        formulas_of(bank)
    assert said in str(refused.value)
