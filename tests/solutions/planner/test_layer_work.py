"""The work of a layer that is timed, against what is counted: matrix multiplications of every published model, and mixers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from solutions.planner import exchange, flops, mixing, products, rates, small_kernels, update
from solutions.planner.configurations.published import named_model, published_names
from solutions.planner.constants import constant
from solutions.planner.layer import layer_passes
from solutions.planner.rates import product_seconds
from solutions.planner.recompute import require_recompute
from solutions.planner.shapes import Batch, Block, Cluster, Layout, Model

LAYERS = [(name, block) for name in published_names() for block in named_model(name).kinds]


@pytest.fixture
def seconds_are_flop(monkeypatch: pytest.MonkeyPatch) -> None:
    def flop(
        accelerator: str, precision: str, *, tokens: float, inputs: float, outputs: float, copies: float = 1
    ) -> float:
        return 2 * copies * tokens * inputs * outputs

    monkeypatch.setattr(products, "product_seconds", flop)
    monkeypatch.setattr(products, "constant", lambda name: 1.0)


def timed(model: Model, block: Block, tp: int) -> products.Products:
    layout = Layout(tp=tp, dp=8 // tp)
    return products.layer_products(model.at(block), Cluster("H100-80GB", 8), layout, Batch(8, 4096), block)


def undivided(model: Model, block: Block) -> int:
    """Return the parameters that every GPU of a tensor-parallel group multiplies with: down-projections to latents."""
    return (block.mixer == "latent") * model.hidden * (model.query_rank + model.kv_rank + model.rope_head_width)


@pytest.mark.usefixtures("seconds_are_flop")
@pytest.mark.parametrize("tp", [1, 2])
def test_every_product_of_a_layer_is_timed_once(tp: int) -> None:
    for name, block in LAYERS:
        model = named_model(name)
        found = timed(model, block, tp)
        whole = 2 * 4096 * model.mixer_parameters(block)  # also counts a few parameters of convolutions and norms
        again = 2 * 4096 * undivided(model, block) * (tp - 1)
        assert found.attention_s * tp == pytest.approx(whole + again, rel=2e-3), (name, block)
        assert found.mlp_s * tp == pytest.approx(4096 * flops.mlp_flop(model, block)), (name, block)


@pytest.mark.usefixtures("seconds_are_flop")
def test_shares_are_parts_of_what_they_are_shares_of() -> None:
    for name, block in LAYERS:
        model, found = named_model(name), timed(named_model(name), block, 1)
        shared = 2 * 4096 * model.mlp_matrices * model.hidden * model.shared_experts * model.expert_ffn_hidden
        assert found.shared_s == pytest.approx(shared * block.is_mixture), name
        latent = 2 * 4096 * (model.mixer_parameters(block) - undivided(model, block))
        output = 2 * 4096 * model.heads * model.value_dim * model.hidden
        assert found.latent_s == pytest.approx((latent - output) * (block.mixer == "latent"), rel=2e-3, abs=0.1), name
        assert (found.copies > 0) == block.is_mixture and (found.inner > 0) == (block.mlp != "none"), name


# FLOP and bytes per token and head, counted by hand: k and v are 128 and 128 in chunks of 64, and 128 and 80 in chunks of 256.
@pytest.mark.parametrize(
    ("name", "mixer", "flop", "moved"),
    [
        ("Qwen3-Next-80B-A3B", "delta", 32_768 + 65_536 + 49_152, 1_024 + 1_024),
        ("Nemotron-Nano-9B-v2", "mamba", 106_496 + 40_960, 160 + 832),
    ],
)
def test_a_recurrence_takes_its_chunks_and_its_states(
    monkeypatch: pytest.MonkeyPatch, name: str, mixer: str, flop: int, moved: int
) -> None:
    monkeypatch.setattr(mixing, "peak_flop_per_s", lambda chip: 1e15)
    monkeypatch.setattr(mixing, "attention_share", lambda chip, kernel: 0.5)
    monkeypatch.setattr(mixing, "hbm_bytes_per_s", lambda chip: 1e12)
    model, block = named_model(name), Block(mixer)
    heads = model.heads_of_recurrence
    found = mixing.core_seconds(model, Cluster("H100-80GB", 8), Layout(tp=2, dp=4), Batch(4, 4096), block)
    forward = 4096 * heads.value_heads / 2 * (flop / 5e14 + moved / 1e12)
    assert found == pytest.approx((forward, 2.5 * forward))


def test_a_window_takes_as_long_as_a_causal_sequence_of_twice_its_length() -> None:
    llama = named_model("Llama-3-8B")
    case = (llama, Cluster("H100-80GB", 8), Layout(dp=8))
    whole = mixing.core_seconds(*case, Batch(8, 4096), Block())
    window = mixing.core_seconds(*case, Batch(8, 8192), Block("window", span=2048))
    chunk = mixing.core_seconds(*case, Batch(8, 8192), Block("chunked", span=4096))
    assert window == chunk == pytest.approx([2 * seconds for seconds in whole])


def test_narrow_heads_wait_for_exponentials_unless_the_kernel_waits_anyway() -> None:
    def seconds(head_width: int, mixer: str, software: str) -> float:
        model = Model(
            "m", 1, 4096, 16384, 4096 // head_width, 4096 // head_width, 1000, kv_rank=512, rope_head_width=64,
            query_rank=1536,
        ) if mixer == "latent" else Model("m", 1, 4096, 16384, 4096 // head_width, 4096 // head_width, 1000)  # fmt: skip
        layout = Layout(dp=8, software=software)
        block = Block(mixer)
        forward, _ = mixing.core_seconds(model, Cluster("H100-80GB", 8), layout, Batch(8, 4096), block)
        return forward / flops.core_flop(model, block, sequence=4096)

    for mixer, software, ratio in (
        ("full", "megatron-2024", 1 / constant("narrow_heads")), ("full", "nanotron-2025", 1.0), ("latent", "megatron-2024", 1.0),
    ):  # fmt: skip
        assert seconds(64, mixer, software) / seconds(128, mixer, software) == pytest.approx(ratio), (mixer, software)


def test_a_pass_says_which_part_of_it_can_be_recomputed_alone() -> None:
    model, layout, batch = named_model("DeepSeek-V3"), Layout(tp=2, dp=4, ep=8), Batch(8, 4096)
    block = list(model.kinds)[-1]
    case = (model, Cluster("H100-80GB", 8), layout, batch, block)
    forward, _ = layer_passes(*case)
    found = products.layer_products(model.at(block), *case[1:])
    assert forward.latent == found.latent_s > 0 and forward.shared == found.shared_s > 0
    halved = layer_passes(model, case[1], replace(layout, expert_tp=2), batch, block)[0]
    assert halved.activation == forward.activation  # half the width, for twice the copies
    assert forward.norms > 0 and forward.activation > 0 and forward.norms + forward.activation < forward.small


def test_sizes_and_words_that_cannot_be_are_refused() -> None:
    sizes = {"tokens": 1.0, "inputs": 1.0, "outputs": 1.0, "copies": 1.0}
    for name in sizes:
        with pytest.raises(ValueError, match=name):
            product_seconds("H100-80GB", "bf16", **sizes | {name: 0.0})
    for mixer, mlp in (("full", "thick"), ("thick", "dense")):
        with pytest.raises(ValueError, match="the mixer is one of"):
            Block(mixer, mlp)
    with pytest.raises(ValueError, match="cannot have a span of 1 tokens"):
        Block("full", span=1)
    with pytest.raises(ValueError, match=r"one of none, selective, .* not 'most'"):
        require_recompute("most")
    with pytest.raises(ValueError, match=r"a list of core_attn, layernorm, .* not 'full'"):
        require_recompute("mlp,full")


def test_each_rank_adds_to_a_collective_what_compute_does_not_hide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two reductions are four collectives; with sequence parallelism the backward pass gathers two inputs again."""
    monkeypatch.setattr(exchange, "phase_seconds", lambda *case, **sizes: 0.0)
    cluster, llama = Cluster("H100-80GB", 64, rank_s=1.0), named_model("Llama-3-8B")

    def late(layout: Layout, *, is_backward: bool) -> float:
        case = (llama, cluster, layout, Batch(8, 4096), Block())
        return exchange.tensor_seconds(*case, products_s=5.0, rest_s=3.0, is_backward=is_backward)

    assert [late(Layout(tp=16), is_backward=way) for way in (False, True)] == [4 * 15, 6 * 15]
    assert [late(Layout(tp=16, sequence_parallel=False), is_backward=way) for way in (False, True)] == [4 * 15, 4 * 15]
    assert late(Layout(tp=8), is_backward=False) == 4 * 7 - 5 - 3
    both = layer_passes(llama, cluster, Layout(tp=16), Batch(8, 4096), Block())
    assert [way.tensor for way in both] == [4 * 15, 6 * 15]


def test_a_recurrence_passes_its_state_from_rank_to_rank(monkeypatch: pytest.MonkeyPatch) -> None:
    sent: list[tuple[float, int]] = []

    def hop(cluster: Cluster, *, message_bytes: float, stride: int) -> float:
        sent.append((message_bytes, stride))
        assert cluster.gpus == 64
        return 2.0

    monkeypatch.setattr(exchange, "hop_seconds", hop)
    model = named_model("Qwen3-Next-80B-A3B")  # 32 heads with states of 128 by 128, in FP32
    case = (model, Cluster("H100-80GB", 64), Layout(tp=2, cp=8, dp=4, micro_batch=3), Batch(4, 8192))
    assert exchange.context_seconds(*case, Block("delta"), core_s=0.0, is_backward=False) == 14
    assert sent == [(4 * 3 * 32 * 128 * 128 / 2, 8)]
    assert exchange.context_seconds(*case, Block("none"), core_s=0.0, is_backward=False) == 0


def test_ulysses_copies_key_heads_and_calls_twice_around_the_ring(monkeypatch: pytest.MonkeyPatch) -> None:
    def traded(cluster: Cluster, *, sent_bytes: float, size: int, stride: int, calls: int = 1) -> float:
        assert (size, stride, calls) == (ulysses, tp, 2)
        return sent_bytes

    monkeypatch.setattr(exchange, "all_to_all_seconds", traded)
    monkeypatch.setattr(exchange, "hop_seconds", lambda cluster, *, message_bytes, stride: message_bytes)
    llama = named_model("Llama-3-8B")  # 32 and 8 heads of 128
    for tp, ulysses, ring, kv_heads in ((2, 1, 4, 4), (2, 2, 4, 4), (2, 8, 1, 8), (2, 8, 2, 8), (8, 2, 1, 2)):
        layout = Layout(tp=tp, cp=ulysses * ring, ulysses=ulysses, micro_batch=3)
        found = exchange.context_seconds(
            llama, Cluster("H100-80GB", 64), layout, Batch(4, 8192), Block(), core_s=0.0, is_backward=False
        )
        local = 3 * 8192 / ring / ulysses  # tokens of a rank
        heads_traded = 2 * local * (2 * 32 / tp + 2 * kv_heads) * 128 * (ulysses - 1) / ulysses
        ring_sent = 2 * (3 * 8192 / ring) * 2 * (kv_heads / ulysses) * 128 * (ring - 1)
        assert found == pytest.approx(heads_traded + ring_sent), (ulysses, ring)


def test_a_dispatch_follows_the_router_and_the_software(monkeypatch: pytest.MonkeyPatch) -> None:
    model, cluster, batch = named_model("DeepSeek-V3"), Cluster("H100-80GB", 128), Batch(128, 4096)

    def seconds(software: str, node_limit: int = 0) -> float:
        layout = Layout(dp=128, ep=64, software=software)
        return exchange.expert_seconds(replace(model, node_limit=node_limit), cluster, layout, batch)

    for software in ("megatron-2024", "nemo-automodel-2025"):
        assert seconds(software, node_limit=2) < seconds(software, node_limit=4) < seconds(software)
    in_turn, at_random = seconds("nemo-automodel-benchmark-2025"), seconds("nemo-automodel-2025")
    assert in_turn < at_random < seconds("megatron-2024")
    monkeypatch.setattr(exchange, "dispatch_seconds", lambda cluster, **sent: float(sent["once"]))
    assert (seconds("megatron-2024"), seconds("nemo-automodel-2025")) == (0.0, 2.0)


def test_an_update_passes_once_over_the_states_it_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(update, "hbm_bytes_per_s", lambda chip: 1e12)
    cluster, held = (
        Cluster("H100-80GB", 8),
        1e9 * (4 + 12 + 14),
    )  # gradients and states read, states and weights written
    one_pass = held / 1e12 * constant("update_passes")
    assert update.update_seconds(cluster, Layout(dp=8, zero=0), 1e9) == pytest.approx(one_pass)
    assert update.update_seconds(cluster, Layout(dp=8, zero=1), 8e9) == pytest.approx(one_pass)
    narrow = update.update_seconds(cluster, Layout(dp=8, zero=0, state_bytes=8), 1e9)
    assert narrow == pytest.approx(one_pass * (held - 8e9) / held)


@pytest.mark.parametrize(
    ("link", "memory", "width", "seconds"), [(1e9, 1e15, 4, 4.0), (1e9, 1e15, 1, 2.0), (1e15, 1e9, 4, 30.0)]
)
def test_an_update_on_the_host_takes_as_long_as_its_slowest_part(
    monkeypatch: pytest.MonkeyPatch, link: float, memory: float, width: int, seconds: float
) -> None:
    """Gradients travel to the host, new weights of two bytes back, and the host passes over the states."""
    monkeypatch.setattr(update, "host_link_bytes_per_s", lambda cluster: link)
    monkeypatch.setattr(update, "host_memory_bytes_per_s", lambda cluster: memory)
    layout = Layout(dp=8, zero=0, offload="optimizer", gradient_bytes=width)
    assert update.update_seconds(Cluster("H100-80GB", 8), layout, 1e9) == pytest.approx(seconds)


def test_biases_of_experts_pass_once_over_what_the_products_give() -> None:
    model, block = named_model("GPT-OSS-20B"), Block("full", "mixture")
    case = (Cluster("H100-80GB", 8), Layout(tp=2, dp=4, expert_tp=2), Batch(8, 4096), block)
    found = products.layer_products(model, *case)
    biased, plain = (
        small_kernels.small_kernels(replace(model, expert_biases=biases), *case, found).seconds
        for biases in (True, False)
    )
    copies = 4096 * model.experts_per_token  # each on both ranks, with half of gate and up and all of down
    given = copies * (2 * model.expert_ffn_hidden / 2 + model.hidden)
    assert (biased - plain) * rates.hbm_bytes_per_s("H100-80GB") == pytest.approx(4 * given)
