"""docs/mutants.md, and how a mutant that survives without a reason is told, and a reason without a survivor."""

from __future__ import annotations

import re
from pathlib import Path

from mutation.page import NO_REASON, reasons
from mutation.workspace import MODULES, files_about

PAGE = Path(__file__).parents[2] / "docs" / "mutants.md"
MOST_WITHOUT_A_REASON = 0  # lower it with every test and every reason that is written


def test_the_page_has_a_row_for_every_module() -> None:
    rows = re.findall(r"^\| ([\w/]+) \| (?:\d|not tried yet)", PAGE.read_text("utf-8"), re.MULTILINE)
    assert rows == MODULES, "run `make mutants` and commit the page"


def test_every_reason_is_on_the_page_beside_its_survivor() -> None:
    text = PAGE.read_text("utf-8")
    for (_, survivor), why in reasons().items():
        assert f"- `{survivor.function}`: `{survivor.change}`. {why}" in text


def test_survivors_without_a_reason_are_counted_on_the_page_and_become_no_more() -> None:
    text = PAGE.read_text("utf-8")
    told = re.search(r"\*\*(\d+) have none yet\*\*", text)
    assert text.count(NO_REASON) == (int(told[1]) if told else 0) <= MOST_WITHOUT_A_REASON


def test_every_module_is_tried_by_tests_that_import_it() -> None:
    assert not [module for module in MODULES if not files_about(module)]


def test_every_reason_is_a_sentence_about_a_module() -> None:
    for (module, survivor), why in reasons().items():
        assert module in MODULES
        assert " → " in survivor.change
        assert re.fullmatch(r".{10,}\.", why), why
