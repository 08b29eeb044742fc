"""The kind layout: what is right, what a wrong layout is told and earns, how answers are read, and what the lint refuses."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from checkout import checkout_bank, posed, problem_of, template
from shardwise.bank.bank import Problem
from shardwise.bank.lint.problem import lint_problem
from shardwise.bank.posing import pose
from shardwise.errors import Faulty, ShardwiseError
from shardwise.kinds import kind_of, kinds, text_of
from shardwise.marking import check
from shardwise.question import Feedback, Question
from shardwise.template.references import References
from shardwise_bank.kinds.layout import verdicts
from shardwise_bank.kinds.layout.model import MOST_ROWS, JudgedConstraint, LayoutForm, LayoutKey, ShownAxis
from shardwise_bank.kinds.layout.reading import read_layout

TEXT = template("layout")
TINY = '''
"""A model of 48 GB on GPUs of 40 GB: more TP is slower, recomputation is slower and smaller."""


def judge(*, tp, pp, dp, recompute, layers):
    faults = []
    if layers % pp:
        faults.append({"constraint": "layers", "words": f"{layers} layers do not divide by {pp} stages"})
    if tp > 4:
        faults.append({"constraint": "node", "words": f"TP {tp} leaves a node of 4 GPUs"})
    if layers % pp:
        return {"faults": faults}
    memory = 48e9 / (tp * pp) + (4e9 if recompute == "full" else 16e9)
    return {"faults": faults, "memory_bytes": memory, "step_s": (1 + tp / 10 + pp / 20) * (1.3 if recompute == "full" else 1)}
'''
TINY_TEXT = """
title: "A model on few GPUs"
kind: layout
points: 4
difficulty: easy
source: "made for the tests"
params:
  layers: {choice: [10, 20, 30]}
  room: {choice: [21, 21.5], unit: GB}
  gpus: {choice: [16, 32]}
prompt: |
  {{ layers }} layers on {{ gpus }} GPUs with {{ room }} of memory each.
answer:
  axes:
    tp: [1, 2, 4, 8]
    pp: {choices: [1, 2, 4, 5], means: pipeline stages}
    dp: any
    recompute: {choices: [none, full], default: none}
  product: {of: [tp, pp, dp], is: gpus}
  reference: tiny.judge
  oracle: tiny.judge
  constraints:
    - id: even
      faults: [layers]
      hard: true
      asks: each stage has as many layers
    - id: node
      faults: [node]
      hard: true
      asks: TP stays in a node of 4
      say: "{{ seen }} Use `pp` for that, which is {{ pp }} here."
    - id: memory
      of: memory_bytes
      at_most: room
      unit: GB
      asks: a GPU holds at most {{ limit }}
      say: It needs {{ seen }} with TP {{ tp }}, and a GPU has {{ limit }}.
    - id: quick
      of: step_s
      at_most: 1.25 * best
      unit: s
      asks: a step takes at most a quarter more than the shortest
      say: It takes {{ seen }}, over {{ limit }}.
  solution: {lowest: step_s}
mistakes:
  - when: pp == 1 and recompute == "none"
    say: One stage holds every layer with all its activations.
hints: [Think about it.]
solution: |
  {{ key }}: {{ layout.memory_bytes | unit("GB") }}, one of {{ right }} of {{ combinations }}.

  {{ reached }}
"""


FITS = ("      at_most: room\n", "      at_most: room\n      required: true\n")  # else a layout of ones earns points


@pytest.fixture
def tiny(tmp_path: Path) -> Callable[..., Problem]:
    """A problem whose reference is in a folder of its own; the oracle is the same unless another is given."""

    def made(*changes: tuple[str, str], reference: str = TINY, oracle: str = TINY) -> Problem:
        text = TINY_TEXT
        for old, new in changes:
            assert text.count(old) == 1, old
            text = text.replace(old, new)
        folder = Path(
            tempfile.mkdtemp(dir=tmp_path)
        )  # Python takes a module of the same second and length for the same
        (folder / "oracles").mkdir()
        (folder / "tiny.py").write_text(reference)
        (folder / "oracles" / "tiny.py").write_text(oracle)
        bare = problem_of(text)
        problem = replace(bare, references=References(folder))
        vars(problem).update(source=bare.source, text=text)  # as if they had been read from a file
        return problem

    return made


def parts(question: Question) -> tuple[LayoutForm, LayoutKey]:
    assert isinstance(question.form, LayoutForm) and isinstance(question.key, LayoutKey)
    return question.form, question.key


def with_params(problem: Problem, **wanted: Any) -> Question:
    """The question of the first seed that draws these parameters."""
    for seed in range(200):
        question = pose(problem, seed)
        if all(question.params[name] == str(value) for name, value in wanted.items()):
            return question
    raise AssertionError(f"no seed draws {wanted}")


# What is right --------------------------------------------------------------------------------------------------------


def test_every_combination_that_meets_the_constraints_is_right_and_no_other(tiny: Callable[..., Problem]) -> None:
    question = with_params(tiny(), layers=20, gpus=32, room="21.5 GB")
    right = set()
    for tp, pp, recompute in product([1, 2, 4, 8], [1, 2, 4, 5], ["none", "full"]):
        if 32 % (tp * pp):
            continue
        answer = {"tp": tp, "pp": pp, "dp": 32 // (tp * pp), "recompute": recompute}
        if check(question, answer).outcome == "correct":
            right.add((tp, pp, recompute))
    # 48 GB / (TP · PP) + 16 GB, with recomputation + 4 GB, within 21.5 GB; a step of 1.6 s for TP 4 × PP 4 and at most 2 s
    assert right == {(4, 4, "none"), (1, 4, "full"), (2, 2, "full"), (2, 4, "full"), (4, 1, "full"), (4, 2, "full")}


def test_the_solution_is_the_best_of_the_right_ones_and_its_numbers_can_be_printed(
    tiny: Callable[..., Problem],
) -> None:
    question = with_params(tiny(), layers=20, gpus=32)
    assert "tp 4, pp 4, dp 2, recompute none: 19 GB, one of 6 of 24." in question.solution
    assert "- a GPU holds at most 21" in question.solution and ": 19 GB" in question.solution


def test_a_layout_is_drawn_against_its_limits(tiny: Callable[..., Problem]) -> None:
    asked = with_params(tiny(), layers=20, gpus=32, room="21 GB")
    kind = kind_of(asked)

    assert kind.has_bars(asked)

    def drawn(raw: Any) -> Any:
        return kind.bars(asked, raw)

    right, wrong = drawn("TP4 PP4"), drawn("TP1 PP1")
    (held, *_), (over, *_) = right["rows"], wrong["rows"]
    assert held["text"] == "19 GB" and held["name"].startswith("a GPU holds at most 21")
    assert held["parts"] == [{"kind": "within", "size": round(100 * 19 / 21, 1)}]
    assert over["parts"][0]["kind"] == "beyond" and over["parts"][0]["size"] > 100
    assert right["axis"]["high"] >= 100 and wrong["axis"]["high"] <= 250
    assert over["text"].startswith("✗ ") and "✗" not in held["text"]  # a colour alone is not seen by everybody
    assert right["read"] == "all limits shown are met" and wrong["read"].endswith("limits violated")
    assert drawn("TP4 PP4 DP7") == {"why": "No bars: this layout was not evaluated. The verdict says why."}
    for unread in ({}, {"tp": "4"}, {"tp": "4", "pp": "many"}):
        assert list(drawn(unread)) == ["why"]


def test_dp_may_be_said_to_be_all_others(tiny: Callable[..., Problem]) -> None:
    asked = pose(tiny(), 0)
    assert check(asked, {"tp": 4, "pp": 4, "dp": "all others"}) == check(asked, {"tp": 4, "pp": 4})
    assert check(asked, {"tp": "all others", "pp": 4}).outcome == "unreadable"


def test_dp_follows_from_the_product_and_this_is_said(tiny: Callable[..., Problem]) -> None:
    feedback = check(with_params(tiny(), layers=20, gpus=32), "TP4 PP4")
    assert feedback.outcome == "correct"
    assert "dp follows: 32 / (tp · pp) = 2" in feedback.read
    assert "recompute is not given, so it is none" in feedback.read


def test_a_product_of_one_other_axis_has_no_brackets() -> None:
    question = pose(checkout_bank().find("shard-group"), 0)
    assert check(question, "shard=64").read == "shard 64, replicate 64 (replicate follows: 4096 / shard = 64)"


def test_only_short_names_of_axes_are_capitals() -> None:
    for name, start in (("shard-group", "shard "), ("a-layout-that-fits", "TP ")):
        question = pose(checkout_bank().find(name), 0)
        written = [sample.raw for sample in kind_of(question).samples(question) if isinstance(sample.raw, str)]
        assert written[0].startswith(start)


@pytest.mark.parametrize("given", [-64, "-64", " − 64"])
def test_the_sign_of_a_value_is_not_dropped(given: Any) -> None:
    feedback = check(pose(checkout_bank().find("shard-group"), 0), {"shard": 64, "replicate": given})
    assert feedback.outcome == "unreadable" and "which is not a whole number of at least 1" in feedback.say


def test_the_question_says_its_axes_its_product_and_what_is_asked(tiny: Callable[..., Problem]) -> None:
    text = text_of(with_params(tiny(), layers=20, gpus=32, room="21 GB"))
    assert "- `pp`, pipeline stages: 1, 2, 4 or 5" in text
    assert "- `dp`: any whole number" in text
    assert "`tp` · `pp` · `dp` must equal 32, the number of GPUs." in text
    assert "- a GPU holds at most 21 GB" in text


# What a wrong one is told and earns -----------------------------------------------------------------------------------


@pytest.fixture
def question(tiny: Callable[..., Problem]) -> Question:
    return with_params(tiny(), layers=30, gpus=32, room="21.5 GB")


def told(question: Question, answer: Any) -> Feedback:
    feedback = check(question, answer)
    assert feedback.outcome in ("partial", "incorrect"), feedback
    return feedback


def test_a_product_that_is_not_the_number_of_gpus_earns_nothing_and_is_shown(question: Question) -> None:
    feedback = told(question, "tp 4 pp 2 dp 2")
    assert feedback.credit == 0
    assert feedback.say == "`tp` · `pp` · `dp` is 4 · 2 · 2 = 16, but there are 32 GPUs."


def test_an_axis_that_is_left_out_of_the_product_is_found(question: Question) -> None:
    said = told(question, "tp 4 pp 2 dp 8").say
    assert said == (
        "`tp` · `pp` · `dp` is 4 · 2 · 8 = 64, but there are 32 GPUs. Without `pp` it would be 32, but that axis also uses GPUs."
    )
    assert "Without `tp` it would be 32, but that axis also uses GPUs." in told(question, "tp 4 pp 2 dp 16").say


def test_a_layout_that_cannot_run_earns_nothing_and_hears_of_nothing_else(question: Question) -> None:
    feedback = told(question, "tp 8 pp 4 dp 1")
    assert feedback.credit == 0
    assert feedback.say == "This layout cannot run. 30 layers do not divide by 4 stages."


def test_a_limit_that_is_hard_is_a_condition_of_the_question_and_no_reason_why_it_could_not_run(
    tiny: Callable[..., Problem],
) -> None:
    limit = (
        "      faults: [node]\n      hard: true\n      asks: TP stays in a node of 4\n",
        "      of: tp\n      at_most: 4\n      hard: true\n      asks: TP is at most {{ limit }}\n",
    )
    feedback = told(with_params(tiny(limit), layers=30, gpus=32, room="21.5 GB"), "tp 8 pp 2")
    assert feedback.credit == 0
    assert feedback.say == (
        "This layout breaks a mandatory constraint: TP is at most 4. The others were not checked. 8 Use `pp` for that, which is 2 here."
    )


def test_any_other_earns_the_share_of_constraints_that_hold_and_each_broken_one_is_named_with_its_number(
    question: Question,
) -> None:
    feedback = told(question, "tp 1 pp 1 dp 32 none")
    assert feedback.credit == 0.5  # that of memory and time; the hard ones do not count
    assert feedback.say.startswith(
        "This layout meets 3 of 4 constraints.\n\nIt needs 64 GB with TP 1, and a GPU has 21.5 GB."
    )
    assert dict(feedback.parts) == {"even": True, "node": True, "memory": False, "quick": True}


def test_a_mistake_is_recognised_by_its_condition(question: Question) -> None:
    feedback = told(question, "tp 4 pp 1 none")
    assert feedback.mistake == 0
    assert feedback.say.endswith("One stage holds every layer with all its activations.")
    assert told(question, "tp 4 pp 2 none").mistake is None


def test_an_axis_that_takes_no_gpus_of_its_own_is_named() -> None:
    text = TEXT.replace("recompute: {choices: [none, full], means: recomputation}", "ep: {choices: [1, 2, 4]}")
    text = text.replace("1.33 if recompute == 'full' else 1", "1.33 if ep > 1 else 1").replace(
        """recompute: '"none"'""", "ep: 1"
    )
    question = with_params(problem_of(text), gpus=64)
    assert (
        "With `ep` it would be 64, but here that axis uses no additional GPUs."
        in told(question, "tp 8, pp 2, dp 2, ep 2").say
    )


# Close calls ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("limit", "seen", "unit", "met", "close"),
    [
        (80e9, 79e9, "GB", True, True),
        (80e9, 81e9, "GB", False, True),
        (80e9, 80e9, "GB", True, False),  # what equals its limit is exact
        (100, 101, "1", False, False),  # counts are exact
        (100, 101.5, "1", False, True),
    ],
)
def test_close_is_what_lies_within_two_per_cent_of_a_limit(
    limit: float, seen: float, unit: str, met: bool, close: bool
) -> None:
    at_most = JudgedConstraint(seen=(seen,), at_most=limit, unit=unit)
    assert (verdicts.is_met(at_most, seen), verdicts.is_close(at_most, seen)) == (met, close)
    if seen != limit:
        at_least = JudgedConstraint(seen=(seen,), at_least=limit, unit=unit)
        assert (verdicts.is_met(at_least, seen), verdicts.is_close(at_least, seen)) == (not met, close)


def test_a_draw_on_which_rounding_decides_is_rejected(tiny: Callable[..., Problem]) -> None:
    """TP 4 × PP 4 needs 19 GB of 19.2 GB."""
    problem = tiny(("choice: [21, 21.5]", "choice: [19.2]"), ("layers: {choice: [10, 20, 30]}", "layers: 20"))
    with pytest.raises(ShardwiseError, match="right or wrong by a close call"):
        pose(problem, 1)


def test_a_close_call_counts_where_the_author_says_so(tiny: Callable[..., Problem]) -> None:
    problem = tiny(
        ("choice: [21, 21.5]", "choice: [18.9]"),
        ("layers: {choice: [10, 20, 30]}", "layers: 20"),
        ("      at_most: room\n", "      at_most: room\n      too_close: counts\n"),
        ("gpus: {choice: [16, 32]}", "gpus: 32"),
    )
    feedback = check(pose(problem, 1), "tp 4 pp 4")
    assert feedback.outcome == "correct"
    assert "19 GB, within 2% of the limit, which counts" in feedback.say


# What the lint refuses ------------------------------------------------------------------------------------------------


def faults(problem: Problem, seeds: int = 8) -> str:
    return "\n".join(fault.message for fault in lint_problem(problem, seeds=seeds).faults)


def test_the_templates_of_the_tests_are_sound(tiny: Callable[..., Problem]) -> None:
    for problem in (tiny(FITS), problem_of(TEXT)):
        report = lint_problem(problem, seeds=30)
        assert report.faults == [] and report.confirmed and report.margin > 1


def test_an_oracle_that_disagrees_on_one_verdict_is_found(tiny: Callable[..., Problem]) -> None:
    other = TINY.replace("48e9 / (tp * pp)", "48e9 / (tp * pp) * (2 if tp == pp == 4 else 1)")
    assert "memory holds for tp 4, pp 4, dp" in faults(tiny(oracle=other))
    stricter = TINY.replace("if tp > 4", "if tp > 2")
    assert "node holds for tp 4" in faults(tiny(oracle=stricter))


def test_an_oracle_that_gives_some_measures_confirms_no_more_than_those(tiny: Callable[..., Problem]) -> None:
    half = TINY.replace('"step_s": (1 + tp / 10 + pp / 20) * (1.3 if recompute == "full" else 1)', "")
    report = lint_problem(tiny(FITS, oracle=half), seeds=4)
    assert report.faults == [] and not report.confirmed
    wrong = half.replace("48e9 / (tp * pp)", "96e9 / (tp * pp)")
    assert "memory holds for" in faults(tiny(oracle=wrong))


def test_a_solution_that_is_not_right_is_found(tiny: Callable[..., Problem]) -> None:
    change = ("solution: {lowest: step_s}", "solution: {tp: 1, pp: 1, recompute: \"'none'\"}")
    assert "the solution is not right" in faults(tiny(change))


def test_a_mistake_that_a_right_layout_makes_too_is_found(tiny: Callable[..., Problem]) -> None:
    assert "a right combination also makes mistake 1" in faults(tiny(('pp == 1 and recompute == "none"', "tp == 2")))


def test_a_condition_with_a_name_that_there_is_not_is_found(tiny: Callable[..., Problem]) -> None:
    assert "steps_s" in faults(tiny(('pp == 1 and recompute == "none"', "steps_s > 2")))


@pytest.mark.parametrize(
    ("room", "time", "why"),
    [
        ("21, 21.5", "1.05", "0 of .* combinations are right, not 1% to 30%"),
        ("2", "1.25 * best", "no combination meets the other constraints"),
        ("500", "9 * best", "combinations are right, not 1% to 30%"),
        ("500", "1.04 * best", "the first combination, which the example shows, is right"),
    ],
)
def test_a_draw_on_which_nothing_nearly_everything_or_the_example_is_right_is_rejected(
    tiny: Callable[..., Problem], room: str, time: str, why: str
) -> None:
    with pytest.raises(ShardwiseError, match=why):
        pose(tiny(("choice: [21, 21.5]", f"choice: [{room}]"), ("1.25 * best", time)), 1)


def test_too_many_combinations_are_refused() -> None:
    many = TEXT.replace("tp: {choices: [1, 2, 4, 8, 16]", 'tp: {choices: "divisors(30240)[:40]"')
    many = many.replace("gpus: {choice: [32, 64, 128]}", "gpus: 30240").replace(
        "pp: {choices: [1, 2, 4, 8]", 'pp: {choices: "divisors(30240)[:40]"'
    )
    with pytest.raises(
        ShardwiseError, match=rf"there are [\d,]+ combinations, but a key holds at most {MOST_ROWS:,}; offer fewer"
    ):
        posed(many)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("of: [tp, pp, dp]", "of: [tp, pp, ddp]", "the product names ddp; the axes are tp, pp, dp, recompute"),
        (
            "    dp: any\n",
            "    dp: any\n    ep: any\n",
            "only one axis may be `any`, and it must be part of the product",
        ),
        ("      at_most: room\n", "", "a constraint needs one of `at_most`, `at_least` and `whole: true`"),
        ("      faults: [layers]\n", "", "a constraint needs either `of`, an expression, or `faults`"),
        ("      say: It takes {{ seen }}, over {{ limit }}.\n", "", "write under `say` what a student reads"),
        ("    - id: quick", "    - id: memory", "two constraints have the same id"),
        ("  layers: {choice", "  tp: 3\n  layers: {choice", "tp is both a parameter and an axis"),
        ("    tp: [1, 2, 4, 8]", "    best: [1, 2, 4, 8]\n    tp: [1, 2, 4, 8]", "'best' cannot name an axis"),
        ("solution: {lowest: step_s}", "solution: {shortest: step_s}", "or only `lowest` or `highest`"),
    ],
)
def test_a_template_that_cannot_be_is_refused_in_words(old: str, new: str, why: str) -> None:
    assert TINY_TEXT.count(old) == 1
    with pytest.raises(Faulty) as refused:
        problem_of(TINY_TEXT.replace(old, new))
    assert why in str(refused.value)


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("tp: [1, 2, 4, 8]", 'tp: {choices: "gpus / 2"}', "the choices of tp must be a list"),
        (
            "tp: [1, 2, 4, 8]",
            "tp: [1, two, 4]",
            "tp is an axis of the product, but not all of its options are whole numbers",
        ),
        ("solution: {lowest: step_s}", """solution: {tp: "'x'", pp: 4, recompute: "'none'"}""", "has a word for tp"),
        ("is: gpus", "is: gpus / 3", "the product must be a whole number of at least 1, not "),
        ("default: none", "default: some", "the default of recompute is not one of its options"),
        ("of: memory_bytes", "of: recompute", "finds 'none', which is not a number"),
        ("solution: {lowest: step_s}", "solution: {tp: 4, pp: 4, dp: 2}", "the solution has no value for recompute"),
        (
            "solution: {lowest: step_s}",
            "solution: {tp: 3, pp: 4, dp: 2, recompute: 1}",
            "is not a combination of the options",
        ),
    ],
)
def test_a_draw_that_cannot_be_is_refused_in_words(tiny: Callable[..., Problem], old: str, new: str, why: str) -> None:
    with pytest.raises(ShardwiseError, match=why):
        pose(tiny((old, new)), 1)


def test_a_reference_that_gives_no_measures_or_takes_a_name_is_refused(tiny: Callable[..., Problem]) -> None:
    with pytest.raises(ShardwiseError, match="neither a number nor a dictionary"):
        pose(tiny(reference="def judge(*, tp):\n    return 'fine'"), 1)
    with pytest.raises(ShardwiseError, match="returns tp, which is also an axis or a parameter"):
        pose(tiny(reference="def judge(*, tp):\n    return {'tp': tp}"), 1)


@pytest.mark.parametrize(
    "faults", ["3", "None", "['layers']", "[{'constraint': 'layers'}]", "[{'constraint': 'layers', 'words': ''}]"]
)
def test_faults_that_are_no_list_of_faults_are_refused_in_words(tiny: Callable[..., Problem], faults: str) -> None:
    with pytest.raises(ShardwiseError, match="as `faults`; that must be a list of dictionaries"):
        pose(tiny(reference=f"def judge(*, tp):\n    return {{'faults': {faults}, 'memory_bytes': 1, 'step_s': 1}}"), 1)
    with pytest.raises(ShardwiseError, match="returns None as `faults`"):
        pose(tiny(reference="def judge(*, tp):\n    return {'memory_bytes': 1, 'step_s': 1}"), 1)


# How answers are read; tests/answers/layout.yaml has the spellings ----------------------------------------------------

FORM = LayoutForm(
    axes=(
        ShownAxis(name="tp", options=(1, 2, 4, 8)),
        ShownAxis(name="pp", options=(1, 2, 4, 8, 16)),
        ShownAxis(name="dp"),
        ShownAxis(name="zero", options=(0, 1, 2, 3)),
        ShownAxis(name="micro_batch", options=(1, 2, 4)),
        ShownAxis(name="recompute", options=("none", "selective", "full")),
        ShownAxis(name="sequence_parallel", options=("off", "on"), default="off"),
    ),
    asks=(), of=("tp", "pp", "dp"), number=16384, noun="GPUs", follows="dp",
)  # fmt: skip


@pytest.mark.parametrize(
    "raw",
    [
        "--tensor-model-parallel-size 8 --pipeline-model-parallel-size 16 --micro-batch-size 1 --recompute-activations "
        "--use-distributed-optimizer --sequence-parallel",
        "TP8 PP16 DP128, ZeRO-1, micro-batch 1, selective recomputation, sequence parallel",
        "16,384 GPUs: TP 8, PP 16, ZeRO 1, MBS 1, selective, SP on",
    ],
)
def test_flags_and_a_number_of_gpus_are_read(raw: Any) -> None:
    assert read_layout(FORM, raw).layout == (8, 16, 128, 1, 1, "selective", "on")


def test_an_axis_with_options_can_be_stepped_and_one_without_is_typed() -> None:
    view = kinds()["layout"].view(FORM)
    (field,) = view["fields"]
    assert [axis["name"] for axis in field["axes"] if not axis["values"]] == ["dp"]
    assert field["axes"][0]["values"] == ["1", "2", "4", "8"]
    assert "dp may stay empty" in view["how"]
