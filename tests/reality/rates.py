"""PyTorch's learning-rate schedules, summed over steps."""

from __future__ import annotations

from .cases import Case

PEAK, WARMUP, TOTAL = 3e-4, 200, 2000


def _area() -> float:
    """Return the sum of the learning rates of a linear warmup and half a cosine."""
    import torch
    from torch.optim import lr_scheduler

    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=PEAK)
    schedule = lr_scheduler.SequentialLR(
        optimizer,
        [lr_scheduler.LinearLR(optimizer, start_factor=1 / WARMUP, total_iters=WARMUP - 1),
         lr_scheduler.CosineAnnealingLR(optimizer, T_max=TOTAL - WARMUP)],
        milestones=[WARMUP],
    )  # fmt: skip
    area = 0.0
    for _ in range(TOTAL):
        area += optimizer.param_groups[0]["lr"]
        optimizer.step()
        schedule.step()
    return area


CASES = [
    Case("Learning-rate schedules", f"learning rate times steps: {WARMUP} steps of warmup, {TOTAL - WARMUP} of a cosine to 0 "
         "(the formula is an integral, the schedule has steps)", "learning_rate.lr_schedules.cosine_area",
         {"peak_lr": PEAK, "final_lr": 0.0, "warmup_steps": WARMUP, "total_steps": TOTAL}, "rate × steps", _area),
]  # fmt: skip
