"""docs/mutants.md, and how a mutant that survives without a reason is told, and a reason without a survivor."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from mutation.page import NO_REASON, earlier_verdicts, faults, reasons, written_page
from mutation.workspace import MODULES, Survivor, Verdict, Workspace, change, decorated_below, files_about

PAGE = Path(__file__).parents[2] / "docs" / "mutants.md"
MOST_WITHOUT_A_REASON = 0  # lower it with every test and every reason that is written
ADDED = Survivor("f", "a + b → a - b")
DROPPED = Survivor("g", "h(a, b) → h(b)")


def test_the_page_has_a_row_for_every_module() -> None:
    rows = re.findall(r"^\| (\w+) \| (?:\d|not tried yet)", PAGE.read_text("utf-8"), re.MULTILINE)
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


def test_a_survivor_needs_a_reason_and_a_reason_a_survivor() -> None:
    verdict = Verdict("ring", killed=99, timed_out=1, survivors=(ADDED,))
    assert faults([verdict], {("ring", ADDED): "Nobody can tell."}) == []
    assert faults([verdict], {}) == ["ring.f survives without a reason: a + b → a - b"]
    told = faults(
        [verdict], {("ring", ADDED): "Nobody can tell.", ("ring", DROPPED): "Nor here.", ("zero", DROPPED): "-"}
    )
    assert told == ["ring.g is killed, or is no more; take its reason away: h(a, b) → h(b)"]


def test_fewer_than_are_asked_for_is_told() -> None:
    verdict = Verdict("ring", killed=9, timed_out=0, survivors=(ADDED,))
    assert faults([verdict], {("ring", ADDED): "Nobody can tell."}) == [
        "90.0% of the mutants are killed; 95% are asked for"
    ]


def test_the_page_gives_each_survivor_with_its_reason() -> None:
    verdicts = [Verdict("ring", 98, 1, (ADDED,)), Verdict("zero", 100, 0, ())]
    page = written_page(verdicts, {("ring", ADDED): "Nobody can tell."})
    assert "**99.5% of 200 mutants are killed.**" in page
    assert "| ring | 100 | 99 | 1 | 99.0 |\n| zero | 100 | 100 | 0 | 100.0 |\n" in page
    assert page.endswith("### ring\n\n- `f`: `a + b → a - b`. Nobody can tell.\n")
    assert earlier_verdicts(page) == {"ring": Verdict("ring", 99, 0, (ADDED,)), "zero": Verdict("zero", 100, 0, ())}


def test_the_page_counts_survivors_without_a_reason() -> None:
    verdicts = [Verdict("ring", 98, 0, (ADDED, DROPPED))]
    page = written_page(verdicts, {("ring", ADDED): "Nobody can tell."})
    assert "reason in `tests/mutants.yaml`. **1 have none yet**, and are marked below.\n" in page
    assert f"- `g`: `h(a, b) → h(b)`. {NO_REASON}" in page


def test_a_module_that_was_not_tried_has_a_row_that_says_so() -> None:
    page = written_page([Verdict("zero", 100, 0, ())], {}, untried=["ring"])
    assert "|---|---|---|---|---|\n| ring | not tried yet | | | |\n| zero | 100 | 100 | 0 | 100.0 |\n" in page
    assert set(earlier_verdicts(page)) == {"zero"}


def test_a_change_over_several_lines_is_told_in_one() -> None:
    original = ["def x_f__mutmut_orig():", "    a = (", "        1)"]
    assert change(original, ["def x_f__mutmut_3():", "    a = None"]) == "a = ( 1) → a = None"


def test_a_change_in_a_method_is_told_without_the_names_that_mutmut_gives() -> None:
    original = ["def xǁModelǁsize__mutmut_orig(self, a=1):", "    return a"]
    assert change(original, ["def xǁModelǁsize__mutmut_12(self, a=1):", "    return -a"]) == "return a → return -a"
    told = change(original, ["def xǁModelǁsize__mutmut_13(self, a=2):", "    return a"])
    assert told == "def size(self, a=1): → def size(self, a=2):"


MODULE = """
from functools import cache, lru_cache

class Pair:
    left = 1

    @property
    def both(self):
        return 2 * self.left

@lru_cache(
    maxsize=8
)
def double(x):
    \"\"\"Twice.\"\"\"
    return 2 * x

@cache
def table():
    return {}
"""


def test_a_function_that_is_decorated_below_is_the_same_to_python_and_plain_to_mutmut() -> None:
    below = decorated_below(MODULE)
    for text in ("\n    def both(self):", "\n    both = property(both)", "\ndouble = lru_cache(maxsize=8)(double)"):
        assert text in below
    assert below.count("@") == below.count("@cache\ndef table") == 1
    names: dict[str, Any] = {}
    exec(below, names)
    assert names["Pair"]().both == 2
    assert [names["double"](4), names["double"](4), names["double"].cache_info().hits] == [8, 8, 1]


def test_decorators_are_below_in_no_other_module_than_the_one_that_is_broken() -> None:
    contents = Workspace("planner/layer").contents()
    assert b"@lru_cache" not in contents["solutions/planner/layer.py"]
    assert b"@lru_cache" in contents["solutions/planner/time.py"]
