"""The planner's messages: what a form gets to a request is what `shardwise plan` says, and what cannot be done is said."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from checkout import ROOT, fresh_session
from shardwise.bank.discovery import open_banks
from shardwise.cli.main import main
from shardwise.student import api
from shardwise_bank.planning import charts, timeline
from shardwise_bank.planning import desk as planner_desk
from shardwise_bank.planning.desk import PlannerDesk
from shardwise_bank.planning.form import planner
from solutions.planner.judging import Batch, Cluster, Layout, Plan, named_model, plan
from solutions.planner.search import pareto, search

GIVEN = {
    "model": "llama3-70b", "cluster": {"accelerator": "H100-80GB", "gpus": 512},
    "layout": {"tp": 8, "pp": 4, "virtual_stages": 5, "software": "megatron-2024"}, "batch": {"global_batch": 1024, "sequence": 8192},
    "tokens": "15T", "price": 2,
}  # fmt: skip


@pytest.fixture(scope="module")
def desk() -> PlannerDesk:
    return PlannerDesk(open_banks((str(ROOT),)))


def changed(**layout: Any) -> dict[str, Any]:
    return {**GIVEN, "layout": {**GIVEN["layout"], **layout}}


def planned(**layout: Any) -> Plan:
    filled = {"tp": 8, "pp": 4, "dp": 16, "virtual_stages": 5, "schedule": "interleaved", **layout}
    return plan(named_model("Llama-3-70B"), Cluster("H100-80GB", 512), Layout(**filled), Batch(1024, 8192))


def refused(desk: PlannerDesk, **request: Any) -> str:
    return "\n".join(desk.reply({"do": "plan", "given": GIVEN, **request})["refused"])


# One plan -------------------------------------------------------------------------------------------------------------


def test_a_plan_is_the_one_of_the_command(
    desk: PlannerDesk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "plan --json --model llama3-70b --cluster h100-512 --tp 8 --pp 4 --virtual-stages 5 --software megatron-2024 --global-batch 1024 --sequence 8192"
    monkeypatch.setattr(sys, "argv", ["shardwise", *words.split(), "--tokens", "15T", "--price", "2"])
    with pytest.raises(SystemExit):
        main()
    assert desk.reply({"do": "plan", "given": GIVEN})["plan"] == json.loads(capsys.readouterr().out)


def test_a_reply_is_plain_data(desk: PlannerDesk) -> None:
    for do in ("plan", "pipeline", "search", "settings", "choices", "problem"):
        reply = desk.reply({"do": do, "given": GIVEN, "framework": "megatron"})
        assert "refused" not in reply and json.loads(json.dumps(reply)) == reply, do


def test_bars_have_all_of_the_memory_and_all_of_the_step(desk: PlannerDesk) -> None:
    reply, wanted = desk.reply({"do": "plan", "given": changed(recompute="full")}), planned(recompute="full")
    memory, peak = (
        {part["kind"]: part["size"] for part in reply[name]["rows"][0]["parts"]} for name in ("memory", "peak")
    )
    assert sum(memory.values()) == pytest.approx(wanted.memory_bytes / 1e9)
    assert memory["activations"] == pytest.approx(wanted.memory["activations"] / 1e9)
    assert reply["memory"]["limit"]["at"] == wanted.cluster.memory_bytes / 1e9
    assert sum(peak.values()) == pytest.approx(100)
    assert peak["used"] == pytest.approx(100 * wanted.mfu)
    assert peak["recompute"] == pytest.approx(100 * wanted.step["recompute"] / wanted.step_s)
    grouped = [part for _, _, parts in (*charts.MEMORY.values(), *charts.LOST.values()) for part in parts]
    assert sorted([*grouped, "compute"]) == sorted([*wanted.memory, *wanted.step])


def test_figures_are_said_with_their_units(desk: PlannerDesk) -> None:
    figures = {figure["name"]: figure["value"] for figure in desk.reply({"do": "plan", "given": GIVEN})["figures"]}
    assert figures["step time"].endswith(" s") and figures["MFU"] == f"{planned().mfu:.1%}"
    ranges = {figure["name"]: figure["range"] for figure in desk.reply({"do": "plan", "given": GIVEN})["figures"]}
    assert ranges["step time"].endswith(" s") and ranges["MFU"].count("%") == 2 and ranges["pipeline bubble"] == ""
    assert figures["training time"].endswith(" days") and figures["cost"].startswith("$7.")
    free = {name: value for name, value in GIVEN.items() if name not in ("tokens", "price")}
    assert len(desk.reply({"do": "plan", "given": free})["figures"]) == len(figures) - 2


def test_the_meaning_of_ranges_and_the_size_of_the_model_appear_once(desk: PlannerDesk) -> None:
    reply = desk.reply({"do": "plan", "given": GIVEN})
    assert reply["model"] == ["70.6 billion parameters."] and reply["ranges"].startswith("Ranges hold for 80%")
    assert not {reply["ranges"], *reply["model"]} & set(reply["counted"])
    low, high = reply["memory"]["rows"][0]["range"]
    assert [low * 1e9, high * 1e9] == pytest.approx(reply["plan"]["ranges"]["memory_bytes"]) and low < high


def test_modules_are_offered_that_layers_of_the_model_have(desk: PlannerDesk) -> None:
    def modules(model: str) -> list[str]:
        return list(desk.reply({"do": "plan", "given": {**GIVEN, "model": model, "layout": {}}})["choices"]["modules"])

    assert modules("llama3-70b") == ["core_attn", "layernorm", "mlp"]
    assert "mla_up_proj" in modules("deepseek-v3") and "moe_act" in modules("deepseek-v3")


def test_faults_and_remarks_are_sentences(desk: PlannerDesk) -> None:
    reply = desk.reply({"do": "plan", "given": changed(tp=16, pp=7)})
    assert "TP 16 spans several nodes: only 8 GPUs share fast links." in reply["faults"]
    assert "TP 16 × CP 1 × PP 7 × DP 4 = 448 GPUs, but the cluster has 512." in reply["faults"]
    assert "figures" not in reply and reply["plan"]["runs"] is False
    piped = desk.reply({"do": "plan", "given": changed(virtual_stages=1, pp=16, dp=4)})
    assert piped["warnings"] and all(words[0].isupper() and words.endswith(".") for words in piped["warnings"])


def test_sliders_offer_what_divides_and_what_is_set(desk: PlannerDesk) -> None:
    choices = desk.reply({"do": "plan", "given": changed(micro_batch=3)})["choices"]
    assert choices["micro_batch"] == [1, 2, 3, 4, 8, 16] and choices["ep"] == [1]
    assert choices["dp"] == [2**power for power in range(10)] and max(choices["pp"]) == 64
    experts = {**GIVEN, "model": "mixtral-8x7b", "layout": {}}
    assert desk.reply({"do": "plan", "given": experts})["choices"]["ep"] == [1, 2, 4, 8]
    huge = {**GIVEN, "cluster": {"accelerator": "h100", "gpus": 10**9}}
    assert 10**9 in desk.reply({"do": "plan", "given": huge})["choices"]["dp"]


# The pipeline ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("schedule", ["1f1b", "gpipe", "zb-h1", "zb-h2", "interleaved"])
def test_a_pipeline_is_drawn_as_the_simulator_runs_it(desk: PlannerDesk, schedule: str) -> None:
    chunks = 5 if schedule == "interleaved" else 1
    gantt = desk.reply({"do": "pipeline", "given": changed(schedule=schedule, virtual_stages=chunks)})["gantt"]
    spans = gantt["spans"]
    assert {span["row"] for span in spans} == {0, 1, 2, 3} and len(gantt["rows"]) == 4
    assert gantt["axis"]["high"] == max(span["to"] for span in spans)
    assert {span["kind"] for span in spans} == ({"F", "B", "W"} if schedule.startswith("zb") else {"F", "B"})
    for row in range(4):
        own = sorted((span["from"], span["to"]) for span in spans if span["row"] == row)
        assert all(end <= start + 1e-9 for (_, end), (start, _) in pairwise(own))


def test_few_micro_batches_are_drawn_of_many(desk: PlannerDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    gantt = desk.reply({"do": "pipeline", "given": changed(virtual_stages=1)})["gantt"]
    assert "8 of 64 micro-batches" in gantt["title"] and len(gantt["spans"]) == 4 * 8 * 2
    wide = changed(pp=16, virtual_stages=5, dp=4)
    assert "too many to draw" in desk.reply({"do": "pipeline", "given": wide})["words"]


def test_a_pipeline_that_cannot_be_drawn_says_why(desk: PlannerDesk) -> None:
    def words(**layout: Any) -> str:
        return str(desk.reply({"do": "pipeline", "given": changed(**layout)})["words"])

    assert words(pp=1, virtual_stages=1) == "No pipeline: PP is 1."
    assert words(schedule="zb-v", virtual_stages=1).startswith(
        "Cannot draw ZB-V, because the simulator does not support it"
    )
    drawn = desk.reply({"do": "pipeline", "given": changed(schedule="dualpipe", virtual_stages=1)})
    assert "DualPipe" in str(drawn)
    assert words(pp=7) == "This layout cannot run."


# A layout to begin with -----------------------------------------------------------------------------------------------


def test_a_form_begins_with_a_layout_that_fits(desk: PlannerDesk) -> None:
    for model, cluster in (("deepseek-v3", "h800-2048"), ("llama3-405b", "h100-16384"), ("gpt-3-175b", "1024 x a100")):
        start = desk.opened(model, cluster, {})["start"]
        plan_ = desk.reply({"do": "plan", "given": start})["plan"]
        assert plan_["fits"] and plan_["faults"] == [], model
    assert start["batch"] == {"global_batch": 2048, "sequence": 2048}, "GPT-3 has learned 2,048 positions"


def test_a_layout_that_fits_can_be_asked_for(desk: PlannerDesk) -> None:
    given = changed(tp=3, pp=7)
    assert desk.reply({"do": "plan", "given": given})["plan"]["runs"] is False
    found = desk.reply({"do": "start", "given": given})
    assert "dp" not in found["layout"] and found["layout"]["software"] == "megatron-2024"
    assert desk.reply({"do": "plan", "given": {**given, **found}})["plan"]["fits"]


def test_what_does_not_run_is_told_with_what_does(desk: PlannerDesk) -> None:
    said = desk.reply({"do": "plan", "given": changed(dp=8)})
    assert said["plan"]["runs"] is False and "DP 16 (MFU " in said["warnings"][0]


# Search ---------------------------------------------------------------------------------------------------------------


def searched(desk: PlannerDesk, **request: Any) -> dict[str, Any]:
    """What a search comes to; it is asked for again until it is done, as a form does."""
    while True:
        reply = desk.reply({"do": "search", **request})
        if "searching" not in reply:
            return reply


@pytest.mark.parametrize("cluster", ["h100-16", pytest.param("h100-64", marks=pytest.mark.slow)])
def test_a_long_search_lets_others_in_between_and_finds_the_same(
    cluster: str, desk: PlannerDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = {**GIVEN, "model": "mixtral-8x7b", "cluster": cluster, "layout": {}}
    monkeypatch.setattr(planner_desk, "SLICE_S", math.inf)
    whole = desk.reply({"do": "search", "given": given})
    monkeypatch.setattr(planner_desk, "SLICE_S", 0)
    first, second = (desk.reply({"do": "search", "given": given})["searching"] for _ in range(2))
    assert (first, second) == ("0 layouts tried …", "0 layouts tried …")
    monkeypatch.setattr(planner_desk, "SLICE_S", 0.02)
    tried = [desk.reply({"do": "search", "given": given})["searching"] for _ in range(2)]
    assert len({*tried, first}) == 3, "it goes on where it was left"
    assert "figures" in desk.reply({"do": "plan", "given": GIVEN})
    assert "searching" in desk.reply({"do": "search", "given": {**given, "model": "mixtral-8x22b"}})
    assert searched(desk, given=given) == whole


def test_a_search_draws_its_layouts_and_can_load_each(desk: PlannerDesk) -> None:
    given = {
        **GIVEN,
        "model": "llama3-8b",
        "cluster": "h100-16",
        "layout": {"software": "megatron-2024"},
        "batch": {"global_batch": 64, "sequence": 8192},
    }
    reply = searched(desk, given=given)
    found = search(named_model("Llama-3-8B"), Cluster("H100-80GB", 16), Batch(64, 8192))
    scatter = reply["scatter"]
    assert len(scatter["points"]) == len(reply["layouts"]) <= len(found)
    assert scatter["front"] == [[row.memory_bytes / 1e9, row.mfu * 100] for row in pareto(found)]
    for place in (0, len(reply["layouts"]) - 1):
        again = desk.reply({"do": "plan", "given": {**given, "layout": reply["layouts"][place]}})["plan"]
        point = scatter["points"][place]
        assert reply["layouts"][place]["software"] == "megatron-2024"
        assert (point["x"], point["y"]) == pytest.approx((again["memory_bytes"] / 1e9, again["mfu"] * 100))
        assert point["x"] <= scatter["x"]["high"] and point["y"] <= scatter["y"]["high"]


def test_a_search_keeps_where_and_how_wide_the_optimizer_states_are_and_marks_what_is_tight(desk: PlannerDesk) -> None:
    given = {**GIVEN, "model": "llama3-8b", "cluster": "h100-8", "layout": {"offload": "optimizer", "state_bytes": 8}}
    reply = searched(desk, given=given)
    assert {(layout["offload"], layout["state_bytes"]) for layout in reply["layouts"]} == {("optimizer", 8)}
    points = reply["scatter"]["points"]
    assert [point["open"] for point in points] == [" (tight)" in point["text"] for point in points]
    assert any(point["open"] for point in points) and " of them tight" in reply["words"]


def test_a_search_without_a_result_says_so(desk: PlannerDesk) -> None:
    given = {**GIVEN, "cluster": "h100-8"}
    assert "No layout runs and fits" in searched(desk, given=given, keep=[])["refused"][0]
    assert "must be a list of names" in refused(desk, do="search", keep="tp")


def test_settings_are_those_of_the_command(desk: PlannerDesk) -> None:
    text = desk.reply({"do": "settings", "given": GIVEN, "framework": "megatron"})["text"]
    assert "--tensor-model-parallel-size 8" in text and "--num-virtual-stages-per-pipeline-rank 5" in text
    assert "TorchTitan" in refused(desk, do="settings", framework="torchtitan"), "ZeRO 1 is not among its settings"
    assert "Unknown framework 'nemo'" in refused(desk, do="settings", framework="nemo")


def test_choices_are_what_the_planner_knows(desk: PlannerDesk) -> None:
    choices = desk.reply({"do": "choices"})
    assert "Llama-3-405B" in choices["model"] and "H100-80GB" in choices["accelerator"]
    assert choices["recompute"][0] == "none" and "megatron-2024" in choices["software"]


# What is refused ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (None, "A request must name an action in `do`: start, plan, pipeline, search"), ({"do": "sing"}, "A request must name an action"),
        ({"do": "plan"}, "must name a model and a cluster"), ({"do": "plan", "given": {}}, "Name a model, such as llama3-70b"),
        ({"do": "plan", "given": {**GIVEN, "layout": 7}}, "layout must be a mapping of names to values, not 7."),
        ({"do": "plan", "given": changed(tp=0, zero=9)}, "zero must be 0, 1, 2 or 3, not 9."),
        ({"do": "plan", "given": changed(recompute="partial")}, "recompute partial needs recomputed_layers, the number of layers to recompute."),
        ({"do": "plan", "given": {**GIVEN, "cluster": {"accelerator": "h100"}}}, "The number of GPUs is missing."),
        ({"do": "plan", "given": changed(software="excel")}, "Unknown software 'excel'."),
    ],
)  # fmt: skip
def test_a_refused_request_says_why(desk: PlannerDesk, request_: Any, words: str) -> None:
    said = "\n".join(desk.reply(request_)["refused"])
    assert words in said and "--" not in said


def test_a_failure_of_the_planner_is_reported_as_a_bug(desk: PlannerDesk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(timeline, "simulate", lambda *_: 1 / 0)
    timeline._simulated.cache_clear()
    said = desk.reply({"do": "pipeline", "given": GIVEN})["refused"][0]
    assert (
        said
        == "The planner failed (ZeroDivisionError: division by zero). This is a bug in shardwise: please report it."
    )


@pytest.fixture
def session(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(api, "_SESSION", fresh_session())
    yield
    from ipywidgets import Widget

    Widget.close_all()


@pytest.mark.usefixtures("session")
def test_the_verb_begins_with_names_and_shows_its_first_plan_without_a_kernel() -> None:
    form: Any = planner("LLAMA3-8b", "16 x H100", tp=2)
    start = form.given["start"]
    assert (start["model"], start["cluster"]) == ("Llama-3-8B", {"accelerator": "H100-80GB", "gpus": 16})
    assert start["layout"] == {"tp": 2} and "Mixtral-8x7B" in form.given["choices"]["model"]
    assert "Llama-3-8B on 16 H100-80GB" in form._plain and "TP 2 × CP 1 × PP 1 × DP 8" in form._plain
    assert "<table>" in form._html and "Run this cell in Jupyter" in form._html
    assert (
        form._html.count("$") > 2 and "mathjax_ignore" in form._bundle()["text/html"]
    )  # or "$3M to $" becomes a formula
    reply = form._desk.reply({"do": "plan", "given": start})
    assert reply["plan"]["layout"]["tp"] == 2 and reply["figures"]


@pytest.mark.usefixtures("session")
def test_the_verb_reads_a_configuration_and_the_names_that_people_use(tmp_path: Path) -> None:
    file = tmp_path / "small" / "config.json"
    file.parent.mkdir()
    file.write_text(
        '{"model_type": "llama", "hidden_size": 4096, "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,'
        ' "num_key_value_heads": 8, "vocab_size": 128256}'
    )
    form: Any = planner(str(file), "h100-64", software="megatron", recompute=["mlp", "layernorm"])
    assert "small on 64 H100-80GB" in form._plain and "8.03 billion parameters" in form._plain
    assert form.given["start"]["layout"] == {"software": "Megatron-LM", "recompute": "mlp,layernorm"}
    assert "Cannot find the file" in repr(planner(str(tmp_path / "none.json"), "h100-64"))


@pytest.mark.usefixtures("session")
def test_the_verb_says_what_it_does_not_know() -> None:
    said = repr(planner("lama3-8", "h1000-16", zero=7))
    assert "Unknown model 'lama3-8'. Did you mean Llama-3-8B" in said
    assert "Unknown accelerator 'h1000'" in said and "zero must be 0, 1, 2 or 3, not 7." in said
    assert "'tpp' is unknown. Did you mean tp?" in repr(planner(tpp=2))
