"""The planner in a real browser, backed by the real Python: sliders, search, points, settings, keyboard, and a phone."""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.sync_api import Locator, expect

SMALL = ("llama3-8b", "h100-16", {"tp": 2, "pp": 2})
START = "TP 2 × CP 1 × PP 2 × DP 4"


@pytest.fixture
def planner(bare: Any) -> Locator:
    """Show a planner for a small cluster on a page without Jupyter."""
    form: Locator = bare.planner(*SMALL)
    expect(form).to_contain_text(START)
    return form


def value_of(form: Locator, name: str) -> str:
    return str(form.locator(".facts div", has_text=name).locator(".value").inner_text())


def test_a_slider_changes_the_plan(planner: Locator, bare: Any) -> None:
    before = value_of(planner, "peak memory per GPU")
    planner.get_by_label("TP, tensor").press("ArrowRight")
    expect(planner).to_contain_text("TP 4 × CP 1 × PP 2 × DP 2")
    assert value_of(planner, "peak memory per GPU") != before
    planner.get_by_role("combobox", name="ZeRO").select_option("3: weights, too (FSDP)")
    expect(planner).to_contain_text("ZeRO 3")
    expect(planner.locator("svg[aria-label*='Timeline of']")).to_be_visible()
    planner.get_by_label("PP, pipeline").press("Home")
    expect(planner).to_contain_text("No pipeline: PP is 1.")
    expect(planner.locator(".heard")).to_contain_text("MFU")
    assert bare.faults == []


def test_what_cannot_run_is_said_and_can_be_left_again(planner: Locator, bare: Any) -> None:
    planner.get_by_text("set DP from the number of GPUs").click()
    planner.get_by_label("DP, data").press("ArrowRight")
    expect(planner).to_contain_text("TP 2 × CP 1 × PP 2 × DP 8 = 32 GPUs, but the cluster has 16.")
    expect(planner.locator(".facts")).to_have_count(0)
    gpus = planner.get_by_label("number of GPUs", exact=True)
    gpus.fill("32")
    gpus.press("Tab")
    expect(planner.locator(".facts")).to_be_visible()
    gpus.fill("many")
    gpus.press("Tab")
    expect(planner).to_contain_text("gpus must be a whole number of at least 1, not 'many'.")
    gpus.fill("64")
    gpus.press("Tab")
    expect(planner).to_contain_text("DP 8 = 32 GPUs, but the cluster has 64.")
    planner.get_by_text("set DP from the number of GPUs").click()
    expect(planner).to_contain_text("DP 16")
    assert bare.faults == []


def test_numbers_of_ones_own(planner: Locator, bare: Any) -> None:
    planner.get_by_text("Customise").click()
    layers = planner.get_by_label("layers", exact=True)
    layers.fill("48")
    layers.press("Tab")
    expect(planner.get_by_role("heading", name="custom model on 16 H100-80GB")).to_be_visible()
    network = planner.get_by_label("network per GPU")
    network.fill("many")
    network.press("Tab")
    expect(planner).to_contain_text("network: ")
    planner.get_by_role("combobox", name="model", exact=True).select_option("Llama-3-8B")
    planner.get_by_role("combobox", name="GPU type", exact=True).select_option("H200-141GB")
    expect(planner.get_by_role("heading", name="Llama-3-8B on 16 H200-141GB")).to_be_visible()
    expect(network).to_have_value("50 GB/s")
    assert bare.faults == []


def test_a_configuration_is_opened_or_pasted_and_its_faults_are_shown(planner: Locator, bare: Any) -> None:
    config = {
        "model_type": "qwen3", "hidden_size": 2560, "intermediate_size": 9728, "num_hidden_layers": 36, "head_dim": 128,
        "num_attention_heads": 32, "num_key_value_heads": 8, "vocab_size": 151936, "tie_word_embeddings": True,
    }  # fmt: skip
    planner.get_by_text("Model from a config.json").click()
    opened = {"name": "config.json", "mimeType": "application/json", "buffer": json.dumps(config).encode()}
    planner.get_by_label("Hugging Face config.json").set_input_files(opened)
    expect(planner.get_by_role("heading", name="model from a config.json on 16 H100-80GB")).to_be_visible()
    expect(planner.locator("header + p")).to_have_text("4.02 billion parameters.")
    expect(planner.locator(".facts")).to_contain_text(" to ")
    expect(planner.locator("path.range")).to_have_count(2)
    text = planner.get_by_label("or its text")
    text.fill(json.dumps(config | {"model_type": "nonesuch"}))
    text.press("Tab")
    expect(planner).to_contain_text("the architecture 'nonesuch' is unknown")
    planner.get_by_label("Hugging Face config.json").set_input_files({**opened, "buffer": b"[" * 2_000_000})
    expect(planner).to_contain_text("This has 2,000,000 characters; a config.json has a few thousand.")
    planner.get_by_role("combobox", name="model", exact=True).select_option("Llama-3-8B")
    expect(planner.get_by_role("heading", name="Llama-3-8B on 16 H100-80GB")).to_be_visible()
    assert bare.faults == []


def test_more_settings_and_lists_follow_what_is_loaded(planner: Locator, bare: Any) -> None:
    zero, again = (planner.get_by_role("combobox", name=name, exact=True) for name in ("ZeRO", "recomputation"))
    planner.get_by_text("More settings").click()
    for module in ("layernorm", "mlp"):
        planner.get_by_label(module, exact=True).check()
        expect(planner).to_contain_text(module)
    expect(planner).to_contain_text("recomputation of layernorm and mlp")
    expect(again.locator(":checked")).to_have_text("layernorm,mlp")
    planner.get_by_role("combobox", name="CPU offload").select_option("optimizer")
    planner.get_by_role("combobox", name="optimizer states").select_option("8 bytes, BF16 moments")
    expect(planner).to_contain_text("optimizer on the host, 8-byte optimizer states")
    zero.select_option("3: weights, too (FSDP)")
    zero.select_option("1: optimizer states sharded")
    bare.is_fit_for_all()
    planner.get_by_role("button", name="Suggest a layout").click()
    expect(again.locator(":checked")).to_have_text("none")
    expect(zero.locator(":checked")).to_have_text("3: weights, too (FSDP)")


@pytest.mark.slow
def test_a_point_of_a_search_is_loaded_by_mouse_and_by_keys(planner: Locator, bare: Any) -> None:
    planner.get_by_role("combobox", name="ZeRO").select_option("2: gradients, too")
    planner.get_by_text("ZeRO", exact=True).last.click()
    planner.get_by_role("button", name="Search").click()
    points = planner.locator("circle[role=option]")
    expect(points.first).to_be_visible()
    chosen = points.last  # on the front, drawn above the others
    words = (chosen.get_attribute("aria-label") or "").partition(":")[0]
    assert ", ZeRO 2," in words
    chosen.click()
    expect(planner).to_contain_text(words)
    expect(planner.locator("circle[aria-selected=true]")).to_have_attribute(
        "aria-label", chosen.get_attribute("aria-label") or ""
    )
    planner.locator("circle[aria-selected=true]").press("ArrowRight")
    expect(planner.locator(".results p.quiet").first).not_to_contain_text(words)
    expect(points.first).to_be_visible()
    bare.is_fit_for_all()


def test_a_layout_that_fits_takes_the_place_of_one_that_does_not(planner: Locator, bare: Any) -> None:
    planner.get_by_role("combobox", name="model", exact=True).select_option("Llama-3-70B")
    expect(planner).to_contain_text("per GPU at peak, but each GPU has")
    planner.get_by_role("button", name="Suggest a layout").click()
    expect(planner).not_to_contain_text("per GPU at peak, but each GPU has")
    expect(planner.locator(".facts")).to_be_visible()
    assert bare.faults == []


def test_a_long_search_can_be_stopped_and_others_are_answered_meanwhile(planner: Locator, bare: Any) -> None:
    planner.get_by_role("combobox", name="model", exact=True).select_option("DeepSeek-V3")
    gpus = planner.get_by_label("number of GPUs", exact=True)
    gpus.fill("2048")
    gpus.press("Tab")
    planner.get_by_role("button", name="Search").click()
    expect(planner).to_contain_text("layouts tried …")
    planner.get_by_label("TP, tensor").press("ArrowRight")
    expect(planner.locator(".results p.quiet").first).to_contain_text("TP 4")
    planner.get_by_role(
        "button", name="Stop"
    ).click()  # it is there: the plan was answered between two steps of the search
    expect(planner.get_by_role("button", name="Search")).to_be_visible()
    expect(planner).not_to_contain_text("layouts tried …")
    assert planner.locator("circle").count() == 0 and bare.faults == []


@pytest.mark.slow
def test_settings_are_written_and_copied(planner: Locator, bare: Any) -> None:
    planner.get_by_role("button", name="TorchTitan").click()
    expect(planner).to_contain_text("has no setting for ZeRO 1")
    planner.get_by_role("button", name="Megatron-LM").click()
    settings = planner.get_by_label("Settings")
    expect(settings).to_contain_text("--tensor-model-parallel-size 2")
    bare.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    planner.get_by_role("button", name="Copy").click()
    expect(planner).to_contain_text("Copied.")
    assert bare.page.evaluate("navigator.clipboard.readText()") == settings.inner_text()
    planner.get_by_role("button", name="Similar problem").click()
    expect(settings).to_contain_text('practice("a-layout-that-fits")')
    bare.is_fit_for_all()


def test_a_plan_outlasts_the_page(planner: Locator, bare: Any) -> None:
    planner.get_by_role("combobox", name="recomputation").select_option("full")
    expect(planner).to_contain_text("full recomputation")
    bare.page.reload()
    expect(planner).to_contain_text("full recomputation")
    assert bare.faults == []


def test_a_plan_that_was_kept_and_cannot_be_gives_way_to_the_first(planner: Locator, bare: Any) -> None:
    for kept in ({}, "x", {"model": "gone-1b", "cluster": {"accelerator": "H9", "gpus": 1e9}, "layout": {"tp": "<b>"}}):
        planner.get_by_label("TP, tensor").press("ArrowRight")
        bare.page.evaluate("(kept) => localStorage.setItem(localStorage.key(0), JSON.stringify(kept))", kept)
        bare.page.reload()
        expect(planner).to_contain_text(START)
    assert bare.faults == []


def test_keys_alone_reach_everything(planner: Locator, bare: Any) -> None:
    bare.page.locator("body").click(position={"x": 1, "y": 1})
    reached: list[str] = []
    for _ in range(60):
        bare.page.keyboard.press("Tab")
        reached.append(bare.page.evaluate(REACHED))
    for name in (
        "model",
        "TP, tensor",
        "set DP from the number of GPUs",
        "software",
        "More settings",
        "Search",
        "Megatron-LM",
    ):
        assert any(name in one for one in reached), name


REACHED = """() => {
  const one = document.querySelector(".shardwise").shadowRoot.activeElement;
  return one ? (one.labels?.[0] ?? one).textContent : "";
}"""
