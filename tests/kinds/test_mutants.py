"""Mutants: each is one wrong line, an input shows it, and the original line fixes it."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checkout import asked
from drawing import a_quarter_at_once
from shardwise.errors import ShardwiseError, Unreadable
from shardwise.kinds.agreement import same
from shardwise.kinds.bugline.kind import MOST_TRIED
from shardwise.kinds.bugline.model import BuglineForm, BuglineKey
from shardwise.kinds.bugline.mutants import Hunt, is_exposed, killed, listing, load_listing, mutants, patch, with_line

Inputs = Sequence[Mapping[str, object]]


def require_counts(**counts: int) -> None:
    """A guard such as the references have."""
    assert all(count >= 1 for count in counts.values())


def all_reduce_seconds(
    *, message_bytes: float, gpus: int, latency_s: float = 0.0, bandwidth_bytes_per_s: float
) -> float:
    """Time of a ring all-reduce.

    >>> 1 + 1
    2
    """
    require_counts(gpus=gpus)
    # every step passes one chunk on
    chunk_bytes = message_bytes / gpus  # a comment
    steps: int = 2 * (gpus - 1)
    seconds_per_step = (
        latency_s + chunk_bytes / bandwidth_bytes_per_s  # one direction
    )
    return steps * seconds_per_step


def pipeline_bubble(*, stages: int, micro_batches: int, chunks: int) -> float:
    """Idle over ideal time."""
    require_counts(stages=stages, micro_batches=micro_batches, chunks=chunks)
    if stages < 2:
        return 0.0
    slots = max(
        micro_batches * chunks,
        1,
    )
    return (stages - 1) / slots


def tree_steps(*, gpus: int) -> int:
    """Steps up and down."""
    require_counts(gpus=gpus)
    levels = math.ceil(math.log2(gpus))
    return 2 * levels


def checkpoint_gib(*, parameters: float, bytes_per_parameter: int, writers: int) -> float:
    """A shard in GiB, by rounds."""
    total_bytes = parameters * bytes_per_parameter
    rounds = 0
    while rounds * writers < 8:
        rounds += 1
    shard_bytes = total_bytes // (rounds * writers)
    return shard_bytes / 2**30


REFERENCES: list[tuple[Callable[..., object], dict[str, list[float]]]] = [
    (all_reduce_seconds, {"message_bytes": [10**9, 2 * 10**9], "gpus": [2, 4, 8], "bandwidth_bytes_per_s": [50e9],
                          "latency_s": [5e-5, 1e-3]}),
    (pipeline_bubble, {"stages": [1, 2, 4], "micro_batches": [4, 8], "chunks": [1, 2]}),
    (tree_steps, {"gpus": [2, 6, 8, 64]}),
    (checkpoint_gib, {"parameters": [7e9, 70e9], "bytes_per_parameter": [2, 12], "writers": [1, 4, 16]}),
]  # fmt: skip
references = pytest.mark.parametrize(("function", "domain"), REFERENCES, ids=lambda part: getattr(part, "__name__", ""))


def inputs_of(domain: dict[str, list[float]]) -> Inputs:
    return [dict(zip(domain, values, strict=True)) for values in itertools.product(*domain.values())]


def hunt(function: Callable[..., object], domain: dict[str, list[float]]) -> tuple[str, tuple[Hunt, ...]]:
    source = listing(function)
    return source, killed(source, mutants(source), function.__name__, inputs_of(domain), rel_tol=1e-6)


def changes(body: str, arguments: str = "n, tp, dp, chunk_bytes, message_bytes, rate_bytes_per_s") -> dict[str, str]:
    """What each mutation makes of a line, by the mutation's name."""
    found = mutants(f"import math\ndef f({arguments}):\n    {body}\n")
    assert all(mutant.line == 3 for mutant in found)
    return {mutant.change: mutant.mutated_line.strip() for mutant in found}


def test_a_listing_is_arithmetic_alone() -> None:
    assert listing(all_reduce_seconds) == (
        "def all_reduce_seconds(message_bytes, gpus, bandwidth_bytes_per_s, latency_s=0.0):\n"
        "    chunk_bytes = message_bytes / gpus\n"
        "    steps = 2 * (gpus - 1)\n"
        "    seconds_per_step = latency_s + chunk_bytes / bandwidth_bytes_per_s\n"
        "    return steps * seconds_per_step\n"
    )


def test_a_listing_that_needs_more_than_math_is_refused() -> None:
    def ring_and_tree(*, gpus: int) -> object:
        return tree_steps(gpus=gpus), same(1, 1, 0.1)

    with pytest.raises(
        ShardwiseError, match=r"the listing of ring_and_tree needs same, tree_steps\. A listing stands alone"
    ):
        listing(ring_and_tree)


@references
def test_a_listing_computes_what_its_reference_does(
    function: Callable[..., object], domain: dict[str, list[float]]
) -> None:
    bare = load_listing(listing(function), function.__name__)
    for arguments in inputs_of(domain):
        assert bare(**arguments) == function(**arguments)


@references
def test_each_mutant_differs_from_the_original_in_exactly_one_line(
    function: Callable[..., object], domain: dict[str, list[float]]
) -> None:
    source = listing(function)
    before = source.split("\n")
    found = mutants(source)
    assert len({mutant.source for mutant in found}) == len(found) >= 8
    assert [mutant.line for mutant in found] == sorted(mutant.line for mutant in found)
    for mutant in found:
        after = mutant.source.split("\n")
        assert len(after) == len(before)
        differing = [row for row, (old, new) in enumerate(zip(before, after, strict=True), start=1) if old != new]
        assert differing == [mutant.line]
        assert (before[mutant.line - 1], after[mutant.line - 1]) == (mutant.original_line, mutant.mutated_line)
        assert not mutant.original_line.startswith(("def ", "import "))
        assert 0 < len(mutant.change) <= 80
        compile(mutant.source, "mutant", "exec")


@references
def test_each_killed_mutant_is_exposed_by_its_witness_and_by_no_simpler_input(
    function: Callable[..., object], domain: dict[str, list[float]]
) -> None:
    _, found = hunt(function, domain)
    inputs = inputs_of(domain)
    assert len(found) >= 5
    assert len({kept.mutant.line for kept in found}) >= 2
    for kept in found:
        wrong = load_listing(kept.mutant.source, function.__name__)
        assert not same(function(**kept.witness), outcome(wrong, kept.witness), 1e-3)
        for simpler in inputs[: inputs.index(kept.witness)]:
            assert same(function(**simpler), outcome(wrong, simpler), 1e-3)


def outcome(function: Callable[..., object], arguments: Mapping[str, object]) -> object:
    try:
        return function(**arguments)
    except Exception as error:
        return error


@references
def test_the_original_line_mends_every_mutant(function: Callable[..., object], domain: dict[str, list[float]]) -> None:
    source = listing(function)
    for mutant in mutants(source):
        assert patch(mutant.source, mutant.line, mutant.original_line.strip()) == source


@pytest.mark.parametrize(
    ("body", "change", "mutated"),
    [
        ("return n / (tp * dp)", "swapped operands", "return tp * dp / n"),
        ("return chunk_bytes / rate_bytes_per_s", "bits for bytes: rate_bytes_per_s / 8",
         "return chunk_bytes / (rate_bytes_per_s / 8)"),
        ("return chunk_bytes / rate_bytes_per_s", "bits for bytes: chunk_bytes * 8", "return chunk_bytes * 8 / rate_bytes_per_s"),
        ("return chunk_bytes / rate_bytes_per_s", "message_bytes for chunk_bytes", "return message_bytes / rate_bytes_per_s"),
        ("return chunk_bytes - message_bytes * 3", "swapped chunk_bytes and message_bytes",
         "return message_bytes - chunk_bytes * 3"),
        ("return chunk_bytes / 1e9", "wrong unit: 2**30 for 1e9", "return chunk_bytes / 2**30"),
        ("return 16 * tp", "half the constant: 8 for 16", "return 8 * tp"),
        ("return n**2", "dropped square", "return n"),
        ("return max(n, 2)", "min for max", "return min(n, 2)"),
        ("return math.ceil(n / 3)", "floor for ceil", "return math.floor(n / 3)"),
        ("return math.log2(n)", "log for log2", "return math.log(n)"),
        ("return tp if n < 4 else dp", "<= for <", "return tp if n <= 4 else dp"),
        ("return tp if n < 4 else 1", "swapped branches", "return 1 if n < 4 else tp"),
        ("return tp > 1 and dp > 1", "or for and", "return tp > 1 or dp > 1"),
        ("return tp * (dp if n else tp)", "dropped factor tp", "return dp if n else tp"),
    ],
)  # fmt: skip
def test_a_mutation_is_written_as_a_person_would(body: str, change: str, mutated: str) -> None:
    assert changes(body)[change] == mutated


def test_words_in_errors_and_the_def_line_are_left_alone() -> None:
    source = "def f(n=2):\n    if n < 4:\n        raise ValueError(f'{n - 1} is below 4')\n    return n\n"
    assert {mutant.line for mutant in mutants(source)} == {2, 4}


def test_mutants_nobody_could_see_or_miss_are_dropped() -> None:
    source = "def f(n):\n    m = n * 1.0001\n    z = n - n\n    return m\n"
    kept = killed(source, mutants(source), "f", [{"n": 2}, {"n": 3}], rel_tol=1e-6)
    lines = {found.mutant.mutated_line.strip() for found in kept}
    assert "m = n" not in lines  # differs by 1e-4 only
    assert not any(found.mutant.line == 3 for found in kept)  # nobody reads z
    crashing = "def f(n):\n    return 10 / (n - 1)\n"
    assert "return 10 / (n - 2)" not in {
        found.mutant.mutated_line.strip()
        for found in killed(crashing, mutants(crashing), "f", [{"n": 2}], rel_tol=1e-6)
    }


def test_mutants_that_are_seen_at_once_or_never_end_are_dropped() -> None:
    def kept(body: str, reads: str) -> bool:
        source = f"def f(n):\n    m = n\n    {body}\n    return m\n"
        changed = with_line(source, 3, reads, "a slip")
        assert changed is not None
        return bool(killed(source, [changed], "f", [{"n": 4}, {"n": 8}], rel_tol=1e-6))

    assert kept("m = m / 60", "m = m / 3600")
    assert not kept("m = m / 60", "m = m / 86400")  # over 100 times off
    assert not kept("while m > n - 1: m -= 1", "while m > n - 1: m -= 0")


@pytest.mark.parametrize(
    "body",
    ["while n > 0:\n        n = n + 1\n    return n", "return sum(i for i in range(10**15))", "return [i for i in range(10**15)]",
     "for i in range(10**4):\n        for j in range(10**4):\n            n += 1\n    return n"],
)  # fmt: skip
def test_a_listing_gone_wrong_comes_to_an_end(body: str) -> None:
    start = time.process_time()
    with pytest.raises(OverflowError):
        load_listing(f"def f(n):\n    {body}\n", "f")(n=1)
    assert time.process_time() - start < 20


def test_a_listing_reaches_math_and_nothing_else() -> None:
    assert load_listing("import math\ndef f(n):\n    return math.sqrt(n)\n", "f")(4) == 2
    for body in ("return open('x')", "return __import__('os')", "return eval('1')"):
        with pytest.raises((NameError, ImportError)):
            load_listing(f"def f():\n    {body}\n", "f")()


@pytest.mark.parametrize(
    ("ours", "theirs", "agree"),
    [
        (2.0, 2, True), (1.0, 1.0 + 1e-7, True), (1.0, 1.0 + 1e-5, False), (0.0, 1e-15, True), (0.0, 1e-3, False),
        (1, True, False), (True, 1, False), (True, True, True), (math.nan, math.nan, True), (math.nan, 1.0, False),
        (math.inf, math.inf, True), (math.inf, -math.inf, False), (10**400, 10**400, True), (10**400, 1.0, False),
        ([1, 2.0], (1.0, 2), True), ([1, 2], [1], False), ([1, [2, 3]], [1, [2, 4]], False), ([], "", False),
        ({"a": 1.0}, {"a": 1}, True), ({"a": 1.0}, {"b": 1.0}, False), ({"a": 1}, [("a", 1)], False),
        ("ring", "ring", True), ("ring", "tree", False), (None, None, True), (1.0, "1.0", False), (1.0, None, False),
        (2.0, 2 + 0j, False), (1.0, ZeroDivisionError(), False),
    ],
)  # fmt: skip
def test_results_agree_as_numbers_parts_or_exactly(ours: object, theirs: object, agree: bool) -> None:
    assert same(ours, theirs, 1e-6) is agree


SOURCE = "def f(n):\n    m = 2 * n\n    if m > 3:\n        m = 4\n    return m\n"


def test_a_patch_keeps_the_indentation_and_runs_nothing() -> None:
    assert patch(SOURCE, 4, "   m = n / 0  # mine ") == SOURCE.replace("m = 4", "m = n / 0  # mine")
    assert "exit()" in patch(SOURCE, 2, "m = exit()")


@settings(max_examples=a_quarter_at_once(300), deadline=1000)
@given(
    st.integers(-2, 8),
    st.text(alphabet="()[]{}'\"\\:;,.=+-*/~@#\n\r\f\t nmf10_é\x00\ud800lambdaifelsreturnyield", max_size=310),
)
@pytest.mark.filterwarnings("error")  # a warning on stderr costs a student marks
def test_any_patch_fits_or_is_refused(line: int, text: str) -> None:
    try:
        patched = patch(SOURCE, line, text)
    except Unreadable:
        return
    before, after = SOURCE.split("\n"), patched.split("\n")
    assert len(before) == len(after)
    assert [row for row, pair in enumerate(zip(before, after, strict=True), 1) if pair[0] != pair[1]] in (
        [line],
        [],
    )
    compile(patched, "patched", "exec")


@pytest.mark.parametrize("seed", range(3))
def test_a_typical_call_is_drawn_valid_and_hides_the_bug_where_one_of_the_last_few_drawn_does(seed: int) -> None:
    for slug in ("ring-time-bug", "states-bug", "cosine-bug"):
        question = asked(slug, seed)
        form, key = question.form, question.key
        assert isinstance(form, BuglineForm) and isinstance(key, BuglineKey)
        original, mutant = (load_listing(source, form.function) for source in (key.original, key.mutant))
        assert math.isfinite(original(**form.typical))  # type: ignore[arg-type]
        hides = [not is_exposed(original, mutant, given) for given in key.cases[-MOST_TRIED:]]
        assert is_exposed(original, mutant, form.typical) == (not any(hides))
        assert dict(form.typical) != dict(key.witness)
