"""Predictions of the peers, each run in an environment of its own on every row, and stored in answers.json.

llm-analysis comes from PyPI, with a lock file next to this module. Calculon and SimuMax are cloned at a pinned commit, from the network
or from the clones that the variables CALCULON and SIMUMAX name. Without either, the previous predictions stay.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from .. import counts
from ..predictions import Prediction, Row
from ..settings import GPT_VOCABULARY

HERE = Path(__file__).parent
HOMES = HERE.parents[2] / ".planner-peers"
ANSWERS = HERE / "answers.json"
CLONES = {  # the address, and the commit, of what is not on PyPI
    "Calculon": ("https://github.com/calculon-ai/calculon.git", "caa4b11f8fe1fee3ba57adaacb7590d7deabd053"),  # 22 February 2024
    "SimuMax": ("https://github.com/MooreThreads/SimuMax.git", "4dcaae513ba7679d56c116a17cd4a691ec41e252"),  # 11 May 2026
}  # fmt: skip
NAMES = ("llm-analysis", *CLONES)
_OLD_ATTENTION = ("2020", "2021", "2022", "BLOOM", "MT-NLG", "GPT-NeoX", "GLM", "OPT")  # families before FlashAttention


def ask(rows: Sequence[Row]) -> dict[str, dict[str, Any]]:
    """Return the predictions of each peer, by peer and row."""
    with tempfile.TemporaryDirectory() as folder:
        cases = Path(folder) / "cases.json"
        cases.write_text(json.dumps([case(row) for row in rows]), "utf-8")
        return {"llm-analysis": _ask_llm_analysis(cases), **{name: _ask_clone(name, cases) for name in CLONES}}


def keep(said: Mapping[str, Any]) -> None:
    """Store predictions for the page."""
    commits = {name: commit[:12] for name, (_, commit) in CLONES.items()}
    versions = {"llm-analysis": _locked_version("llm-analysis"), **commits}
    when = {"command": "make planner-peers", "date": datetime.now(UTC).date().isoformat(), "versions": versions}
    text = json.dumps({**when, "answers": said}, indent=0, sort_keys=True)
    ANSWERS.write_text(text + "\n", "utf-8")


def kept() -> dict[str, Any]:
    """Return the stored predictions, with command, date and versions."""
    return dict(json.loads(ANSWERS.read_text("utf-8")))


def answer(said: Mapping[str, Any]) -> Prediction:
    """Return a stored prediction as a Prediction."""
    return Prediction(said.get("step_s"), said.get("memory_bytes"), said.get("fits"), why=said.get("why", ""))


def case(row: Row) -> dict[str, Any]:
    """Return a row as plain values, for programs that do not import this project."""
    chip, layout, shape, run = row.chip, row.setting, row.shape, row.run
    recompute = layout.recompute
    if recompute in ("operators", "mlp"):
        recompute = "selective"
    if recompute == "partial":  # the peers support none or all
        recompute = "full" if 2 * (layout.recomputed_layers or 0) > (shape.layers or 1) else "none"
    return {
        "id": run.id, "chip": run.chip, "gpus": run.chips, "memory_gb": chip.mem_gb, "peak_tflops": chip.bf16_or_fp16,
        "peak_fp8_tflops": chip.fp8 or chip.bf16_or_fp16, "layers": shape.layers, "hidden": shape.hidden,
        "heads": shape.heads, "kv_heads": shape.kv_heads or shape.heads, "head_width": counts.head_width(shape),
        "ffn": shape.ffn or shape.expert_ffn or 4 * (shape.hidden or 0), "mlp_matrices": counts.matrices(shape),
        "vocabulary": shape.vocab or GPT_VOCABULARY, "experts": shape.experts or 0, "top_k": shape.top_k or 0,
        "expert_ffn": shape.expert_ffn or 0, "shared_ffn": shape.shared_expert_ffn, "expert_tp": layout.expert_tp,
        "dense_layers": (shape.layers or 0) - (shape.moe_layers or 0) if shape.is_moe else 0, "query_rank": shape.q_lora,
        "kv_rank": shape.kv_lora or 0, "rope_width": shape.qk_rope, "value_width": shape.v_head,
        "weights_bytes": 2 * counts.parameters(shape), "tp": layout.tp, "cp": layout.cp, "pp": layout.pp, "dp": layout.dp,
        "ep": layout.ep, "virtual_stages": layout.virtual_stages, "zero": layout.zero, "micro_batch": layout.micro_batch,
        "micro_batches": layout.micro_batches, "sequence": layout.sequence, "recompute": recompute,
        "sequence_parallel": layout.sequence_parallel, "precision": layout.precision,
        "flash": not any(words in run.family for words in _OLD_ATTENTION) and "kernels: torch" not in run.note,
        "tp_overlap": "tp" in (run.overlap or "").lower(), "dp_overlap": "dp" in (run.overlap or "").lower(),
    }  # fmt: skip


def _ask_llm_analysis(cases: Path) -> dict[str, Any]:
    return _run([_python("llm-analysis"), str(HERE / "run_llm_analysis.py")], cases, [])


def _ask_clone(name: str, cases: Path) -> dict[str, Any]:
    address, commit = CLONES[name]
    checkout = HOMES / f"{name.lower()}-checkout"
    if not checkout.exists():
        HOMES.mkdir(exist_ok=True)
        subprocess.run(["git", "clone", "-q", os.environ.get(name.upper(), address), str(checkout)], check=True)
    subprocess.run(["git", "-C", str(checkout), "checkout", "-q", "--detach", commit], check=True)
    script = str(HERE / f"run_{name.lower()}.py")
    return _run([_python(name.lower()), script], cases, [str(checkout)])


def _python(name: str) -> str:
    """Return the Python of a peer's environment, which is recreated if its lock file has changed."""
    home, lock = HOMES / name, HERE / f"{name}.lock"
    python, stamp = str(home / "bin" / "python"), home / "lock"
    if not stamp.exists() or stamp.read_bytes() != lock.read_bytes():
        uv = str(Path(sys.executable).with_name("uv"))
        shutil.rmtree(home, ignore_errors=True)
        subprocess.run([uv, "venv", "-q", "--python", sys.executable, str(home)], check=True)
        install = [uv, "pip", "install", "-q", "--python", python, "--require-hashes", "-r", str(lock)]
        subprocess.run(install, check=True)
        shutil.copy(lock, stamp)
    return python


def _run(command: list[str], cases: Path, more: list[str]) -> dict[str, Any]:
    answers = cases.with_name("answers.json")
    # a peer may import neither this project's packages nor those of another peer
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | {
        "PYTHONPATH": ":".join(more)
    }
    subprocess.run([*command, str(cases), str(answers), *more], check=True, env=environment, stderr=subprocess.DEVNULL)
    return dict(json.loads(answers.read_text("utf-8")))


def _locked_version(name: str) -> str:
    lock = (HERE / f"{name}.lock").read_text("utf-8")
    return next(line.split("==")[1].split()[0] for line in lock.splitlines() if line.startswith(f"{name}=="))
