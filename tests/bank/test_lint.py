"""The lint: it faults a bank that is broken in every known way, and passes a new problem of each kind."""

from __future__ import annotations

import pickle
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from checkout import ROOT, TEMPLATES, checkout_bank, problem_of, template
from shardwise.bank.bank import Bank, Banks, Problem
from shardwise.bank.lint.lint import faults_of, lint
from shardwise.bank.lint.problem import lint_problem
from shardwise.bank.lint.unlisted_files import stray_files, twins
from shardwise.bank.posing import pose
from shardwise.bank.scaffold import init_bank, new_problem, starter
from shardwise.errors import Fault, Faulty, ShardwiseError
from shardwise.kinds import kinds
from shardwise.kinds.calls import run_here
from shardwise.kinds.code.separation import published
from shardwise.marking import check
from shardwise.question import Feedback

RING = "01-ring-all-reduce"


def problem(kind: str, *changes: tuple[str, str]) -> Problem:
    """A sound template with some of its text replaced."""
    return problem_of(template(kind, *changes), "x/a-problem")


def said(kind: str, *changes: tuple[str, str], seeds: int = 8) -> str:
    return "\n".join(map(str, lint_problem(problem(kind, *changes), seeds=seeds).faults))


# One problem -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", TEMPLATES)
def test_the_template_that_the_other_tests_break_is_sound(kind: str) -> None:
    report = lint_problem(problem(kind), seeds=60)
    assert report.faults == []
    assert report.accepted > 0.5
    assert report.distinct >= 5


@pytest.mark.parametrize(
    ("kind", "change", "words"),
    [
        ("quantity", ("ring.ring.simulated_bytes_sent_per_gpu", "ring.ring.simulated_bytes_sent_per_phase"),
         r"seed 0 and 7 more: ring.ring.bytes_sent_per_gpu gives [\d.]+ GB and ring.ring.simulated_bytes_sent_per_phase gives [\d.]+ GB; one of the two is wrong"),
        ("quantity", ("factor: 0.5", "factor: 1.003"), "500 draws for seed 0 were all rejected"),
        ("quantity", ("factor: 0.5", "value: key / 0"), "“key / 0” has no value here"),
        ("quantity", ("factor: 0.5", "value: kye / 2"), "“kye / 2” has no value here: 'kye' is undefined"),
        ("quantity", ("prompt: |", "where: [gpus > 8 and gpus < 32 and message_bytes < 2e9]\nprompt: |"), r"accepts only \d\.\d% of its draws"),
        ("quantity", ("prompt: |", "  spare: 3\nprompt: |"), "params.spare is drawn but never used"),
        ("quantity", ("ring.ring.bytes_sent_per_gpu    ", "ring.ring.bytes_sent    "), r"solutions/ring/ring.py has no function 'bytes_sent'"),
        ("quantity", ("reference: ring.ring.bytes_sent_per_gpu", "reference: ring.ring.all_reduce_seconds"), "all_reduce_seconds needs bandwidth_bytes_per_s, but no parameter has that name"),
        ("quantity", ("gpus: {choice: [8, 16, 32, 64]}", "gpus: {choice: [eight]}"), "ValueError: gpus must be a whole number"),
        ("quantity", ("How much does each", "{{ how }} does each"), "this text cannot be rendered: 'how' is undefined"),
        ("quantity", ("How much does each", "{{ none }} does each"), "seed 0 and 4 more: a text shows the raw value None: "),
        ("quantity", ("How much does each", "That is $ 5$. How much does each"), r"seed 0 and 4 more: a text shows a \$ that does not belong to a formula: "),
        ("quantity", ("How much does each", "{{ '{{' }} gpus }} How much does each"), "a text shows an expression that was not filled in"),
        ("quantity", ("solution: |", "takeaway: It is $ 5$.\nsolution: |"), r"seed 0 and 4 more: a text shows a \$ that does not belong to a formula: "),
        ("quantity", ("solution: |", "takeaway: It is {{ how }}.\nsolution: |"), "this text cannot be rendered: 'how' is undefined"),
        ("quantity", ("{{ key", "{{ gpus"), "the solution never shows the right number"),
        ("quantity", ("unit: GB\n  rel_tol", "unit: ms\n  rel_tol"), r"a-problem\.yaml:17:9: answer\.unit is ms, which measures time, but the docstring of ring\.ring\.bytes_sent_per_gpu says that the result measures information"),
        ("quantity", ("ring.ring.bytes_sent_per_gpu    ", "ring.ring.steps    "), "answer.unit is GB, but the result of ring.ring.steps does not scale with the unit of information"),
        ("choice", ("{{ gpus }} GPUs all-reduce", "Five GPUs all-reduce"), "seed 0 and 4 more: the prompt says 'five', but the question shows 3"),
        ("choice", ("would send, each,", "would send, each. Which is the first of these that is true?"), "the prompt asks for the first of items that every student sees in another order"),
        ("code", ("return 2 * message_gb * (gpus - 1) / gpus", "return message_gb"), r"seed 0 and 7 more: the program in the solution is marked incorrect: `sent_gb"),
        ("code", ("def sent_gb", "def other_gb"), "the solution shows no program that defines sent_gb"),
        ("code", ("  edges:", "  always:\n    - {gpus: 0}\n  edges:"), "answer.always: ring.ring.bytes_sent_per_gpu refuses input 1"),
        ("choice", ("text: half as much as now", "text: twice as much as now"), "two options that are shown together read the same"),
        ("choice", ("pick: one", "pick: one\n  shown: 9"), "answer.shown is 9, but there are only 3 options"),
        ("order", ("order: [cut, gather, scatter, done]", "order: [cut, scatter, gather, done]"), "mistake 1 is the right order"),
        ("order", ("what happens first", "what happens first\n  shown: 9"), "answer.shown is 9, but there are only 4 items"),
        ("formula", ("formula: 2*M*(N-1)/N", "formula: 2*M*N/(N-1)"), r"the formula gives 4000000.0, ring.ring.bytes_sent_per_gpu 1000000.0 and ring.ring.simulated"),
        ("formula", ("formula: M*(N-1)/N", "formula: 2*M - 2*M/N"), "were all rejected"),
        ("formula", ("formula: M*(N-1)/N", "formula: M*(K-1)/N"), "I don't know “K”"),
        ("formula", ("choice: [2, 4, 8, 64]", "derived: 2 + 2"), "answer.symbols.N has no values of its own"),
        ("code", ("ring.ring.simulated_bytes_sent_per_gpu", "ring.ring.simulated_bytes_sent_per_phase"), r"for \{'message_gb': 1, 'gpus': 2\} ring.ring.bytes_sent_per_gpu gives 1.0 and ring.ring.simulated_bytes_sent_per_phase 0.5"),
        ("code", ("mistakes:\n", "mistakes:\n  - {value: key / 2, say: That is half of it.}\n"), "mistakes 1 and 2 return the same on every case"),
        ("code", ("mistakes:\n", "mistakes:\n  - {value: key / 4e9, say: That is a quarter.}\n"), "mistake 1 is off by a factor of about 1e-09 on every case, as if its value were in GB"),
        ("code", ("choice: [2, 4, 8, 64]", "derived: 2 + 2"), "answer.inputs.gpus has no values of its own"),
        ("bugline", ("reference: ring.ring.bus_bandwidth\n  inputs:\n    message_bytes: {choice: [1.0e+9, 2.0e+9]}\n    gpus: {choice: [2, 4, 8, 64]}\n    measured_s: {choice: [0.1, 0.09]}",
                     "reference: ring.ring.link_gap\n  inputs:\n    fast_bytes_per_s: {choice: [4.0e+9]}\n    slow_bytes_per_s: {choice: [1.0e+9]}"),
         r"only \d mutants of ring.ring.link_gap are exposed by its inputs; a hunt needs at least 5 on at least 2 lines"),
        ("bugline", ("gpus: {choice: [2, 4, 8, 64]}", "gpus: {choice: [two, four]}"), "inputs: gpus has only strings, but the inputs of a hunt must be numbers"),
        ("bugline", ("reference: ring.ring.bus_bandwidth", "reference: ring.ring.faster_algorithm"), "the listing of faster_algorithm needs all_reduce_seconds, tree_all_reduce_seconds"),
    ],
)  # fmt: skip
def test_each_way_to_break_a_problem_is_faulted(kind: str, change: tuple[str, str], words: str) -> None:
    assert re.search(words, said(kind, change)), said(kind, change)


SLIPS = """slips:
  - {line: algorithm_rate = message_bytes / measured_s, reads: algorithm_rate = message_bytes * 8 / measured_s, say: bits for bytes}
  - {line: moved_per_byte = 2 * (gpus - 1) / gpus, reads: moved_per_byte = (gpus - 1) / gpus, say: one phase of two}
  - {line: moved_per_byte = 2 * (gpus - 1) / gpus, reads: moved_per_byte = 2 * gpus / gpus, say: N for N - 1}
  - {line: moved_per_byte = 2 * (gpus - 1) / gpus, reads: moved_per_byte = 2 * (gpus - 1), say: the chunk is missing}
hints:
"""


def test_a_hunt_draws_from_the_slips_that_are_listed() -> None:
    hunt = problem("bugline", ("hints:\n", SLIPS))
    assert not lint_problem(hunt, seeds=50).faults
    drawn = {pose(hunt, seed).key.change for seed in range(50)}
    assert drawn == {"bits for bytes", "one phase of two", "N for N - 1", "the chunk is missing"}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("line: algorithm_rate = message_bytes / measured_s,", "line: algorithm_rate = message_bytes/measured_s,"),
         "slip 1: the listing has no line “algorithm_rate = message_bytes/measured_s”; did you mean “algorithm_rate = message_bytes / measured_s”?"),
        (("reads: moved_per_byte = 2 * gpus / gpus", "reads: moved_per_byte = 2 * (gpus"), "slip 3: Python cannot read the listing with “moved_per_byte = 2 * (gpus”"),
        (("reads: moved_per_byte = 2 * gpus / gpus", "reads: moved_per_byte = 2 * (gpus - 1) / gpus"), "slip 3: Python cannot read the listing with “moved_per_byte = 2 * (gpus - 1) / gpus”, or it reads as before"),
        (("reads: moved_per_byte = 2 * gpus / gpus", "reads: moved_per_byte = 2 - 2 / gpus"), "slip 3: “moved_per_byte = 2 - 2 / gpus” is not a fair hunt"),
        (("reads: moved_per_byte = 2 * gpus / gpus", "reads: moved_per_byte = 2000 * gpus"), "or is over 100 times off"),
        (("  - {line: moved_per_byte = 2 * (gpus - 1) / gpus, reads: moved_per_byte = 2 * gpus / gpus, say: N for N - 1}\n", ""),
         "only 3 slips of ring.ring.bus_bandwidth are exposed by its inputs; a hunt needs at least 4 on at least 2 lines"),
    ],
)  # fmt: skip
def test_a_slip_that_makes_no_bug_hunt_is_faulted(change: tuple[str, str], words: str) -> None:
    old, new = change
    assert SLIPS.count(old) == 1
    faults = lint_problem(problem("bugline", ("hints:\n", SLIPS.replace(old, new))), seeds=5).faults
    assert any(words in fault.message for fault in faults), faults


@pytest.mark.parametrize(
    ("written", "faulted"),
    [("", True), (", bytes_per_weight: bytes_per_weight", False), (", bytes_per_weight: 2", False)],
)
def test_a_default_that_a_parameter_replaces_has_to_be_named(written: str, faulted: bool) -> None:
    counted = problem(
        "quantity",
        ("  message_bytes:", "  bytes_per_weight: {choice: [2, 4]}\n  message_bytes:"),
        ("all-reduce {{ message_bytes }}", "all-reduce {{ message_bytes }}, {{ bytes_per_weight }} bytes each,"),
        ("ring.ring.bytes_sent_per_gpu    ", f"zero.adam.parameters_in\n  arguments: {{weight_bytes: message_bytes{written}}} "),
        ("ring.ring.simulated_bytes_sent_per_gpu", "zero.adam.parameters_in"),
        ("unit: GB\n  rel_tol", "unit: parameter\n  rel_tol"),
    )  # fmt: skip
    words = (
        "zero.adam.parameters_in has a default for bytes_per_weight, but gets the parameter of that name instead",
        "If that is what you want, write `arguments: {bytes_per_weight: bytes_per_weight}`; otherwise rename the parameter.",
    )
    faults = lint_problem(counted, seeds=8).faults
    assert [(fault.message, fault.remedy) for fault in faults] == [words] * faulted


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (("factor: 0.5", "value: kye / 2"), "value: kye / 2"),
        (("prompt: |", "where: [gpu > 1]\nprompt: |"), "where: [gpu > 1]"),
        (("How much does each", "{{ how }} does each"), "prompt: |"),
    ],
)
def test_a_fault_that_shows_while_drawing_points_to_its_line(change: tuple[str, str], line: str) -> None:
    made = problem("quantity", change)
    (fault,) = lint_problem(made, seeds=2).faults
    number = int(fault.place.split(":")[1])
    assert line in made.source.text.splitlines()[number - 1]


@pytest.mark.parametrize(
    "change",
    [
        ("simulated_bytes_sent_per_gpu", "simulated_bytes_sent_per_phase"),
        ("unit: GB\n    mistakes:\n      - factor: 0.5", "unit: ms\n    mistakes:\n      - factor: 0.5"),
    ],
)
def test_a_fault_in_a_part_of_a_case_is_reported_at_that_part(change: tuple[str, str]) -> None:
    made = problem("case", change)
    (fault, *_) = lint_problem(made, seeds=2).faults
    assert change[1].partition("\n")[0] in made.source.text.splitlines()[int(fault.place.split(":")[1]) - 1]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ([("all-reduce {{ message_bytes }}", "all-reduce a message")],
         r"a-problem\.yaml:11:18: .*the answer needs params\.message_bytes, but the student cannot see it"),
        ([("all-reduce {{ message_bytes }}", "all-reduce {{ (2 * message_bytes) | unit('GB') }}, twice as much as needed,")], ""),
        ([("message_bytes: {range: [1, 8, 1], unit: GB}", "message_bytes: {fixed: 8, unit: GB}"), ("all-reduce {{ message_bytes }}", "all-reduce a message")],
         r"a-problem\.yaml:11:18: .*the answer needs params\.message_bytes, but the student cannot see it"),
        ([("message_bytes: {range: [1, 8, 1], unit: GB}", "message_bytes: {fixed: 8, unit: GB}"), ("all-reduce {{ message_bytes }}", "all-reduce 8 GB")], ""),
        ([("numbers: {{ key }}", "numbers, of 8 GB: {{ key }}")],
         r"a-problem\.yaml:\d+:\d+: the solution says 8 GB, but params\.message_bytes has other values in other draws"),
        ([("numbers: {{ key }}", "numbers of {{ message_bytes }}, as for 8 GB: {{ key }}")], ""),
        ([("numbers: {{ key }}", "numbers: that is 14 GB")], r"a-problem\.yaml:\d+:\d+: the solution says 14 GB, which is the key for seed \d+ but not for seed \d+"),
        ([("numbers: {{ key }}", "numbers, with 14 GB for the largest: {{ key }}")], ""),
    ],
)  # fmt: skip
def test_a_student_sees_every_number_and_a_solution_with_their_numbers(
    changes: list[tuple[str, str]], words: str
) -> None:
    faults = said("quantity", *changes, seeds=100)
    assert re.search(words, faults) if words else "cannot see it" not in faults and "the solution says" not in faults, (
        faults
    )


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("quantity", ("prompt: |", """where: ["'abc'"]\nprompt: |""")),
        ("quantity", ("prompt: |", "where: ['[false]']\nprompt: |")),
        ("choice", ("correct: true", """correct: "'no'\"""")),
    ],
)
def test_a_condition_that_is_not_a_boolean_is_faulted_at_its_line(kind: str, change: tuple[str, str]) -> None:
    made = problem(kind, change)
    (fault,) = lint_problem(made, seeds=2).faults
    assert re.search(r"“('abc'|\[false\]|'no')” gives .* here, which is neither true nor false", fault.message)
    assert change[1].splitlines()[0] in made.source.text.splitlines()[int(fault.place.split(":")[1]) - 1]


def test_a_solution_that_shows_its_key_too_roughly_is_faulted() -> None:
    exact = said(
        "quantity",
        ("rel_tol: 0.005", "abs_tol: 0"),
        ("message_bytes: {range: [1, 8, 1], unit: GB}", "message_bytes: {choice: [1.23456, 2.34567], unit: GB}"),
    )
    assert re.search(
        r"the solution shows [\d.]+ GB for the key, but an answer of that would be wrong; show more digits", exact
    )


def test_a_right_answer_that_is_refused_is_found_on_any_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    made = problem("quantity")
    late, matches = pose(made, 17).key, type(made.kind).matches

    def wrongly(kind: Any, question: Any, value: Any, runner: Any) -> Feedback:
        return Feedback.judged(question, 0.0) if question.key == late else matches(kind, question, value, runner)

    assert lint_problem(made, seeds=20).faults == []
    monkeypatch.setattr(type(made.kind), "matches", wrongly)
    faults = "\n".join(map(str, lint_problem(made, seeds=20).faults))
    assert re.search(r"seed \d+.*: the answer '[\d.]+ GB ?' is marked incorrect \(None\) instead of correct", faults)


# Cases that a shipped problem needs, because a wrong program earned all points without them: instead of `min`, the last of equals.
def test_a_rule_that_no_case_asks_about_is_faulted() -> None:
    def found(text: str) -> list[str]:
        made = problem_of(text)
        drawn = [pose(made, seed) for seed in range(40)]
        return [message for message, _ in made.kind.faults_over(made.template, made.references, drawn)]

    text = checkout_bank().find("best-group").path.read_text("utf-8")
    assert found(text) == []
    blind, times = re.subn(r"\n  always:.*(\n    - .*)+", "", text)
    assert times == 1
    # Some mistakes are right on all other inputs.
    blind = re.sub(r"\nmistakes:\n.*?\nhints:", "\nhints:", blind, flags=re.DOTALL)
    assert any("the last of equal items instead of the first in `min" in message for message in found(blind)), found(
        blind
    )


@pytest.mark.parametrize(
    ("program", "fault", "remedy"),
    [
        (
            "if gpus >= 512:\n          return 0\n      return",
            "line 3 of the program (`return 0`) is never reached by a case",
            "answer.always",
        ),
        (
            "if gpus > 0:\n          gpus += 0\n      return",
            "line 2 of the program (`if gpus > 0`) is true in every case",
            "answer.always",
        ),
        (
            "if gpus < 1 or any((message_gb < 0,)):\n          raise ValueError\n      return",
            "line 3 of the program (`raise ValueError`) is never reached by a case",
            "answer.edges",
        ),
        (
            "if min(gpus, message_gb) < 0.5:\n          raise ValueError\n      return",
            "line 2 of the program refuses no case for `message_gb` alone (`if min(gpus",
            "answer.edges",
        ),
    ],
)
def test_code_that_no_case_reaches_is_faulted_at_its_program(program: str, fault: str, remedy: str) -> None:
    text = template("code", ("return", program))
    line = next(number for number, row in enumerate(text.splitlines(), 1) if row.startswith("solution:"))
    said = [str(each) for each in lint_problem(problem_of(text, "x/a-problem"), seeds=1).faults]
    assert any(f"a-problem.yaml:{line}:" in each and fault in each and remedy in each for each in said), said


def test_an_answer_that_is_right_in_most_draws_is_faulted() -> None:
    text = template("choice", ("correct: true", "correct: message_bytes > 1.0e+9"))
    first_wrong = "- text: half as much as now\n      correct: "
    assert text.count(f"{first_wrong}false") == 1
    made = problem_of(text.replace(f"{first_wrong}false", f"{first_wrong}message_bytes == 1.0e+9"))
    faults = "\n".join(map(str, lint_problem(made, seeds=1).faults))
    assert re.search(r"the same answer is right in 3\d of 40 draws: hardly more than now", faults), faults


def test_an_unthinking_answer_that_earns_points_is_faulted(monkeypatch: pytest.MonkeyPatch) -> None:
    made = problem("quantity", ("range: [1, 8, 1]", "choice: [1, 2, 3, 4]"))
    assert lint_problem(made, seeds=1).faults == []
    monkeypatch.setattr(type(made.kind), "example", lambda kind, form: "3.5 GB")  # of 2 GB on 8 GPUs
    faults = "\n".join(map(str, lint_problem(made, seeds=1).faults))
    assert re.search(r"the example of how to answer earns points in \d of 40 draws", faults), faults


def test_the_same_question_for_everybody_is_faulted() -> None:
    fixed = (("gpus: {choice: [8, 16, 32, 64]}", "gpus: 8"), ("{range: [1, 8, 1], unit: GB}", "{fixed: 1, unit: GB}"))
    assert "60 seeds give only 1 different questions" in said("quantity", *fixed, seeds=60)
    assert "Give its parameters more values." in said("quantity", *fixed, seeds=60)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("where: [gpus < 16 or gpus == 64]", ["params.gpus is never 16 or 32 in 1,000 draws"]),
        ("where: [gpus == 16]", ["params.gpus is 16 in all of 1,000 draws, and never 8, 32 or 64"]),
        ("where: [gpus < 64 or message_bytes > 1.0e+9]", []),  # rare in combination, but each of them occurs
    ],
)
def test_a_value_that_no_draw_has_is_faulted(change: str, words: list[str]) -> None:
    refused = problem("quantity", ("prompt: |", f"{change}\nprompt: |"))
    found = [fault for fault in lint_problem(refused, seeds=1000).faults if "params." in fault.message]
    assert [fault.message for fault in found] == words
    for fault in found:
        assert fault.place == "problems/x/a-problem.yaml:10:9"
        assert "relax what rejects it: a condition under `where`" in fault.remedy
    assert not [fault for fault in lint_problem(refused, seeds=999).faults if "params." in fault.message]


def test_a_range_of_millions_is_refused() -> None:
    with pytest.raises(Faulty, match="a range can have at most 100,000 steps"):
        problem("quantity", ("range: [1, 8, 1]", "range: [1, 1.0e+7, 1]"))


def test_a_problem_without_mistakes_is_faulted() -> None:
    head, _, rest = template("quantity").partition("mistakes:")
    bare = problem_of(head + "hints:" + rest.partition("hints:")[2])
    (fault,) = lint_problem(bare, seeds=3).faults
    assert "no recognised mistakes; name at least one wrong answer that students give" in fault.message


def test_an_order_by_values_is_confirmed_by_the_oracle() -> None:
    items = "".join(f"    - {{id: {name}, text: {name}, value: {value}, oracle: {other}}}\n"
                    for name, value, other in (("a", 1, 1), ("b", 2, 3), ("c", 3, 2)))  # fmt: skip
    head, _, rest = template("order").partition("  items:\n")
    made = problem_of(f"{head}  items:\n{items}hints:{rest.partition('hints:')[2]}")
    assert "the values and the oracles give different orders" in str(lint_problem(made, seeds=2).faults[0])


# A bank ----------------------------------------------------------------------------------------------------------


@pytest.fixture
def bank_copy(tmp_path: Path) -> Path:
    """A bank with one chapter, for tests to break."""
    folder = tmp_path / "bank"
    shutil.copytree(ROOT / "problems" / RING, folder / "problems" / RING)
    shutil.copytree(ROOT / "solutions", folder / "solutions", ignore=shutil.ignore_patterns("figures", "__pycache__"))
    return folder


def load(folder: Path) -> Bank:
    return Bank.open(folder).read_all()


def listing(folder: Path) -> Path:
    return folder / "problems" / RING / "chapter.yaml"


def loading(folder: Path) -> str:
    with pytest.raises(Faulty) as caught:
        load(folder)
    return str(caught.value)


def strays(folder: Path) -> list[str]:
    return [f"{fault.place}: {fault.message}" for fault in stray_files(load(folder))]


def start(name: str, kind: str, folder: Path) -> list[Path]:
    return new_problem(name, kind, Banks([Bank.open(folder)]))


@pytest.mark.parametrize("seeds", [12, pytest.param(50, marks=pytest.mark.slow)])
def test_a_new_problem_of_every_kind_passes_the_lint_at_once(bank_copy: Path, seeds: int) -> None:
    before = load(bank_copy).chapters[RING].problems
    for kind in kinds():
        path = start(f"{RING}/my-new-{kind}", kind, bank_copy)[0]
        assert path.read_text("utf-8").startswith(f'title: "My new {kind}"\nkind: {kind}\n')
    made = load(bank_copy)
    assert made.chapters[RING].problems == (*before, *(f"my-new-{kind}" for kind in kinds()))
    steps: list[int] = []
    reports = lint(Banks([made]), seeds=seeds, only=[f"{RING}/my-new"], workers=2, progress=steps.append)
    assert [report.problem for report in reports] == [f"{RING}/my-new-{kind}" for kind in kinds()]
    assert faults_of(reports) == []
    assert steps == [len(kinds())] * len(kinds())  # a slip that returns the total at every step
    assert stray_files(made) == twins(made) == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        (
            "nowhere/a-problem",
            "'nowhere' is not a valid chapter name. Write two digits and a slug, such as 01-ring-all-reduce.",
        ),
        (f"{RING}/ring-time", "01-ring-all-reduce/ring-time already has this slug"),
        (f"{RING}/Ring_Time", "'Ring_Time' is not a valid slug: use 3 to 60 lower-case letters and digits"),
        (f"{RING}/../x", "'../x' is not a valid slug"),
        (f"{RING}/check", "'check' is reserved: notebooks or the app use that name for something else"),
        (
            "free-fall",
            f"'free-fall' does not name a chapter and a problem. Write chapter/problem, such as {RING}/free-fall.",
        ),
        (RING, f"'{RING}' does not name a chapter and a problem. Write chapter/problem, such as {RING}/my-problem."),
    ],
)
def test_a_problem_with_an_invalid_name_is_not_created(bank_copy: Path, name: str, words: str) -> None:
    before = sorted(bank_copy.rglob("*"))
    with pytest.raises(ShardwiseError, match=re.escape(words)):
        start(name, "quantity", bank_copy)
    assert sorted(bank_copy.rglob("*")) == before


def test_a_chapter_that_does_not_exist_is_created_with_a_lesson(bank_copy: Path) -> None:
    written = start("02-of-my-own/my-first", "choice", bank_copy)
    chapter = bank_copy / "problems" / "02-of-my-own"
    assert written == [chapter / "my-first.yaml", chapter / "lesson.md", chapter / "chapter.yaml"]
    made = load(bank_copy)
    assert (made.chapters["02-of-my-own"].title, made.chapters["02-of-my-own"].problems) == ("Of my own", ("my-first",))
    assert stray_files(made) == []


def test_examples_are_added_to_existing_references_and_never_overwrite_them(bank_copy: Path) -> None:
    examples = {bank_copy / "solutions" / "example.py", bank_copy / "solutions" / "oracles" / "example.py"}
    for path in examples:
        path.unlink(missing_ok=True)  # this checkout has them while a draft uses them
    written = start(f"{RING}/my-new", "quantity", bank_copy)
    assert set(written) == {bank_copy / "problems" / RING / "my-new.yaml", listing(bank_copy), *examples}
    mine = "# mine"
    for path in examples:
        path.write_text(mine)
    assert not examples & set(start(f"{RING}/another-new", "code", bank_copy))
    assert [path.read_text() for path in examples] == [mine, mine]


@pytest.mark.parametrize("kind", ["quantity", "estimate"])
@pytest.mark.parametrize("number", ["nan", "inf"])
def test_a_key_that_is_not_a_number_is_never_assigned(tmp_path: Path, kind: str, number: str) -> None:
    """Every answer to it would be wrong, even if nobody has run the lint."""
    init_bank(tmp_path / "bank")
    module = tmp_path / "bank" / "solutions" / "example.py"
    module.write_text(module.read_text("utf-8").replace("return latency_s + crossing_s", f"return float('{number}')"))
    problem = Bank.open(tmp_path / "bank").find(f"first-{kind}")
    with pytest.raises(ShardwiseError, match=f"transfer_seconds gives {number} for these parameters"):
        pose(problem, 1)


def test_nothing_is_written_into_an_installed_bank(tmp_path: Path) -> None:
    installed = tmp_path / "site-packages" / "shardwise_bank"
    init_bank(installed)
    before = sorted(installed.rglob("*"))
    with pytest.raises(ShardwiseError, match="is an installed bank, and an update would delete your problem"):
        start("01-first-chapter/my-new", "quantity", installed)
    assert sorted(installed.rglob("*")) == before


@pytest.mark.parametrize("slug", ["Ring-Time", "ring_time", "2nd-time", "ring--time", "import", "hint", "ring.time"])
def test_a_file_name_that_cannot_name_an_answer_is_faulted(bank_copy: Path, slug: str) -> None:
    chapter = bank_copy / "problems" / RING
    (chapter / "ring-time.yaml").rename(chapter / f"{slug}.yaml")
    text = listing(bank_copy).read_text("utf-8")
    listing(bank_copy).write_text(text.replace("- ring-time\n", f"- {slug}\n"), "utf-8")
    assert f"problems: '{slug}' is" in loading(bank_copy)
    assert "Rename the file." in loading(bank_copy)


def test_stray_files_are_found(bank_copy: Path) -> None:
    assert strays(bank_copy) == []
    problems = bank_copy / "problems"
    (problems / "README.md").write_text("How to.")
    (problems / "notes.txt").write_text("x")
    (problems / "99-empty").mkdir()
    (problems / RING / "old.yml").write_text("x")
    (problems / RING / "figures" / "unused.svg").write_text("<svg/>")
    assert strays(bank_copy) == [
        "problems/notes.txt: does not belong to any problem or lesson",
        f"problems/{RING}/figures/unused.svg: does not belong to any problem or lesson",
        f"problems/{RING}/old.yml: does not belong to any problem or lesson",
        "problems/99-empty: is not a chapter: it has no chapter.yaml",
    ]


def test_a_chapter_without_its_lesson_or_a_figure_is_faulted(bank_copy: Path) -> None:
    chapter = bank_copy / "problems" / RING
    figure = next((chapter / "figures").iterdir())
    figure.unlink()
    assert strays(bank_copy) == [
        f"problems/{RING}/lesson.md: shows figures/{figure.name}, but that file does not exist"
    ]
    (chapter / "lesson.md").unlink()
    shutil.rmtree(chapter / "figures")
    assert strays(bank_copy) == [f"problems/{RING}: has no lesson.md"]


def test_two_problems_with_the_same_name_or_title_are_found(bank_copy: Path) -> None:
    second = bank_copy / "problems" / "02-second"
    second.mkdir()
    shutil.copy(bank_copy / "problems" / RING / "ring-time.yaml", second / "ring-time.yaml")
    (second / "chapter.yaml").write_text("title: Second\nsummary: A second chapter.\nproblems: [ring-time]\n")
    found = [f"{fault.place}: {fault.message}" for fault in twins(load(bank_copy))]
    assert found == [
        f"problems/02-second/ring-time.yaml:1:1: has the same slug as {RING}/ring-time: 'ring-time'",
        f"problems/02-second/ring-time.yaml:1:1: has the same title as {RING}/ring-time: 'How long does a ring all-reduce take?'",
    ]


def test_the_lint_of_a_whole_bank_reports_its_files_too(tmp_path: Path) -> None:
    chapter = tmp_path / "problems" / "01-one"
    chapter.mkdir(parents=True)
    (chapter / "chapter.yaml").write_text("title: One\nsummary: The only chapter.\nproblems: [only-one]\n")
    (chapter / "only-one.yaml").write_text(starter("choice", "Only one"))
    banks = Banks([Bank.open(tmp_path)])
    assert [fault.message for fault in faults_of(lint(banks, seeds=1, workers=1))] == ["has no lesson.md"]
    assert faults_of(lint(banks, seeds=1, only=["01-one/only"], workers=1)) == []
    assert faults_of(lint(banks, seeds=1, only=["only-one"], workers=1)) == []
    with pytest.raises(ShardwiseError, match="No problem's id starts with 09 or nope"):
        lint(banks, seeds=1, only=["09", "nope"])


def test_a_fault_in_one_of_several_banks_names_that_bank(tmp_path: Path) -> None:
    for name in ("one", "two"):
        init_bank(tmp_path / name)
    example = tmp_path / "two" / "solutions" / "example.py"
    example.write_text(example.read_text().replace("latency_s + crossing_s", "2 * latency_s + crossing_s"))
    banks = Banks([Bank.open(tmp_path / name) for name in ("one", "two")])
    (tmp_path / "two" / "problems" / "stray.txt").touch()
    files = {fault.place.partition(":")[0] for fault in faults_of(lint(banks, seeds=1, only=["first-quantity"]))}
    assert files == {f"{tmp_path}/two/problems/01-first-chapter/first-quantity.yaml"}
    file = tmp_path / "two" / "problems" / "01-first-chapter" / "first-order.yaml"
    file.write_text(file.read_text().replace("points: 2", "points: two"))
    with pytest.raises(Faulty, match=re.escape(f"{file}:3:9: points: expected a number")):
        lint(Banks([Bank.open(tmp_path / name) for name in ("one", "two")]), seeds=1)


# Code of a bank that does not come back ----------------------------------------------------------------------------


def bank_with_a_reference_that(line: str, folder: Path) -> Bank:
    """Return a new bank in which one reference has an additional line."""
    init_bank(folder)
    code = folder / "solutions" / "example.py"
    code.write_text(code.read_text().replace("    crossing_s =", f"    {line}\n    crossing_s =", 1))
    return Bank.open(folder)


def lint_of_a_reference_that(line: str, folder: Path) -> dict[str, str]:
    """Return the faults of two new problems: one uses a reference with this line, and the other uses none."""
    slugs = ["first-quantity", "first-choice"]
    reports = lint(Banks([bank_with_a_reference_that(line, folder)]), seeds=2, only=slugs, workers=1)
    return {report.problem.rpartition("/")[2]: "\n".join(map(str, report.faults)) for report in reports}


def test_an_endless_reference_is_reported_with_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shardwise.bank.cpu_limit.DRAW_SECONDS", 0.5)
    said = lint_of_a_reference_that("while file_bytes: pass", tmp_path / "bank")
    words = r"first-quantity\.yaml:17:14: a draw has not finished after 0\.5 seconds of CPU time; it was stopped in solutions/example\.py:\d+"
    assert re.search(words, said["first-quantity"])
    assert said["first-choice"] == ""


def test_a_question_with_an_endless_reference_is_reported_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shardwise.bank.cpu_limit.DRAW_SECONDS", 0.5)
    problem = bank_with_a_reference_that("while file_bytes: pass", tmp_path / "bank").find("first-quantity")
    with pytest.raises(
        ShardwiseError, match=r"first-quantity, seed 3: a draw has not finished .* solutions/example\.py:\d+"
    ):
        pose(problem, 3)


def test_a_reference_that_ends_its_process_is_reported(tmp_path: Path) -> None:
    with pytest.raises(ShardwiseError, match="A lint process died"):
        lint_of_a_reference_that("import os; os._exit(0)", tmp_path / "bank")


def test_an_unreadable_lesson_is_reported_with_its_line(tmp_path: Path) -> None:
    init_bank(tmp_path / "bank")
    lesson = tmp_path / "bank" / "problems" / "01-first-chapter" / "lesson.md"
    lesson.write_bytes(b"# A lesson\n\ncaf\xe9\n")
    latin = stray_files(Bank.open(tmp_path / "bank"))
    assert [str(fault).splitlines()[0] for fault in latin] == [
        "problems/01-first-chapter/lesson.md:3: is not UTF-8: invalid continuation byte"
    ]
    lesson.unlink()
    lesson.mkdir()
    assert "lesson.md: cannot be read: Is a directory" in str(stray_files(Bank.open(tmp_path / "bank"))[0])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{{ gpus | unit('zonk') }}", "“zonk” is not a unit I know"),
        ("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", "maximum recursion depth exceeded"),
        ("{{ 'a' * 10**17 }}", "this makes a value of 100,000,000,000,000,000 characters"),
    ],
)
def test_a_text_that_fails_in_any_way_is_reported_at_its_place(text: str, words: str) -> None:
    spoilt = said("quantity", ("prompt: |\n", f"prompt: |\n  {text}\n"), seeds=1)
    line = 1 + template("quantity").splitlines().index("prompt: |")
    assert re.search(rf":{line}:\d+: .*this text cannot be rendered: {words}", spoilt)


@pytest.mark.parametrize("error", ["KeyboardInterrupt", "GeneratorExit", "SystemExit"])
def test_an_exception_that_would_end_the_lint_is_a_fault_of_its_reference(tmp_path: Path, error: str) -> None:
    said = lint_of_a_reference_that(f"raise {error}", tmp_path / "bank")
    assert re.search(rf"{error} \(at solutions/example\.py:\d+\)", said["first-quantity"])
    assert said["first-choice"] == ""


@pytest.mark.parametrize("line", ["raise RuntimeError('boom')", "def broken(:"])
def test_a_module_of_references_that_cannot_be_loaded_is_one_fault_at_its_line(tmp_path: Path, line: str) -> None:
    folder = tmp_path / "bank"
    init_bank(folder)
    code = folder / "solutions" / "example.py"
    (folder / "solutions" / "shared.py").write_text(f"A = 1\n{line}\n")
    code.write_text(code.read_text().replace("annotations\n", "annotations\n\nfrom . import shared\n", 1))
    reports = lint(Banks([Bank.open(folder)]), seeds=2, only=["first-quantity", "first-formula"], workers=1)
    assert all(report.faults for report in reports)
    (fault,) = faults_of(reports)
    assert fault.place == "solutions/shared.py:2"
    assert fault.message.startswith("cannot be loaded: ")


def test_faults_survive_pickling() -> None:
    faulty = Faulty([Fault("a.yaml:1", "is empty", "Write it."), Fault("b.yaml", "is missing")])
    again = pickle.loads(pickle.dumps(faulty))
    assert again.faults == faulty.faults and str(again) == str(faulty)


# Wrong programs that once earned all points, by their replacement for a line of the published one.
WRONG = [
    ("best-group", "min(layers, in_flight) < 1 or", ""),
    ("best-group", "min(input_mb, layer_mb)", "input_mb"),
    ("write-the-stage-picker", "room_gb * 1e9", "int(room_gb) * 1e9"),
    ("write-the-stage-picker", "room_gb * 1e9", "round(room_gb) * 1e9"),
    ("write-the-stage-picker", "weights = 2 / gpus", "weights = 2 // gpus"),
    ("write-the-stage-picker", "for stage in (0, 1, 2, 3):", "for stage in (0, 1, 2, 3):\n    if gpus == 1: return 0"),
    ("write-the-largest-ring", "while ring_ms", "while gpus < 512 and ring_ms"),
    ("write-the-scaler", "max(scale / 2, min_scale)", "scale / 2 if scale > min_scale else scale"),
    ("write-the-scaler", "max(scale / 2, min_scale)", "scale / 2 if scale / 2 >= min_scale else scale"),
    ("write-the-scaler", "max(scale / 2, min_scale)", "max(scale // 2, min_scale)"),
    ("best-cadence", "min(step_s, write_s, mtbf_s) <= 0", "min(step_s, mtbf_s) <= 0"),
    ("best-cadence", "min(step_s, write_s, mtbf_s) <= 0", "min(step_s, write_s, mtbf_s) < 1"),
    ("write-the-layer", "hidden % heads or", "ffn_hidden % heads or"),
    ("write-the-layer", "or heads % kv_heads", "or hidden % kv_heads"),
    ("shard-as-stored", 'outputs if cut == "columns" else inputs', 'inputs if cut == "columns" else outputs'),
    ("write-the-request", "parameters / 1e9      #", "parameters // 1e9      #"),
    ("time-of-a-layer", "5 * tokens * ffn_hidden", "tokens * ffn_hidden"),
    ("time-of-a-layer", "kernel(4 * tokens * hidden", "kernel(tokens * hidden"),
    ("best-cadence", "min(step_s, write_s, mtbf_s) <= 0", "min(step_s, write_s) <= 0 or mtbf_s < 0"),
    ("best-cadence", "min(step_s, write_s, mtbf_s) <= 0", "min(abs(step_s), write_s, mtbf_s) <= 0"),
    ("best-cadence", "while n * step_s", "while n < 2000 and n * step_s"),
    ("best-group", "min(input_mb, layer_mb) <= 0", "min(abs(input_mb), layer_mb) <= 0"),
    ("best-group", "range(1, layers + 1)", "range(1, min(layers, 16) + 1)"),
    ("write-the-in-flight", "stages < 1", "stages == 0"),
]


@pytest.mark.parametrize(("slug", "line", "wrong"), WRONG)
def test_a_program_with_one_wrong_line_does_not_earn_all_points(slug: str, line: str, wrong: str) -> None:
    made = checkout_bank().find(slug)
    for seed in range(3):
        question = pose(made, seed)
        right = published(question, question.form.function)
        assert right is not None and right.count(line) == 1
        assert check(question, right, runner=run_here).credit == 1
        assert check(question, right.replace(line, wrong), runner=run_here).credit < 1
