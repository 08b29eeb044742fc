"""One row as a comparison sees it: what is printed, what is predicted, and where nothing can be said, why."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from .printed import printed
from .runs import Chip, Run, Runs, Shape
from .settings import NOTHING_AGAIN, Setting, Unclear, setting

GIB = 2**30
GB = 10**9
# What a source's tool counts, in bytes of one printed GB: nvidia-smi prints MiB, of which people call a thousand a GB. The
# peak of Zero Bubble is torch.cuda.max_memory_allocated() in millions of bytes (runtime.py of its repository).
UNITS = {"nvidia-smi": 1000 * 2**20, "gpu-memory": 1000 * 2**20, "peak": GB, "torch-gib": GIB, "torch-gib-max": GIB}


@dataclass(frozen=True)
class Prediction:
    """What somebody's model says of a row. What it does not model is None."""

    step_s: float | None = None
    memory_bytes: float | None = None
    fits: bool | None = None
    counted_bytes: float | None = None  # of the memory, what the tool counts by which the row's was measured
    room_bytes: float | None = None  # what the fullest GPU has
    why: str = ""  # nothing is predicted
    assumed: str = ""  # beyond what the row's setting assumes


@dataclass(frozen=True)
class Row:
    """A row that a prediction can be made for."""

    run: Run
    shape: Shape
    setting: Setting
    step_s: float | None
    basis: str
    chip: Chip

    @property
    def memory_bytes(self) -> float | None:
        """Printed memory of a GPU, by what the source's tool calls a GB."""
        if self.run.mem_gb is None:
            return None
        return self.run.mem_gb * UNITS.get(self.run.mem_kind or "", GB)

    @property
    def fitted(self) -> bool:
        """Whether the run fit into its memory."""
        return self.run.outcome != "oom"

    @property
    def tests_fit(self) -> bool:
        """Whether the row says enough to ask if it fits: GPUs, with micro-batch and recomputation printed.

        Programs for TPUs move to the host what has no room.
        """
        open_questions = ("micro-batch", NOTHING_AGAIN)
        return not self.run.chip.startswith("TPU") and not any(
            words.startswith(open_questions) for words in self.setting.assumed
        )


@dataclass(frozen=True)
class Silent:
    """A row that nothing can be said of, and why."""

    run: Run
    reason: str


Predictor = Callable[[Row], Prediction]


def readable(runs: Runs) -> tuple[list[Row], list[Silent]]:
    """The rows that a prediction can be compared with, and the others."""
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
    """The rows with a printed speed."""
    return [row for row in rows if row.step_s is not None]
