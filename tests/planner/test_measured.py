"""`plan --measured`: a measured run compared with its plan, and other plans corrected by it."""

from __future__ import annotations

import gzip
import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from command_line import run
from shardwise.errors import ShardwiseError
from shardwise_bank.planning.trace import read_trace
from solutions.planner.measured import TERMS
from solutions.planner.shapes import Layout

from .test_cards import write_card

PAGE = Path(__file__).parents[2] / "docs" / "measured.md"
RUN = {
    "model": "llama3-8b",
    "cluster": "h100-64",
    "layout": {"tp": 2, "dp": 32},
    "batch": {"global_batch": 512, "sequence": 8192},
}


def kernel(name: str, start: float, length: float, **details: Any) -> dict[str, Any]:
    return {"ph": "X", "cat": "kernel", "name": name, "ts": start, "dur": length, "args": details}


def step(number: int, start: float, length: float) -> dict[str, Any]:
    return {"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{number}", "ts": start, "dur": length}


def written(path: Path, events: list[dict[str, Any]]) -> Path:
    text = json.dumps({"schemaVersion": 1, "traceEvents": [{"ph": "M", "name": "process_name"}, *events]}).encode()
    path.write_bytes(gzip.compress(text) if path.suffix == ".gz" else text)
    return path


def test_a_trace_gives_the_seconds_in_which_no_compute_kernel_runs(tmp_path: Path) -> None:
    events = [
        step(3, 0, 10e6),
        step(4, 10e6, 10e6),
        kernel("ampere_gemm", 0, 6e6),
        kernel("flash_fwd", 5e6, 3e6),  # compute covers 0 to 8
        kernel("ncclDevKernel_ReduceScatter_Sum_f32_RING_LL", 7e6, 2e6, **{"Process Group Description": "mesh_dp_shard"}),
        kernel("ncclDevKernel_AllReduce_Sum_bf16_RING_LL", 8.5e6, 1e6, **{"Process Group Description": "TENSOR_MODEL_PARALLEL_GROUP"}),
        kernel("ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", 12e6, 4e6),
        kernel("deep_ep::internode::dispatch", 16e6, 1e6),
        kernel("gemm", 25e6, 5e6),  # after the last step
    ]  # fmt: skip
    seen = read_trace(written(tmp_path / "rank0.json.gz", events), Layout(tp=2, pp=2, ep=2, dp=4))
    assert seen.step_s == 10
    assert seen.terms["compute"] == 8 / 2
    assert seen.terms["data_parallel"] == 1 / 2  # 8 to 9
    assert seen.terms["tensor_parallel"] == 0.5 / 2  # 9 to 9.5
    assert seen.terms["expert_parallel"] == 1 / 2
    assert seen.terms["pipeline"] == (4 + 5.5) / 2  # sends, and all time without kernels
    assert sum(seen.terms.values()) == pytest.approx(seen.step_s)
    assert set(seen.terms) <= set(TERMS)


def test_a_collective_without_a_named_group_belongs_to_the_only_axis_of_its_size(tmp_path: Path) -> None:
    events = [step(1, 0, 8e6), kernel("gemm", 0, 4e6), kernel("ncclDevKernel_AllGather", 4e6, 1e6, **{"Group size": 8})]
    assert read_trace(written(tmp_path / "a.json", events), Layout(tp=8, dp=4)).terms["tensor_parallel"] == 1
    assert read_trace(written(tmp_path / "b.json", events), Layout(tp=2, dp=8)).terms["data_parallel"] == 1


@pytest.mark.parametrize(
    ("events", "words"),
    [([kernel("gemm", 0, 1)], "Call profiler.step"), ([step(1, 0, 10)], "ProfilerActivity.CUDA"), ([{"ph": "X", "ts": "0"}], "cannot find a step")],
)  # fmt: skip
def test_a_trace_that_lacks_something_says_how_to_record_it(tmp_path: Path, events: list[Any], words: str) -> None:
    with pytest.raises(ShardwiseError, match=words):
        read_trace(written(tmp_path / "t.json", events), Layout())


def test_a_step_that_is_written_twice_counts_once(tmp_path: Path) -> None:
    events = [step(1, 0, 8e6), step(1, 0, 8e6), kernel("gemm", 0, 4e6)]
    assert read_trace(written(tmp_path / "t.json", events), Layout()).step_s == 8


def test_an_axis_that_a_trace_never_shows_takes_no_exposed_time(tmp_path: Path) -> None:
    events = [step(1, 0, 8e6), kernel("gemm", 0, 4e6)]
    assert read_trace(written(tmp_path / "t.json", events), Layout(tp=2, dp=4)).terms["tensor_parallel"] == 0


PACKED = gzip.compress(json.dumps({"traceEvents": [step(1, 0, 8e6)]}).encode())


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"[" * 200_000, "nested too deeply"),
        (PACKED[:-9], "damaged"),
        (PACKED[:30] + b"xxxx" + PACKED[34:], "damaged"),
        (b"[\xff\xfe]", "not text"),
        (b'{"traceEvents": [{"na', "Did the run stop"),
        (gzip.compress(bytes(100_000)), "expected a PyTorch profiler trace"),
        (json.dumps([step(1, 0, 8e6), kernel("gemm", 10**400, 1)]).encode(), "cannot find GPU kernels"),
        (json.dumps([step(1, 0, 8e6), kernel("ncclAllReduce", 0, 8e6)]).encode(), "all GPU kernels are communication"),
        (json.dumps([step(1, 0, float("inf")), kernel("gemm", 0, 1)]).encode(), "cannot find a step"),
    ],
)  # fmt: skip
def test_a_damaged_trace_is_refused_in_words(tmp_path: Path, content: bytes, words: str) -> None:
    (tmp_path / "t.json").write_bytes(content)
    with pytest.raises(ShardwiseError, match=words):
        read_trace(tmp_path / "t.json", Layout())


def test_details_of_a_kernel_other_than_a_mapping_are_ignored(tmp_path: Path) -> None:
    events = [step(1, 0, 8e6), kernel("gemm", 0, 4e6), {**kernel("ncclAllReduce", 4e6, 1e6), "args": [1]}]
    assert read_trace(written(tmp_path / "t.json", events), Layout(dp=4)).terms["data_parallel"] == 1


def measured(tmp_path: Path, figures: dict[str, Any], *options: str, code: int = 0) -> str:
    path = tmp_path / "step.json"
    path.write_text(json.dumps(figures), "utf-8")
    return " ".join(run("plan", "--measured", path, *options, code=code).split())


def predicted(tp: int) -> dict[str, Any]:
    words = ("--model", "llama3-8b", "--cluster", "h100-64", "--tp", tp, "--global-batch", 512, "--json")
    return dict(json.loads(run("plan", *words)))


def test_communication_that_nothing_hides_is_named_with_the_bandwidth_that_the_links_reach(tmp_path: Path) -> None:
    found = json.loads(measured(tmp_path, {**RUN, "step_s": 9.0, "terms": {"data_parallel": 0.159}}, "--json"))
    term, rest = found["measured"]["terms"]
    assert term["measured_s"] > 3 * term["predicted_s"]
    assert term["whole_s"] == pytest.approx(0.159, rel=0.2)
    assert rest["name"] == "rest"
    assert "Either the links reach only" in measured(tmp_path, {**RUN, "terms": {"data_parallel": 0.5}})


def test_another_layout_is_corrected_by_the_measured_one(tmp_path: Path) -> None:
    own, other = predicted(2), predicted(4)
    found = json.loads(measured(tmp_path, {**RUN, "step_s": 1.5 * own["step_s"]}, "--tp", "4", "--json"))
    assert found["layout"]["dp"] == 16
    assert found["step_s"] == pytest.approx(1.5 * other["step_s"])


def test_a_corrected_plan_has_a_range_around_its_figure_and_no_uncorrected_advice(tmp_path: Path) -> None:
    figures = {**RUN, "step_s": 3 * predicted(2)["step_s"]}
    found = json.loads(measured(tmp_path, figures, "--tp", "4", "--json"))
    low, high = found["ranges"]["step_s"]
    assert low * high == pytest.approx(found["step_s"] ** 2)
    words = measured(tmp_path, figures, "--tp", "4")
    assert "MFU is now" not in words
    assert "Add --search" in words


def test_a_step_faster_than_the_peak_is_named(tmp_path: Path) -> None:
    assert "would be an MFU of" in measured(tmp_path, {**RUN, "step_s": 2.0})


def test_a_search_ranks_and_filters_by_the_measured_run(tmp_path: Path) -> None:
    own = predicted(2)
    figures = {**RUN, "step_s": 1.5 * own["step_s"], "memory": "60 GB"}
    found = json.loads(measured(tmp_path, figures, "--search", "--json", "--top", "9999"))["layouts"]
    assert all(each["memory_bytes"] <= each["room_bytes"] for each in found)
    (same,) = [each for each in found if each["layout"] == own["layout"]]
    assert same["step_s"] == pytest.approx(figures["step_s"])
    assert same["memory_bytes"] > own["memory_bytes"]


@pytest.mark.parametrize(
    ("figures", "words"),
    [
        ({}, "expected step_s"),
        ({"step": 3}, "unknown 'step'"),
        ({"step_s": -1, "memory": 66, "memory_kind": "rss"}, 'memory_kind must be one of allocated, reserved, nvidia-smi'),
        ({"step_s": "fast"}, "step_s"),
        ({"terms": {"nccl": 1}}, "terms must be seconds by name"),
        ({"step_s": 1, "terms": {"compute": 5}}, "more than the step time"),
        ({"trace": "missing.json"}, "cannot read this trace"),
        ({"trace": ["a"]}, "trace must be the path"),
        ({"trace": "."}, "cannot read this trace: Is a directory"),
        ({"terms": {"compute": 0}}, "compute must be a positive number"),
        ({"step_s": 1e29}, "is not realistic"),
        ({"memory": "90 GB"}, "more than the 85.5 GB of a GPU"),
    ],
)  # fmt: skip
def test_wrong_figures_are_named_with_what_was_expected(tmp_path: Path, figures: dict[str, Any], words: str) -> None:
    assert words in measured(tmp_path, figures, "--model", "llama3-8b", "--cluster", "h100-64", "--tp", "2", code=2)


def test_a_search_needs_the_layout_of_the_measured_run(tmp_path: Path) -> None:
    words = measured(tmp_path, {"step_s": 9}, "--model", "llama3-8b", "--cluster", "h100-64", "--search", code=2)
    assert 'Add it as "layout"' in words


def test_the_commands_of_the_page_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text("utf-8")
    (figures,) = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    Path("step.json").write_text(figures, "utf-8")
    written(Path("rank0.json.gz"), [step(3, 0, 9e6), kernel("gemm", 0, 8e6)])
    write_card(Path("card.yaml"))
    commands = re.findall(r"^shardwise (plan .*?)(?: +#.*)?$", text, re.MULTILINE)
    assert len(commands) == 6
    for command in commands:
        assert "Llama-3-8B on" in run(*shlex.split(command)), command
