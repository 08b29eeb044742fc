"""The program that predicts cases with llm-analysis. It imports nothing of this project.

python run_llm_analysis.py CASES.json ANSWERS.json
"""

from __future__ import annotations

import json
import logging
import sys
from pathlib import Path
from typing import Any

from llm_analysis.analysis import ActivationRecomputation, DSZeRO, LLMAnalysis
from llm_analysis.config import DtypeConfig, GPUConfig, ModelConfig, ParallelismConfig

GIB = 2**30
RECOMPUTE = {"none": "NONE", "selective": "SELECTIVE", "full": "FULL"}


def summary(case: dict[str, Any], bits: int, sequence: int) -> dict[str, Any]:
    """Return the full analysis of a case, at an efficiency of 1."""
    # its MLPs have two matrices; a third one counts as an MLP that is 1.5 times as wide
    width = int(case["ffn"] * case["mlp_matrices"] / 2)
    model = ModelConfig(
        name=case["id"], num_layers=case["layers"], n_head=case["heads"], hidden_dim=case["hidden"],
        vocab_size=case["vocabulary"], max_seq_len=sequence, num_key_value_heads=case["kv_heads"], ffn_embed_dim=width,
        expansion_ratio=width / case["hidden"], moe_num_experts=max(1, case["experts"]), moe_top_k=max(1, case["top_k"]),
    )  # fmt: skip
    gpu = GPUConfig(
        name=case["chip"], mem_per_GPU_in_GB=case["memory_gb"], hbm_bandwidth_in_GB_per_sec=2000,
        intra_node_bandwidth_in_GB_per_sec=300, intra_node_min_message_latency=8e-6,
        peak_fp16_TFLOPS=case["peak_tflops"], peak_i8_TFLOPS=case["peak_fp8_tflops"],
    )  # fmt: skip
    layout = ParallelismConfig(
        tp_size=case["tp"], pp_size=case["pp"], dp_size=case["dp"] * case["cp"], ep_size=case["ep"],
        sp_size=case["tp"] if case["sequence_parallel"] else 1,
    )  # fmt: skip
    precision = DtypeConfig(name="own", weight_bits=bits, activation_bits=bits, embedding_bits=bits)
    analysis = LLMAnalysis(model, gpu, precision, layout, flops_efficiency=1.0)
    # all three, because it rejects a micro-batch size alone if it predicts that it does not fit
    sequences = case["micro_batch"] * case["micro_batches"] * case["dp"] * case["cp"]
    return analysis.training(
        global_batch_size=sequences,
        batch_size_per_gpu=case["micro_batch"], gradient_accumulation_steps=case["micro_batches"], seq_len=sequence,
        activation_recomputation=ActivationRecomputation[RECOMPUTE[case["recompute"]]], ds_zero=DSZeRO(case["zero"]),
        flash_attn=case["flash"], softmax_dropout=False, mlp_gated_linear_units=case["mlp_matrices"] == 3,
    )  # fmt: skip


def answer(case: dict[str, Any]) -> dict[str, Any]:
    """Return step time at peak FLOP/s, memory, and fit. With context parallelism, each rank has its share of the sequence."""
    compute = summary(case, 8 if case["precision"] in ("fp8", "fp4") else 16, case["sequence"])
    held = summary(case, 16, case["sequence"] // case["cp"])
    memory = held["(weight+op_state+grad+act)_memory_per_gpu"]
    return {
        "step_s": compute["latency_per_iter"] / case["cp"],
        "memory_bytes": memory,
        "fits": memory <= case["memory_gb"] * GIB,
    }


def main() -> None:
    """Predict every case, or record the error message."""
    logging.disable(logging.CRITICAL)
    answers: dict[str, Any] = {}
    for case in json.loads(Path(sys.argv[1]).read_text("utf-8")):
        try:
            answers[case["id"]] = answer(case)
        except Exception as error:
            answers[case["id"]] = {"why": str(error) or type(error).__name__}
    Path(sys.argv[2]).write_text(json.dumps(answers), "utf-8")


if __name__ == "__main__":
    main()
