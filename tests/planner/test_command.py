"""python -m bench.planner --runs, on other files."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from bench.planner.__main__ import main

OTHER = """
conventions: {attn-full: "all pairs", somebody: "a formula of their own"}
chips:
  A100-80: {bf16_or_fp16: 312, mem_gb: 80}
  X9: {bf16_or_fp16: 5000, mem_gb: 300}
models:
  llama-7b: {layers: 32, hidden: 4096, heads: 32, kv_heads: 32, ffn: 11008, mlp: swiglu3, vocab: 32000}
runs:
  # A Blog 2027
  - {id: whole, model: llama-7b, chip: A100-80, chips: 8, precision: bf16, seq_len: 2048, tp: 1, pp: 1, dp: 8, sharding: zero3, micro_batch: 2, global_batch: 64, recompute: none, tokens_per_s: 3500, source: here, trust: A}
  - {id: sparse, model: llama-7b, chip: A100-80, chips: 8, seq_len: 2048, tp: 1, pp: 1, dp: 8, global_batch: 64, step_s: 5, source: here, trust: B}
  - {id: too-large, model: llama-7b, chip: A100-80, chips: 8, precision: bf16, seq_len: 32768, tp: 1, pp: 1, dp: 8, sharding: zero1, micro_batch: 8, global_batch: 64, recompute: none, outcome: oom, source: here, trust: A}
  - {id: new-chip, model: llama-7b, chip: X9, chips: 8, seq_len: 2048, tp: 1, pp: 1, dp: 8, global_batch: 64, step_s: 1, source: here, trust: A}
  - {id: new-rule, model: llama-7b, chip: A100-80, chips: 8, seq_len: 2048, tp: 1, pp: 1, dp: 8, global_batch: 64, mfu: 50, conv: somebody, source: here, trust: C}
  - {id: no-batch, model: llama-7b, chip: A100-80, chips: 8, seq_len: 2048, tp: 1, pp: 1, dp: 8, tokens_per_s: 3500, source: here, trust: C}
"""  # fmt: skip


def scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str
) -> tuple[int, str, str]:
    path = tmp_path / "other.yaml"
    path.write_text(text, "utf-8")
    monkeypatch.setattr(sys, "argv", ["planner", "--runs", str(path), "--rows"])
    status = main()
    out, err = capsys.readouterr()
    return status, out, err


def test_a_file_of_others_is_scored_and_nothing_is_dropped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = scored(tmp_path, monkeypatch, capsys, OTHER)
    assert (status, err) == (0, "")
    assert "6 runs: 4 can be compared, 2 cannot:" in out
    assert "  new-rule: no formula is known for the convention 'somebody'" in out
    assert "  no-batch: not reported: global_batch" in out
    assert (
        "1 that the planner cannot predict:\n  new-chip: the chip X9 is unknown; add it to bench/planner/accelerators.yaml"
        in out
    )
    ours = out.partition("\nshardwise: ")[2].partition("\nspreadsheet: ")[0]
    assert "family A Blog 2027" in ours
    assert "  1 ran: fits yes 1\n  1 ran out of memory: fits no 1\n" in ours
    assert re.search(r"family A Blog 2027 +3 .* p90 +\d\d", ours), "the refused run counts as a miss"
    assert [line.split()[0] for line in out.rpartition("reported s")[2].splitlines()[1:]] == [
        "whole",
        "sparse",
        "new-chip",
    ]


def test_faults_are_told_and_the_rest_is_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    status, out, err = scored(
        tmp_path, monkeypatch, capsys, OTHER.replace("dp: 8, sharding: zero3", "dp: 3, sharding: zero3")
    )
    assert status == 1
    assert err == "other.yaml: runs: whole: chips: tp · cp · pp · dp is 3, which does not divide 8\n"
    assert "5 runs: 3 can be compared" in out


def test_a_file_that_is_none_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert scored(tmp_path, monkeypatch, capsys, "a: [")[0] == 2
    monkeypatch.setattr(sys, "argv", ["planner", "--runs", str(tmp_path / "missing.yaml")])
    assert main() == 2
    assert "missing.yaml" in capsys.readouterr().err
