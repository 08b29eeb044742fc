"""Energy and emissions, metered: what the GPUs take and what the building adds have a meter each, and the grid books micrograms."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from ..search import bisect

HOUR_S = 3600
_DAYS = 6
_MICROGRAMS = 10**6  # in a gram


def site_energy_joules(*, gpu_time_s: float, watts_per_gpu: float, pue: float = 1.0) -> float:
    """Spread the GPU time over some days, read the meter of the GPUs and that of the building on each, and add them up."""
    gpus_today = Fraction(gpu_time_s) * Fraction(watts_per_gpu) / _DAYS
    building_today = gpus_today * (Fraction(pue) - 1)
    gpus_meter = building_meter = Fraction(0)
    for _ in range(_DAYS):
        gpus_meter += gpus_today
        building_meter += building_today
    return float(gpus_meter + building_meter)


def emitted_tonnes(*, energy_j: float, kg_per_kwh: float) -> float:
    """Book the micrograms of every joule, and weigh them."""
    micrograms_per_joule = Fraction(kg_per_kwh) * 1000 * _MICROGRAMS / (1000 * HOUR_S)
    return float(Fraction(energy_j) * micrograms_per_joule / _MICROGRAMS / 10**6)


@lru_cache(maxsize=4096)
def run_tonnes(*, gpu_time_s: float, watts_per_gpu: float, kg_per_kwh: float, pue: float = 1.0) -> float:
    """Weigh what the GPUs' meter shows and what the building's adds, each by itself."""
    gpus = emitted_tonnes(energy_j=gpu_time_s * watts_per_gpu, kg_per_kwh=kg_per_kwh)
    building = (pue - 1) * gpus
    return gpus + building


def intensity_behind(*, tonnes: float, gpu_time_s: float, watts_per_gpu: float, pue: float = 1.0) -> float:
    """Search the intensity at which the meters of GPUs and building have booked so much."""

    def above(kg_per_kwh: float) -> float:
        booked = run_tonnes(gpu_time_s=gpu_time_s, watts_per_gpu=watts_per_gpu, kg_per_kwh=kg_per_kwh, pue=pue)
        return booked / tonnes - 1

    high = 1.0
    while above(high) < 0:
        high *= 2
    return bisect(above, 0.0, high, rounds=60) / HOUR_S  # a kilogram for a kilowatt-hour is a gram for a watt-hour
