"""Files of published runs: what is read, and the faults that are reported."""

from __future__ import annotations

from pathlib import Path

import pytest

from bench.planner.run_files import FaultyRuns, load, read

SMALL = """
conventions: {attn-full: "all pairs"}
chips:
  A100-80: {bf16_or_fp16: 312, mem_gb: 80}
models:
  tiny: {layers: 2, hidden: 64, heads: 4, kv_heads: 4, ffn: 256, mlp: gelu2, vocab: 1000}
mem_kinds: {peak: "the fullest rank"}
runs:
  # Some Paper 2024
  - {id: a, model: tiny, chip: A100-80, chips: 8, seq_len: 128, tp: 2, pp: 1, dp: 4, global_batch: 8, step_s: 1.5, source: here, trust: A}
"""


def file(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "some.yaml"
    path.write_text(text, "utf-8")
    return path


def faults(tmp_path: Path, text: str) -> list[str]:
    with pytest.raises(FaultyRuns) as raised:
        load(file(tmp_path, text))
    return raised.value.faults


def test_a_key_that_is_absent_is_not_filled_in(tmp_path: Path) -> None:
    (row,) = load(file(tmp_path, SMALL)).rows
    assert (row.micro_batch, row.recompute, row.precision, row.cp, row.sp, row.outcome) == (None,) * 6


def test_a_family_may_be_told_by_the_comment_above_its_rows(tmp_path: Path) -> None:
    (row,) = load(file(tmp_path, SMALL)).rows
    assert row.family == "Some Paper 2024"


def test_every_fault_of_a_row_is_told_at_once(tmp_path: Path) -> None:
    text = (
        SMALL.replace("chips: 8, ", "chips: -8, colour: blue, ")
        .replace("step_s: 1.5", "step_s: fast")
        .replace("trust: A", "trust: D")
    )
    found = faults(tmp_path, text)
    assert found[0] == "runs: a: colour: unknown key"
    assert [fault.split(": ")[2] for fault in found] == ["colour", "chips", "step_s", "trust"]


@pytest.mark.parametrize(
    ("change", "to", "fault"),
    [
        ("global_batch: 8", "global_bach: 8", "runs: a: global_bach: unknown key; did you mean 'global_batch'?"),
        ("dp: 4", "dp: 3", "runs: a: chips: tp · cp · pp · dp is 6, which does not divide 8"),
        ("model: tiny", "model: tny", "runs: a: model: 'tny' is not described in this file; did you mean 'tiny'?"),
        ("step_s: 1.5", "mfu: 40", "runs: a: conv: missing; it says what a FLOP rate counts"),
        ("step_s: 1.5", "step_s: 1.5, mem_gb: 40", "runs: a: mem_gb and mem_kind need each other"),
        (
            "step_s: 1.5",
            "step_s: 1.5, outcome: oom",
            "runs: a: outcome: oom, but the row reports step_s; delete one of the two",
        ),
        ("step_s: 1.5, ", "", "runs: a: nothing to compare: no rate, no memory and no outcome"),
        (
            "step_s: 1.5",
            "step_s: 1.5, from_arithmetic: [mfu]",
            "runs: a: from_arithmetic: 'mfu' is not a value of this row",
        ),
        ("kv_heads: 4", "kv_heads: 3", "models: tiny: 3 key/value heads do not divide 4 heads"),
        ("kv_heads: 4", "kv_heads: 4, experts: 8, top_k: 2", "models: tiny: expert_ffn: required with experts"),
        ("chips: 8", "chips: '8'", "runs: a: chips: Input should be a valid integer, not '8'"),
        ("id: a, ", "", "runs: number 1: id: missing"),
        ("source: here, ", "", "runs: a: source: missing"),
    ],
)
def test_a_fault_says_where_and_what(tmp_path: Path, change: str, to: str, fault: str) -> None:
    assert change in SMALL
    assert fault in faults(
        tmp_path, SMALL.replace(change, to, 1) if change != "chips: 8" else SMALL.replace(change, to)
    )


def test_an_id_stands_once(tmp_path: Path) -> None:
    line = SMALL.strip().splitlines()[-1]
    assert faults(tmp_path, SMALL + line + "\n") == ["runs: a: this id appears twice"]


def test_sound_rows_of_a_faulty_file_can_be_used(tmp_path: Path) -> None:
    bad = SMALL.strip().splitlines()[-1].replace("id: a", "id: b").replace("chips: 8", "chips: 0")
    strange = SMALL.strip().splitlines()[-1].replace("id: a", "id: c, colour: blue")
    runs, found = read(file(tmp_path, f"{SMALL}{bad}\n{strange}\n"))
    assert [row.id for row in runs.rows] == ["a", "c"]
    assert len(found) == 2


def test_a_file_without_runs_says_what_it_lacks(tmp_path: Path) -> None:
    assert "runs: this heading is missing" in faults(tmp_path, "chips: {}\n")
    assert faults(tmp_path, "- 1\n")[0].startswith("it must have the headings")
    assert "1:5: not valid YAML" in faults(tmp_path, "a: [")[0]


@pytest.mark.parametrize(
    ("written", "said"),
    [
        (b"chips: [1]\nmodels: {a: {}}\nruns: [1]", "chips: this has to be names with values"),
        (b"chips: {a: {}}\nmodels: 3\nruns: [1]", "models: this has to be names with values"),
        (b"chips: {a: {}}\nmodels: {a: {}}\nruns: 3", "runs: this has to be a list"),
        (b"chips: {a: {}}\nmodels: {a: {}}\nruns: [1]\nconventions: x", "conventions: this has to be names with values"),
        (b"chips: " + b"9" * 5000, "cannot read this as a whole number"),
        (b"chips: " + b"[" * 1000, "is nested more than 30 levels deep"),
        (b"chips: \xff", "is not UTF-8"),
    ],
)  # fmt: skip
def test_a_file_that_is_something_else_is_refused_in_words(tmp_path: Path, written: bytes, said: str) -> None:
    path = tmp_path / "runs.yaml"
    path.write_bytes(written)
    with pytest.raises(FaultyRuns, match=said):
        read(path)


def test_a_heading_that_is_a_number_is_a_fault(tmp_path: Path) -> None:
    path = tmp_path / "runs.yaml"
    path.write_text("1: 2\nchips: {a: {bf16_or_fp16: 1, mem_gb: 1}}\nmodels: {m: {}}\nruns: [1]", "utf-8")
    assert "1: unknown heading" in read(path)[1]
