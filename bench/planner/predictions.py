"""Rows of the comparison: reported values, predictions, and the reasons why some runs cannot be compared."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from .printed import printed
from .runs import Chip, Run, Runs, Shape
from .settings import NO_RECOMPUTATION, Setting, Unclear, setting

GIB = 2**30
GB = 10**9
# Bytes per reported GB, by tool: nvidia-smi prints MiB, and sources call 1,000 MiB a GB. Zero Bubble's peak is
# torch.cuda.max_memory_allocated() in millions of bytes (runtime.py of its repository).
UNITS = {"nvidia-smi": 1000 * 2**20, "gpu-memory": 1000 * 2**20, "peak": GB, "torch-gib": GIB, "torch-gib-max": GIB}


@dataclass(frozen=True)
class Prediction:
    """A model's prediction for a row. None marks what it does not model."""

    step_s: float | None = None
    memory_bytes: float | None = None
    fits: bool | None = None
    fit: str = ""  # "yes", "tight" or "no", of a model that distinguishes them
    counted_bytes: float | None = None  # the part of memory_bytes that the row's measuring tool counts
    room_bytes: float | None = None  # GPU memory capacity
    why: str = ""  # the reason, if nothing is predicted
    assumed: str = ""  # in addition to the assumptions of the row's setting


@dataclass(frozen=True)
class Row:
    """A run that can be predicted."""

    run: Run
    shape: Shape
    setting: Setting
    step_s: float | None
    basis: str
    chip: Chip

    @property
    def kind(self) -> str:
        """Return "MoE" for a mixture of experts, else "dense"."""
        return "MoE" if self.shape.is_moe else "dense"

    @property
    def memory_bytes(self) -> float | None:
        """Return the reported memory per GPU, with a GB as the source's tool defines it."""
        if self.run.mem_gb is None:
            return None
        return self.run.mem_gb * UNITS.get(self.run.mem_kind or "", GB)

    @property
    def fitted(self) -> bool:
        """Return whether the run fit in memory."""
        return self.run.outcome != "oom"

    @property
    def tests_fit(self) -> bool:
        """Return whether the row tests the verdict on fit: a GPU run with micro-batch size and recomputation reported.

        TPU programs offload to the host what does not fit.
        """
        open_questions = ("micro-batch", NO_RECOMPUTATION)
        return not self.run.chip.startswith("TPU") and not any(
            words.startswith(open_questions) for words in self.setting.assumed
        )


@dataclass(frozen=True)
class Silent:
    """A run that cannot be compared, and why."""

    run: Run
    reason: str


Predictor = Callable[[Row], Prediction]


def readable(runs: Runs) -> tuple[list[Row], list[Silent]]:
    """Return the rows that can be compared with a prediction, and the runs that cannot."""
    rows: list[Row] = []
    silent: list[Silent] = []
    for run in runs.rows:
        shape, chip = runs.models[run.model], runs.chips[run.chip]
        try:
            layout = setting(run, shape)
        except Unclear as reason:
            silent.append(Silent(run, str(reason)))
            continue
        try:
            rate = printed(run, runs)
            rows.append(Row(run, shape, layout, rate.step_s, rate.basis, chip))
        except Unclear as reason:
            if run.outcome == "oom" or run.mem_gb is not None:
                rows.append(Row(run, shape, layout, None, str(reason), chip))
            else:
                silent.append(Silent(run, str(reason)))
    return rows, silent


def timed(rows: Iterable[Row]) -> list[Row]:
    """Return the rows with a reported speed."""
    return [row for row in rows if row.step_s is not None]
