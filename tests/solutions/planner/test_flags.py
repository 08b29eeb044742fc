"""Settings of frameworks as a whole: what is written for a layout, line by line, and all that a framework has no setting for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from solutions.planner.flags import written
from solutions.planner.shapes import Batch, Cluster, Layout, Model, named_model

DENSE = Model("Llama-3-8B", layers=32, hidden=4096, ffn_hidden=14336, heads=32, kv_heads=8, vocabulary=128256)
OLD = Model(
    "old", layers=30, hidden=2048, ffn_hidden=8192, heads=16, kv_heads=16, vocabulary=50304,
    mlp_matrices=2, tied=True, biases=True, positions=2048,
)  # fmt: skip
MIXTURE = Model(
    "DeepSeek-V3", layers=7, hidden=7168, ffn_hidden=18432, heads=128, kv_heads=128, vocabulary=129280, head_width=128,
    experts=256, experts_per_token=8, expert_ffn_hidden=2048, shared_experts=1, dense_layers=3,
    query_rank=1536, kv_rank=512, rope_head_width=64,
)  # fmt: skip
WIDE_HEADS = Model(
    "Qwen3-30B-A3B", layers=48, hidden=2048, ffn_hidden=0, heads=32, kv_heads=4, vocabulary=151936, head_width=128,
    experts=128, experts_per_token=8, expert_ffn_hidden=768,
)  # fmt: skip
BATCH = Batch(512, 8192)


@pytest.mark.parametrize(
    ("framework", "model", "layout", "text"),
    [
        (
            "megatron",
            DENSE,
            Layout(
                tp=2,
                cp=2,
                pp=2,
                dp=8,
                virtual_stages=4,
                zero=0,
                micro_batch=2,
                recompute="selective",
                software="megatron-2023",
            ),
            """
            # Megatron-LM core_v0.15.0: Llama-3-8B on 64 H100-80GB # Before Blackwell, set
            CUDA_DEVICE_MAX_CONNECTIONS=1 in the environment. # layout --tensor-model-parallel-size
            2 --sequence-parallel --context-parallel-size 2 --pipeline-model-parallel-size 2
            --num-virtual-stages-per-pipeline-rank 4 --recompute-granularity selective --bf16 #
            batch --micro-batch-size 2 --global-batch-size 512 --seq-length 8192
            --max-position-embeddings 8192 # model --num-layers 32 --hidden-size 4096
            --ffn-hidden-size 14336 --num-attention-heads 32 --group-query-attention
            --num-query-groups 8 --vocab-size 128256 --untie-embeddings-and-output-weights --swiglu
            --disable-bias-linear --normalization RMSNorm --attention-dropout 0.0 --hidden-dropout
            0.0 --position-embedding-type rope --rotary-base 500000 --norm-epsilon 1e-05
            """,
        ),
        (
            "megatron",
            replace(DENSE, layers=30),
            Layout(
                pp=4, dp=16, virtual_stages=2, schedule="interleaved", recompute="full", precision="fp8", shard_group=4
            ),
            """
            # Megatron-LM core_v0.15.0: Llama-3-8B on 64 H100-80GB # layout
            --tensor-model-parallel-size 1 --context-parallel-size 1 --pipeline-model-parallel-size
            4 --num-virtual-stages-per-pipeline-rank 2 --account-for-embedding-in-pipeline-split
            --account-for-loss-in-pipeline-split --use-distributed-optimizer --overlap-grad-reduce
            --overlap-param-gather --num-distributed-optimizer-instances 4 --recompute-granularity
            full --recompute-method uniform --recompute-num-layers 1 --bf16 --fp8-format hybrid #
            batch --micro-batch-size 1 --global-batch-size 512 --seq-length 8192
            --max-position-embeddings 8192 # model --num-layers 30 --hidden-size 4096
            --ffn-hidden-size 14336 --num-attention-heads 32 --group-query-attention
            --num-query-groups 8 --vocab-size 128256 --untie-embeddings-and-output-weights --swiglu
            --disable-bias-linear --normalization RMSNorm --attention-dropout 0.0 --hidden-dropout
            0.0 --position-embedding-type rope --rotary-base 500000 --norm-epsilon 1e-05
            """,
        ),
        (
            "megatron",
            replace(DENSE, layers=31),
            Layout(tp=4, pp=4, dp=4, zero=2, recompute="mlp", precision="mxfp8", gradient_bytes=2, virtual_stages=2),
            """
            # Megatron-LM core_v0.15.0: Llama-3-8B on 64 H100-80GB # layout
            --tensor-model-parallel-size 4 --sequence-parallel --context-parallel-size 1
            --pipeline-model-parallel-size 4 --tp-comm-overlap --grad-reduce-in-bf16
            --pipeline-model-parallel-layout 'Etttt|tttt|tttt|tttt|tttt|tttt|tttt|tttL'
            --use-distributed-optimizer --overlap-grad-reduce --overlap-param-gather
            --use-megatron-fsdp --data-parallel-sharding-strategy optim_grads --ckpt-format
            fsdp_dtensor --recompute-granularity selective --recompute-modules mlp --bf16
            --fp8-format e4m3 --fp8-recipe mxfp8 # batch --micro-batch-size 1 --global-batch-size
            512 --seq-length 8192 --max-position-embeddings 8192 # model --num-layers 31
            --hidden-size 4096 --ffn-hidden-size 14336 --num-attention-heads 32
            --group-query-attention --num-query-groups 8 --vocab-size 128256
            --untie-embeddings-and-output-weights --swiglu --disable-bias-linear --normalization
            RMSNorm --attention-dropout 0.0 --hidden-dropout 0.0 --position-embedding-type rope
            --rotary-base 500000 --norm-epsilon 1e-05
            """,
        ),
        (
            "megatron",
            OLD,
            Layout(
                tp=2,
                pp=2,
                dp=16,
                sequence_parallel=False,
                precision="fp16",
                recompute="partial",
                recomputed_layers=7,
                gradient_bytes=2,
            ),
            """
            # Megatron-LM core_v0.15.0: old on 64 H100-80GB # Before Blackwell, set
            CUDA_DEVICE_MAX_CONNECTIONS=1 in the environment. # Only the shape of this model is known: rotary positions, norms and
            router use Megatron-LM's defaults. #
            layout --tensor-model-parallel-size 2 --context-parallel-size 1
            --pipeline-model-parallel-size 2 --use-distributed-optimizer --overlap-grad-reduce
            --overlap-param-gather --recompute-granularity full --recompute-method block
            --recompute-num-layers 4 --fp16 # batch --micro-batch-size 1 --global-batch-size 512
            --seq-length 8192 --max-position-embeddings 8192 # model --num-layers 30 --hidden-size
            2048 --ffn-hidden-size 8192 --num-attention-heads 16 --vocab-size 50304
            """,
        ),
        (
            "megatron",
            MIXTURE,
            Layout(tp=2, dp=32, ep=32, expert_tp=2, zero=3, precision="nvfp4", software="nemo-2024"),
            """
            # Megatron-LM core_v0.15.0: DeepSeek-V3 on 64 H100-80GB # layout
            --tensor-model-parallel-size 2 --sequence-parallel --context-parallel-size 1
            --pipeline-model-parallel-size 1 --tp-comm-overlap --grad-reduce-in-bf16
            --expert-model-parallel-size 32 --expert-tensor-parallel-size 2
            --moe-token-dispatcher-type alltoall --moe-grouped-gemm --use-distributed-optimizer
            --overlap-grad-reduce --overlap-param-gather --use-megatron-fsdp
            --data-parallel-sharding-strategy optim_grads_params --ckpt-format fsdp_dtensor --bf16
            --fp4-format e2m1 # batch --micro-batch-size 1 --global-batch-size 512 --seq-length 8192
            --max-position-embeddings 8192 # model --num-layers 7 --hidden-size 7168
            --ffn-hidden-size 18432 --num-attention-heads 128 --vocab-size 129280
            --untie-embeddings-and-output-weights --swiglu --disable-bias-linear --normalization
            RMSNorm --attention-dropout 0.0 --hidden-dropout 0.0 --position-embedding-type rope
            --num-experts 256 --moe-router-topk 8 --moe-ffn-hidden-size 2048
            --moe-shared-expert-intermediate-size 2048 --moe-layer-freq '([0]*3+[1]*4)'
            --multi-latent-attention --q-lora-rank 1536 --kv-lora-rank 512 --qk-head-dim 128
            --qk-pos-emb-head-dim 64 --v-head-dim 128 --rotary-base 10000 --norm-epsilon 1e-06
            --qk-layernorm --moe-router-score-function sigmoid --moe-router-enable-expert-bias
            --moe-router-dtype fp32 --moe-router-num-groups 8 --moe-router-group-topk 4
            --moe-router-topk-scaling-factor 2.5
            """,
        ),
        (
            "megatron",
            WIDE_HEADS,
            Layout(cp=2, dp=32, ep=8, precision="fp16", software="nemo-2024"),
            """
            # Megatron-LM core_v0.15.0: Qwen3-30B-A3B on 64 H100-80GB # Before Blackwell, set
            CUDA_DEVICE_MAX_CONNECTIONS=1 in the environment. # layout --tensor-model-parallel-size
            1 --context-parallel-size 2 --pipeline-model-parallel-size 1
            --expert-model-parallel-size 8 --expert-tensor-parallel-size 1
            --moe-token-dispatcher-type alltoall --use-distributed-optimizer --overlap-grad-reduce
            --overlap-param-gather --fp16 # batch --micro-batch-size 1 --global-batch-size 512
            --seq-length 8192 --max-position-embeddings 8192 # model --num-layers 48 --hidden-size
            2048 --ffn-hidden-size 768 --num-attention-heads 32 --group-query-attention
            --num-query-groups 4 --kv-channels 128 --vocab-size 151936
            --untie-embeddings-and-output-weights --swiglu --disable-bias-linear --normalization
            RMSNorm --attention-dropout 0.0 --hidden-dropout 0.0 --position-embedding-type rope
            --num-experts 128 --moe-router-topk 8 --moe-ffn-hidden-size 768 --rotary-base 1000000
            --norm-epsilon 1e-06 --qk-layernorm
            """,
        ),
        (
            "torchtitan",
            DENSE,
            Layout(
                tp=2,
                cp=2,
                dp=16,
                zero=3,
                shard_group=8,
                micro_batch=2,
                precision="fp8",
                recompute="partial",
                recomputed_layers=16,
                software="fsdp-compiled",
            ),
            """
            # TorchTitan v0.2.2: Llama-3-8B on 64 H100-80GB [model] name = "llama3" flavor = "8B" converters
            = ["quantize.linear.float8"] [training] local_batch_size = 2 global_batch_size = 512 seq_len =
            8192 [parallelism] data_parallel_replicate_degree = 4 data_parallel_shard_degree = 4
            fsdp_reshard_after_forward = "always" tensor_parallel_degree = 2 context_parallel_degree = 2
            pipeline_parallel_degree = 1 [activation_checkpoint] mode = "selective" selective_ac_option =
            "2" [compile] enable = true [quantize.linear.float8] filter_fqns = ["output"]
            """,
        ),
        (
            "torchtitan",
            DENSE,
            Layout(
                pp=4,
                dp=16,
                zero=2,
                virtual_stages=2,
                schedule="interleaved",
                micro_batch=2,
                recompute="operators",
                software="fsdp-eager",
            ),
            """
            # TorchTitan v0.2.2: Llama-3-8B on 64 H100-80GB [model] name = "llama3" flavor = "8B" [training]
            local_batch_size = 32 global_batch_size = 512 seq_len = 8192 [parallelism]
            data_parallel_replicate_degree = 1 data_parallel_shard_degree = 16 fsdp_reshard_after_forward =
            "never" tensor_parallel_degree = 1 context_parallel_degree = 1 pipeline_parallel_degree = 4
            pipeline_parallel_schedule = "Interleaved1F1B" pipeline_parallel_microbatch_size = 2
            pipeline_parallel_layers_per_stage = 4 pipeline_parallel_first_stage_less_layers = 0
            pipeline_parallel_last_stage_less_layers = 0 [activation_checkpoint] mode = "selective"
            selective_ac_option = "op"
            """,
        ),
        (
            "torchtitan",
            replace(DENSE, layers=30),
            Layout(pp=4, dp=16, zero=2, schedule="zb-v", recompute="full"),
            """
            # TorchTitan v0.2.2: Llama-3-8B on 64 H100-80GB [model] name = "llama3" flavor = "8B" [training]
            local_batch_size = 32 global_batch_size = 512 seq_len = 8192 [parallelism]
            data_parallel_replicate_degree = 1 data_parallel_shard_degree = 16 fsdp_reshard_after_forward =
            "never" tensor_parallel_degree = 1 context_parallel_degree = 1 pipeline_parallel_degree = 4
            pipeline_parallel_schedule = "ZBVZeroBubble" pipeline_parallel_microbatch_size = 1
            pipeline_parallel_layers_per_stage = 4 pipeline_parallel_first_stage_less_layers = 1
            pipeline_parallel_last_stage_less_layers = 1 [activation_checkpoint] mode = "full" [compile]
            enable = true
            """,
        ),
        (
            "torchtitan",
            replace(DENSE, name="mine", layers=7),
            Layout(pp=4, dp=16, zero=3, schedule="gpipe", recompute="selective"),
            """
            # TorchTitan v0.2.2: mine on 64 H100-80GB # TorchTitan has no flavor for mine: register one under
            [model]. # TorchTitan's flash attention never stores the scores that selective recomputation drops, so
            mode is none. [training] local_batch_size = 32 global_batch_size = 512 seq_len = 8192
            [parallelism] data_parallel_replicate_degree = 1 data_parallel_shard_degree = 16
            fsdp_reshard_after_forward = "always" tensor_parallel_degree = 1 context_parallel_degree = 1
            pipeline_parallel_degree = 4 pipeline_parallel_schedule = "GPipe"
            pipeline_parallel_microbatch_size = 1 module_fqns_per_model_part = [["tok_embeddings",
            "layers.0", "layers.1"], ["layers.2", "layers.3"], ["layers.4", "layers.5"], ["layers.6",
            "norm", "output"]] [activation_checkpoint] mode = "none" [compile] enable = true
            """,
        ),
        (
            "torchtitan",
            DENSE,
            Layout(dp=64, zero=0),
            """
            # TorchTitan v0.2.2: Llama-3-8B on 64 H100-80GB [model] name = "llama3" flavor = "8B" [training]
            local_batch_size = 1 global_batch_size = 512 seq_len = 8192 [parallelism]
            data_parallel_replicate_degree = 64 data_parallel_shard_degree = 1 fsdp_reshard_after_forward =
            "default" tensor_parallel_degree = 1 context_parallel_degree = 1 pipeline_parallel_degree = 1
            [activation_checkpoint] mode = "none" [compile] enable = true
            """,
        ),
        (
            "torchtitan",
            MIXTURE,
            Layout(tp=2, dp=32, ep=16, expert_tp=2, zero=3, precision="mxfp8"),
            """
            # TorchTitan v0.2.2: DeepSeek-V3 on 64 H100-80GB [model] name = "deepseek_v3" flavor = "671B"
            converters = ["quantize.linear.mx", "quantize.grouped_mm.mx"] [training] local_batch_size = 1
            global_batch_size = 512 seq_len = 8192 [parallelism] data_parallel_replicate_degree = 1
            data_parallel_shard_degree = 32 fsdp_reshard_after_forward = "always" tensor_parallel_degree = 2
            enable_async_tensor_parallel = true context_parallel_degree = 1 pipeline_parallel_degree = 1
            expert_parallel_degree = 16 expert_tensor_parallel_degree = 2 [activation_checkpoint] mode =
            "none" [compile] enable = true
            """,
        ),
    ],
)
def test_the_settings_of_a_layout_are_these_and_no_others(
    framework: str, model: Model, layout: Layout, text: str
) -> None:
    assert written(framework, model, Cluster("H100-80GB", 64), layout, BATCH).split() == text.split()


def test_every_setting_has_a_line_and_every_section_a_head() -> None:
    cluster, layout = Cluster("H100-80GB", 4096), Layout(tp=2, pp=2, dp=1024, zero=2)
    flags = written("megatron", DENSE, cluster, layout, BATCH)
    assert flags.startswith(
        "# Megatron-LM core_v0.15.0: Llama-3-8B on 4,096 H100-80GB\n# layout\n--tensor-model-parallel-size 2\n--"
    )
    assert flags.endswith("\n--rotary-base 500000\n--norm-epsilon 1e-05\n")
    degrees = written("torchtitan", DENSE, cluster, layout, BATCH)
    assert degrees.startswith(
        '# TorchTitan v0.2.2: Llama-3-8B on 4,096 H100-80GB\n[model]\nname = "llama3"\nflavor = "8B"\n\n[training]\n'
    )
    assert degrees.endswith('\n\n[activation_checkpoint]\nmode = "none"\n\n[compile]\nenable = true\n')


@pytest.mark.parametrize(
    ("framework", "model", "layout", "missing"),
    [
        (
            "megatron",
            DENSE,
            Layout(pp=2, dp=32, schedule="zb-h1", recompute="operators"),
            [
                "the schedule ZB-H1; it has 1F1B and interleaved 1F1B",
                "recomputing single operators; it recomputes modules, such as mlp",
            ],
        ),
        (
            "megatron",
            replace(DENSE, layers=5),
            Layout(pp=4, dp=16, virtual_stages=2, schedule="interleaved"),
            ["8 pieces of 5 layers"],
        ),
        (
            "megatron",
            MIXTURE,
            Layout(tp=2, dp=32, ep=8, sequence_parallel=False),
            ["tensor parallelism of a mixture without sequence parallelism"],
        ),
        (
            "torchtitan",
            DENSE,
            Layout(
                tp=2,
                cp=2,
                pp=2,
                dp=8,
                zero=1,
                shard_group=3,
                schedule="zb-h1",
                sequence_parallel=False,
                precision="fp16",
                recompute="mlp",
            ),
            [
                "the schedule ZB-H1; it has GPipe, 1F1B, interleaved 1F1B, ZB-V, DualPipeV",
                "a shard group of 3 ranks; CP 2 must divide it",
                "ZeRO 1, which shards only the optimizer states; plan with ZeRO 2 or 3",
                "tensor parallelism without sequence parallelism",
                "fp16; it has bf16, fp8 and mxfp8",
                "recomputing only mlp; it has none, single operators, every n-th layer and full",
            ],
        ),
        (
            "torchtitan",
            DENSE,
            Layout(tp=2, dp=32, zero=0, precision="nvfp4", recompute="partial"),
            [
                "replicated weights (ZeRO 0) together with another axis; it shards them: plan with ZeRO 3",
                "nvfp4; it has bf16, fp8 and mxfp8",
                "recomputing 0 of 32 layers; it recomputes every n-th",
            ],
        ),
        (
            "torchtitan",
            DENSE,
            Layout(cp=2, dp=32, zero=0, recompute="partial", recomputed_layers=5),
            [
                "replicated weights (ZeRO 0) together with another axis; it shards them: plan with ZeRO 3",
                "recomputing 5 of 32 layers; it recomputes every n-th",
            ],
        ),
        (
            "torchtitan",
            replace(DENSE, layers=5),
            Layout(pp=8, dp=8, zero=0),
            [
                "8 pieces of 5 layers",
                "replicated weights (ZeRO 0) together with another axis; it shards them: plan with ZeRO 3",
            ],
        ),
        (
            "torchtitan",
            MIXTURE,
            Layout(tp=4, dp=16, ep=8, expert_tp=2, zero=3),
            ["experts with TP 2; it supports 1 and the TP of the other layers"],
        ),
    ],
)
def test_all_that_a_framework_has_no_setting_for_is_told_at_once(
    framework: str, model: Model, layout: Layout, missing: list[str]
) -> None:
    name = {"megatron": "Megatron-LM core_v0.15.0", "torchtitan": "TorchTitan v0.2.2"}[framework]
    with pytest.raises(ValueError, match="has no setting for") as told:
        written(framework, model, Cluster("H100-80GB", 64), layout, BATCH)
    assert str(told.value).splitlines() == [f"{name} has no setting for {what}" for what in missing]


def test_without_a_pipeline_no_schedule_is_missing_and_two_stages_are_one() -> None:
    cluster = Cluster("H100-80GB", 64)
    alone = Layout(dp=64, zero=2, schedule="zb-h1")
    for framework in ("megatron", "torchtitan"):
        assert "pipeline" in written(framework, DENSE, cluster, alone, BATCH)
        with pytest.raises(ValueError, match="the schedule ZB-H1"):
            written(framework, DENSE, cluster, replace(alone, pp=2, dp=32), BATCH)
    two = written("torchtitan", DENSE, cluster, Layout(pp=2, dp=32, zero=2), BATCH).splitlines()
    assert {"local_batch_size = 16", "pipeline_parallel_degree = 2", 'pipeline_parallel_schedule = "1F1B"'} <= set(two)


def test_torchtitan_takes_one_copy_beside_another_axis_and_not_two() -> None:
    cluster = Cluster("H100-80GB", 16)
    assert "data_parallel_shard_degree = 1" in written("torchtitan", DENSE, cluster, Layout(tp=16, zero=0), BATCH)
    with pytest.raises(ValueError, match="replicated weights"):
        written("torchtitan", DENSE, cluster, Layout(tp=8, dp=2, zero=0), BATCH)


def test_sequence_parallelism_is_missed_only_beside_tensor_parallelism() -> None:
    alone = Layout(dp=64, zero=2, sequence_parallel=False)
    for framework in ("megatron", "torchtitan"):
        assert written(framework, MIXTURE, Cluster("H100-80GB", 64), alone, BATCH)


def test_torchtitan_recomputes_one_layer_of_all() -> None:
    layout = Layout(dp=64, zero=2, recompute="partial", recomputed_layers=1)
    assert 'selective_ac_option = "32"' in written("torchtitan", DENSE, Cluster("H100-80GB", 64), layout, BATCH)


def test_no_settings_are_written_for_tpus() -> None:
    with pytest.raises(ValueError, match="has no setting for TPU-v5p; it is for GPUs"):
        written("torchtitan", named_model("Llama-3-8B"), Cluster("TPU-v5p", 64), Layout(dp=64, zero=3), BATCH)


PLAIN = Layout(dp=64)


def for_megatron(model: Model, layout: Layout = PLAIN) -> list[str]:
    return written("megatron", model, Cluster("H100-80GB", 64), layout, BATCH).splitlines()


@pytest.mark.parametrize(
    ("model", "parts"),
    [
        (WIDE_HEADS, ["--recompute-modules layernorm moe_act"]),
        (MIXTURE, ["--recompute-modules layernorm moe_act mla_up_proj"]),
    ],
)
def test_megatron_is_told_which_parts_of_a_mixture_to_recompute(model: Model, parts: list[str]) -> None:
    lines = for_megatron(model, Layout(dp=64, recompute="selective"))
    assert "--recompute-granularity selective" in lines
    assert [line for line in lines if line.startswith("--recompute-modules")] == parts


def test_what_megatron_cannot_be_told_of_a_model_is_a_comment() -> None:
    banded, *flags = for_megatron(named_model("GPT-3-175B"))[1:]
    assert banded == "# Megatron-LM has no setting for the banded sparse attention of every second layer."
    assert not [line for line in flags if line.startswith("--not")]
    windowed = for_megatron(named_model("GPT-OSS-20B"))
    assert "--window-size 128,0" in windowed and "--disable-bias-linear" not in windowed


def test_layers_that_differ_are_refused_by_name() -> None:
    hybrid = named_model("Qwen3-Next-80B-A3B")
    for framework in ("megatron", "torchtitan"):
        with pytest.raises(
            ValueError, match=r"layers of Qwen3-Next-80B-A3B, which differ \(gated delta rule, full attention\)"
        ):
            written(framework, hybrid, Cluster("H100-80GB", 64), Layout(dp=64), Batch(64, 4096))


def test_the_gates_of_megatron_are_one_sort() -> None:
    for name, sort in (("Llama-3-8B", "--swiglu"), ("GPT-OSS-20B", "--quick-geglu")):
        assert {"--swiglu", "--quick-geglu"} & set(for_megatron(named_model(name))) == {sort}


def test_a_folded_schedule_without_a_pipeline_leaves_the_layers_whole() -> None:
    odd, cluster = replace(DENSE, layers=31), Cluster("H100-80GB", 8)
    plain, folded = (
        written("megatron", odd, cluster, Layout(dp=8, schedule=schedule), BATCH) for schedule in ("1f1b", "zb-v")
    )
    assert plain == folded
