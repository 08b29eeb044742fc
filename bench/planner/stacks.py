"""The software of a published run, as a row of the planner's constants. It affects throughput more than the layout does."""

from __future__ import annotations

from .runs import Run, Runs

# The first rule applies whose words all appear in the row's family, chip, sharding, schedule, source, overlap or note.
_RULES: tuple[tuple[tuple[str, ...], str], ...] = (
    (("chip tpu",), "xla"),
    (("simumax",), "megatron-sync-2026"),
    (("nemo automodel", "torch.compile"), "fsdp-compiled"),
    (("nemo automodel", "fakebalancedgate"), "nemo-automodel-benchmark-2025"),
    (("nemo automodel",), "nemo-automodel-2025"),
    (("graph of the full iteration",), "bridge-graphs-2026"),
    (("primus",), "primus-2025"),
    (("olmo-core",), "olmo-core-2025"),
    (("axolotl",), "axolotl-fsdp-2025"),
    (("deepspeed zero-3 2025",), "deepspeed-zero3-2025"),
    (("maxtext gpu",), "maxtext-gpu-2025"),
    (("nanotron", "sharding none"), "nanotron-ddp-2025"),
    (("nanotron",), "nanotron-2025"),
    (("maxtext",), "xla"),
    (("jax",), "xla"),
    (("kernels: torch",), "torch-2023"),  # attention that is not fused
    (("rms kernel",), "flash-norm-2023"),
    (("kernels: flash_attention2",), "flash-2023"),
    (("dualpipe",), "dualpipe-2024"),
    (("inside operators",), "megascale-moe-2025"),
    (("megascale-moe",), "megatron-2023"),  # hides data and pipeline communication, but not that of tensor parallelism
    (("megascale", "dp, tp, pp"), "megatron-2024"),
    (("megascale",), "megatron-2023"),
    (("megatron-lm 2020",), "megatron-2020"),
    (("narayanan", "sharding zero3"), "deepspeed-zero3-2021"),
    (("narayanan",), "megatron-2021"),
    (("korthikanti",), "megatron-2021"),
    (("zero bubble",), "megatron-2021"),
    (("bloom",), "deepspeed-2022"),
    (("mt-nlg",), "deepspeed-2022"),
    (("neox",), "deepspeed-2022"),
    (("glm-130b",), "deepspeed-2022"),
    (("llm-foundry",), "fsdp-2023"),
    (("opt paper",), "fsdp-2023"),
    (("llama paper",), "fsdp-2023"),
    (("async tp",), "fsdp-async"),
    (("no compile",), "fsdp-eager"),
    (("without torch.compile",), "fsdp-eager"),
    (("litgpt",), "fsdp-eager"),
    (("torchtitan",), "fsdp-compiled"),
    (("fms-fsdp",), "fsdp-compiled"),
    (("internevo",), "internevo-2023"),
    (("experts by 1f1b", "deepep"), "megatron-deepep-paired-2025"),
    (("experts by 1f1b",), "megatron-paired-2025"),  # --overlap-moe-expert-parallel-comm
    (("deepep dispatcher",), "megatron-deepep-2025"),
    (("dgxc", "v25.05"), "nemo-2025"),
    (("dgxc",), "nemo-2024"),  # recipes that reduce gradients in BF16
    (("megatron-bridge",), "nemo-2025"),
    (("moe-modelzoo",), "nemo-2025"),
    (("nemo",), "nemo-2024"),
)
_BY_CHIP = {"V": "megatron-2020", "A": "megatron-2023"}


def software(run: Run, runs: Runs) -> str:
    """Return the software of a run; without a matching rule, Megatron from the years when its chip was new."""
    source = runs.sources.get(run.source, run.source)
    words = (
        f"{run.family} chip {run.chip} sharding {run.sharding} {run.schedule} {source} {run.overlap} {run.note}".lower()
    )
    for needed, name in _RULES:
        if all(word in words for word in needed):
            return name
    return _BY_CHIP.get(run.chip[0], "megatron-2024")
