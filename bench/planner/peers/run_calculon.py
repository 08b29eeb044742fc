"""The program that predicts cases with Calculon. It imports nothing of this project.

PYTHONPATH=CHECKOUT python run_calculon.py CASES.json ANSWERS.json CHECKOUT
"""

from __future__ import annotations

import copy
import json
import logging
import sys
from pathlib import Path
from typing import Any

from calculon import System
from calculon.llm.llm import Llm

GIB = 2**30
SYSTEMS = dict.fromkeys(("A100", "A800"), "a100_80g") | dict.fromkeys(("H100", "H200", "H800"), "h100_80g_nvl8")
RECOMPUTE = {"none": "none", "selective": "attn_only", "full": "full"}


def answer(case: dict[str, Any], systems: dict[str, Any]) -> dict[str, Any]:
    """Return step time and memory with the system shipped for the chip, with its own efficiencies."""
    family = case["chip"].partition("-")[0]
    if family not in SYSTEMS:
        return {"why": f"ships no system for {family}"}
    if case["cp"] > 1:
        return {"why": "does not support context parallelism"}
    if case["experts"]:
        return {"why": "does not support mixtures of experts"}
    if case["zero"] == 3 and case["tp"] == case["pp"] == 1 and case["weights_bytes"] > case["memory_gb"] * GIB:
        return {"why": "does not support ZeRO-3, without which the weights alone do not fit"}
    system = copy.deepcopy(systems[SYSTEMS[family]])
    system["mem1"]["GiB"] = 10**6  # Calculon rejects what does not fit; fit is checked below instead
    several = case["dp"] > 1
    inside = case["tp"] * case["pp"] * case["dp"] <= 8
    execution = {
        "num_procs": case["gpus"], "tensor_par": case["tp"], "pipeline_par": case["pp"], "data_par": case["dp"],
        "tensor_par_net": 0, "pipeline_par_net": 0 if case["tp"] * case["pp"] <= 8 else 1,
        "data_par_net": 0 if inside else 1, "batch_size": case["dp"] * case["micro_batch"] * case["micro_batches"],
        "microbatch_size": case["micro_batch"],
        "datatype": "float8" if case["precision"] == "fp8" and family != "A100" else "float16",
        "fused_activation": True, "attention_type": "multihead", "activation_recompute": RECOMPUTE[case["recompute"]],
        "pipeline_interleaving": case["virtual_stages"], "optimizer_sharding": several and case["zero"] > 0,
        "tensor_par_comm_type": "rs_ag" if case["sequence_parallel"] else "ar",
        "tensor_par_overlap": "ring" if case["tp"] > 1 and case["tp_overlap"] else "none", "seq_par_ag_redo": False,
        "data_par_overlap": several and case["dp_overlap"], "weight_offload": False, "activations_offload": False,
        "optimizer_offload": False, "training": True,
    }  # fmt: skip
    shape = {
        "hidden": case["hidden"], "feedforward": int(case["ffn"] * case["mlp_matrices"] / 2),
        "seq_size": case["sequence"], "attn_heads": case["heads"], "attn_size": case["head_width"],
        "num_blocks": case["layers"],
    }  # fmt: skip
    model = Llm(Llm.Application(shape), logging.getLogger("calculon"))
    built = System(system)
    model.compile(built, Llm.Execution.from_json(execution))
    model.run(built)
    memory = model.get_mem_tier1_cap_req()
    return {"step_s": model.get_total_time(), "memory_bytes": memory, "fits": memory <= case["memory_gb"] * GIB}


def main() -> None:
    """Predict every case, or record the error message."""
    folder = Path(sys.argv[3]) / "systems"
    systems = {path.stem: json.loads(path.read_text("utf-8")) for path in folder.glob("*.json")}
    answers: dict[str, Any] = {}
    for case in json.loads(Path(sys.argv[1]).read_text("utf-8")):
        try:
            answers[case["id"]] = answer(case, systems)
        except Exception as error:
            answers[case["id"]] = {"why": str(error) or type(error).__name__}
    Path(sys.argv[2]).write_text(json.dumps(answers), "utf-8")


if __name__ == "__main__":
    main()
