"""Moving pictures of a step, its timeline and its memory, against references that compute it another way."""

from __future__ import annotations

from itertools import pairwise, product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from solutions.accumulation.accumulation_time import step_seconds
from solutions.activations.activations import layer_activation_bytes, peak_activation_bytes
from solutions.activations.step_memory import moment_bytes
from solutions.figures import accumulation as accumulation_stills
from solutions.figures import activations as memory_stills
from solutions.interactive import accumulation, in_bytes, percent, step_memory, written
from solutions.oracles.accumulation.accumulation_time import clocked_communication_overhead, clocked_communication_share
from solutions.shapes import models

Shown = dict[str, Any]


def settings_of(module: Any) -> st.SearchStrategy[Shown]:
    """Any setting of a picture's controls."""
    options = {name: list(control["options"].values()) for name, control in module.CONTROLS.items()}
    return st.fixed_dictionaries({name: st.sampled_from(values) for name, values in options.items()})


def start_of(module: Any, **changes: Any) -> Shown:
    start = {name: control["options"][control["start"]] for name, control in module.CONTROLS.items()}
    return module.show(**{**start, **changes})  # type: ignore[no-any-return]


# Timelines of a step -----------------------------------------------------------------------------------------------


@given(settings_of(accumulation))
def test_both_timelines_end_when_the_formula_says(setting: Shown) -> None:
    shown = accumulation.show(**setting)
    steps = setting.pop("accumulation_steps")
    took = accumulation.times(**setting)
    ends = [steps * sum(took.values()), step_seconds(accumulation_steps=steps, **took)]
    timelines = shown["panels"][0]
    assert timelines["axis"]["high"] == pytest.approx(ends[0])
    for row, end in enumerate(ends):
        spans = [span for span in timelines["spans"] if span["row"] == row]
        assert spans[0]["from"] == 0 and spans[-1]["to"] == pytest.approx(end, rel=1e-5)
        assert all(before["to"] == after["from"] for before, after in pairwise(spans))
        assert [span["text"] for span in spans if span["text"]] == [str(number + 1) for number in range(steps)]
    assert [value for _, value in shown["facts"]][1:3] == [
        f"{written(end)} s" for end in ends
    ]  # as on the axis, however long


@given(settings_of(accumulation))
def test_share_and_overhead_are_those_of_a_step_that_is_clocked(setting: Shown) -> None:
    steps, took = setting["accumulation_steps"], accumulation.times(**{name: setting[name] for name in ("tokens", "bus_bytes_per_s")})  # fmt: skip
    shown = accumulation.show(**setting)
    each, last, share = (dict(line["points"]) for line in shown["panels"][1]["lines"])
    assert share[steps] == pytest.approx(100 * clocked_communication_share(accumulation_steps=steps, **took), rel=1e-5)
    overhead = clocked_communication_overhead(accumulation_steps=steps, **took)
    assert last[steps] == pytest.approx(100 * overhead, rel=1e-5)
    assert dict(shown["facts"])["overhead, after the last"] == percent(overhead)
    ends = [max(span["to"] for span in shown["panels"][0]["spans"] if span["row"] == row) for row in (0, 1)]
    assert each == {1: pytest.approx(100 * (ends[0] / (steps * took["micro_batch_s"]) - 1), rel=1e-3), 32: each[1]}
    axis = shown["panels"][1]["y"]
    assert all(axis["low"] < value < axis["high"] for line in (each, last, share) for value in line.values())


def test_the_timelines_begin_as_the_lesson_draws_them() -> None:
    took = accumulation.times(tokens=accumulation_stills.TOKENS, bus_bytes_per_s=360e9)
    assert took == {
        "micro_batch_s": accumulation_stills.MICRO_BATCH_S,
        "all_reduce_s": accumulation_stills.ALL_REDUCE_S,
    }
    shown = start_of(accumulation)
    assert [value for _, value in shown["facts"]][:3] == ["1.32 s, 176 ms", "11.9 s", "10.7 s"]
    assert dict(shown["facts"])["batch"] == "4,194,304 tokens"


def test_two_ports_a_server_need_four_times_the_accumulation_steps_as_the_lesson_lets_one_find() -> None:
    few = start_of(accumulation, accumulation_steps=32, bus_bytes_per_s=90e9)
    assert dict(few["facts"])["share, after the last"] == dict(start_of(accumulation)["facts"])["share, after the last"]


# Memory through a step ---------------------------------------------------------------------------------------------


def drawn(shown: Shown, name: str) -> float:
    """GB that are drawn at a named moment."""
    (found,) = [moment for moment in shown["panels"][0]["moments"] if moment["name"] == name]
    return sum(found["sizes"])


@given(settings_of(step_memory))
def test_each_moment_is_drawn_as_high_as_its_formula_and_the_highest_is_marked(setting: Shown) -> None:
    shown = step_memory.show(**setting)
    step = step_memory.step_of(**setting)
    for name in step_memory.PLACES:
        assert drawn(shown, name) * 1e9 == pytest.approx(moment_bytes(moment=name, **step), rel=1e-5)
    moments = shown["panels"][0]["moments"]
    fullest = max(moments, key=lambda moment: sum(moment["sizes"]))
    mark = shown["panels"][0]["marks"][1]
    assert mark["y"] == pytest.approx(sum(fullest["sizes"]), rel=1e-5)
    (marked,) = [moment for moment in moments if moment["from"] < mark["x"] < moment["to"]]
    assert sum(marked["sizes"]) == pytest.approx(mark["y"], rel=1e-5)
    facts = dict(shown["facts"])
    assert facts["peak"].startswith(f"{in_bytes(mark['y'] * 1e9)}, ")
    assert facts["on an H100-80GB"] == ("fits" if mark["y"] <= 80 else "does not fit")
    assert all(before["to"] == after["from"] for before, after in pairwise(moments))
    assert mark["y"] < shown["panels"][0]["y"]["high"]


@pytest.mark.parametrize(("model", "tokens"), [*product(("Llama-3-8B", "Mistral-7B", "Llama-2-13B"), (1024, 16384))])
def test_what_a_layer_keeps_is_that_of_the_formulas(model: str, tokens: int) -> None:
    shape = {name: getattr(models, name)(model=model) for name in ("hidden", "ffn_hidden", "heads", "kv_heads")}
    whole = layer_activation_bytes(tokens=tokens, **shape, tp=1)
    norms_and_product = 2 * tokens * (2 * shape["hidden"] + shape["ffn_hidden"])
    kept = {"nothing": whole, "norm outputs and SwiGLU products": whole - norms_and_product,
            "all layers": 2 * tokens * shape["hidden"]}  # fmt: skip
    for name, recomputed in step_memory.CONTROLS["recomputed"]["options"].items():
        step = step_memory.step_of(recomputed=recomputed, gradient_shards=1, model=model, tokens=tokens, chunks=1)
        assert step["kept_layer_bytes"] == kept[name]
        assert step["kept_layer_bytes"] + step["recomputed_layer_bytes"] == whole
    layers, vocabulary = models.layers(model=model), models.vocabulary(model=model)
    shown = start_of(step_memory, model=model, tokens=tokens)
    peak = peak_activation_bytes(
        tokens=tokens, layers=layers, recomputed_layers=0, **shape, vocabulary=vocabulary, tp=1
    )
    states = 2 * models.parameters(model=model) * (1 + 6 / 64)
    assert drawn(shown, "loss") * 1e9 == pytest.approx(peak + states, rel=1e-5)


@pytest.mark.parametrize("recomputed", [False, True])
def test_the_step_is_the_one_that_the_lesson_draws(recomputed: bool) -> None:
    shown = start_of(step_memory, recomputed=("layer",) if recomputed else ())
    still = memory_stills._played(recomputed).log
    heights = sorted(
        {round(sum(held.values()) / 1e9, 3) for moment, _, held in still if moment.startswith(("forward", "loss"))}
    )
    played = sorted({round(sum(one["sizes"]), 3) for one in shown["panels"][0]["moments"]})
    assert [height for height in heights if not any(abs(height - one) < 2e-3 for one in played)] == []
    assert shown["panels"][0]["marks"][1]["text"] == ("34.8 GB" if recomputed else "64.6 GB")


def test_recomputing_all_layers_runs_every_forward_pass_twice_and_a_norm_takes_no_time() -> None:
    ends = []
    for recomputed in step_memory.CONTROLS["recomputed"]["options"].values():
        phases = {
            phase["name"]: phase["to"] - phase["from"]
            for phase in start_of(step_memory, recomputed=recomputed)["panels"][0]["phases"]
        }
        ends.append(phases["forward"] + phases["backward"])
    assert ends == [3 * 32, 3 * 32, 4 * 32]


@given(settings_of(step_memory))
def test_what_is_said_of_a_moment_is_what_is_drawn_there(setting: Shown) -> None:
    shown = step_memory.show(**setting)
    moments = shown["panels"][0]["moments"]
    for frame in shown["frames"]:
        now = frame["panels"][0].get("now", moments[-1]["to"])
        (here,) = [moment for moment in moments if moment["from"] < now <= moment["to"]]
        assert dict(frame["facts"])["now"].endswith(f", {in_bytes(sum(here['sizes']) * 1e9)}")
    said = [dict(frame["facts"])["now"].split(",")[0] for frame in shown["frames"]]
    passes = [int(words.split()[-1]) for words in said if words.startswith("backward")]
    assert passes == sorted(passes, reverse=True) and said[-1] == "after the step"


def test_three_changes_bring_the_peak_below_22_gb_and_sharded_gradients_alone_change_nothing() -> None:
    changes = {"recomputed": ("layer",), "gradient_shards": 64, "chunks": 16}
    alone = {
        name: start_of(step_memory, **{name: value})["panels"][0]["marks"][1]["y"] for name, value in changes.items()
    }
    before = start_of(step_memory)["panels"][0]["marks"][1]["y"]
    assert {name: before - peak > 0.1 for name, peak in alone.items()} == {
        "recomputed": True,
        "gradient_shards": False,
        "chunks": True,
    }
    assert start_of(step_memory, **changes)["panels"][0]["marks"][1]["y"] < 22
    for name in changes:
        two = {other: value for other, value in changes.items() if other != name}
        assert start_of(step_memory, **two)["panels"][0]["marks"][1]["y"] > 22
