"""The program that predicts cases with SimuMax. It imports nothing of this project.

PYTHONPATH=CHECKOUT python run_simumax.py CASES.json ANSWERS.json CHECKOUT
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import re
import sys
import warnings
from pathlib import Path
from typing import Any

from simumax.core.config import ModelConfig, StrategyConfig, SystemConfig
from simumax.core.perf_llm import PerfLLM

UNITS = {"KB": 2**10, "MB": 2**20, "GB": 2**30, "TB": 2**40}  # SimuMax writes GB for GiB
SYSTEMS = {"A100-80": "a100_pcie", "B200": "b200_bf16_ceperm"}
RECOMPUTE: dict[str, dict[str, Any]] = {
    "none": {"enable_recompute": False},
    "selective": {"enable_recompute": True, "recompute_granularity": "sdp_only"},
    "full": {"enable_recompute": True, "recompute_granularity": "full_block"},
}


def answer(case: dict[str, Any], configs: Path) -> dict[str, Any]:
    """Return step time and memory with the system shipped for the chip, with its own efficiencies."""
    if case["chip"] not in SYSTEMS:
        return {"why": f"ships no system for {case['chip']}"}
    if case["chip"].startswith("A100") and case["tp"] * case["cp"] > 1:
        return {"why": "ships an A100 with PCIe between GPUs, where the runs have NVLink"}
    if case["precision"] in ("fp8", "fp4"):
        return {"why": "ships no efficiencies for this number format"}
    layers = case["layers"] // case["pp"]
    strategy = StrategyConfig(
        seq_len=case["sequence"], micro_batch_size=case["micro_batch"], micro_batch_num=case["micro_batches"], dtype="bf16",
        world_size=case["gpus"], tp_size=case["tp"], cp_size=case["cp"], pp_size=case["pp"], ep_size=case["ep"],
        etp_size=case["expert_tp"], enable_sequence_parallel=case["sequence_parallel"], zero_state=case["zero"],
        interleaving_size=case["virtual_stages"], use_flash_sdp=case["flash"], use_math_sdp=not case["flash"],
        recompute_layer_num=layers if case["recompute"] != "none" else 0, **RECOMPUTE[case["recompute"]],
    )  # fmt: skip
    experts = {
        "expert_num": case["experts"], "topk": case["top_k"], "moe_ffn_hidden_size": case["expert_ffn"],
        "moe_shared_expert_intermediate_size": case["shared_ffn"] or None, "dense_layers": case["dense_layers"],
    } if case["experts"] else {}  # fmt: skip
    latent = {
        "attention_type": "mla", "q_lora_rank": case["query_rank"], "kv_lora_rank": case["kv_rank"],
        "qk_head_dim": case["head_width"], "qk_pos_emb_head_dim": case["rope_width"], "v_head_dim": case["value_width"],
    } if case["kv_rank"] else {}  # fmt: skip
    model = ModelConfig(
        model_type="moe" if case["experts"] else "dense", model_name=case["id"], hidden_size=case["hidden"],
        head_num=case["heads"], kv_head_num=case["kv_heads"], head_size=case["head_width"],
        intermediate_size=case["ffn"], layer_num=case["layers"], vocab_size=case["vocabulary"],
        use_swiglu=case["mlp_matrices"] == 3, **experts, **latent,
    )  # fmt: skip
    system = SystemConfig.init_from_config_file(str(configs / "system" / f"{SYSTEMS[case['chip']]}.json"))
    planner = PerfLLM()
    planner.configure(strategy_config=strategy, model_config=model, system_config=system)
    planner.run_estimate()
    found = planner.analysis(console_log=False)
    memory = found["peak_mem"]
    held = max(map(_bytes, memory.values() if isinstance(memory, dict) else [memory]))
    tokens = case["dp"] * case["micro_batch"] * case["micro_batches"] * case["sequence"]
    step_s = tokens / (float(found["TGS_per_gpu"]) * case["gpus"])
    return {"step_s": step_s, "memory_bytes": held, "fits": held <= case["memory_gb"] * 2**30}


def _bytes(words: str) -> float:
    number, unit = re.fullmatch(r"([\d.]+) ?([KMGT]B)", words).groups()  # type: ignore[union-attr]
    return float(number) * UNITS[unit]


def main() -> None:
    """Predict every case, or record the error message."""
    logging.disable(logging.CRITICAL)
    warnings.simplefilter("ignore")
    configs = Path(sys.argv[3]) / "configs"
    answers: dict[str, Any] = {}
    for case in json.loads(Path(sys.argv[1]).read_text("utf-8")):
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                answers[case["id"]] = answer(case, configs)
        except Exception as error:
            answers[case["id"]] = {"why": " ".join(str(error).split())[:120] or type(error).__name__}
    Path(sys.argv[2]).write_text(json.dumps(answers), "utf-8")


if __name__ == "__main__":
    main()
