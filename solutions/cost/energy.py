"""Energy and emissions of a run: from GPU-hours to megawatt-hours at the meter, to tonnes of CO2 equivalent, and back."""

from __future__ import annotations

from ..facts.arguments import require_positive

JOULES_PER_KWH = 3.6e6  # a kilowatt for an hour, exactly


def site_energy_joules(*, gpu_time_s: float, watts_per_gpu: float, pue: float = 1.0) -> float:
    """Energy of a run at the meter of the site.

        energy = GPU-seconds · watts · PUE

    PUE, power usage effectiveness, is the energy of the whole site over that of its computers, so at least 1.

    Units:   GPU-seconds; watts, on average over the run; PUE is a number. Result in joules.
    Raises:  ValueError if an argument is not positive or the PUE is below 1.
    Source:  Patterson et al. 2021, arXiv:2104.10350, section 2.1; ISO/IEC 30134-2:2016 (PUE).

    >>> round(site_energy_joules(gpu_time_s=10_000 * 14.8 * 86400, watts_per_gpu=330, pue=1.1) / 3.6e9)   # GPT-3: MWh
    1289
    """
    require_positive(gpu_time_s=gpu_time_s, watts_per_gpu=watts_per_gpu, pue=pue)
    if pue < 1:
        raise ValueError(f"pue must be at least 1, not {pue!r}")
    return gpu_time_s * watts_per_gpu * pue


def emitted_tonnes(*, energy_j: float, kg_per_kwh: float) -> float:
    """CO2 equivalent of an amount of electricity.

        tonnes = kWh · (kg for a kWh) / 1000

    Units:   joules at the meter; kg_per_kwh is the grid's carbon intensity. Result in tonnes of CO2 equivalent.
    Raises:  ValueError if an argument is not positive.
    Source:  Patterson et al. 2021, arXiv:2104.10350, section 2.1.

    >>> round(emitted_tonnes(energy_j=1287e9 * 3.6, kg_per_kwh=0.429), 1)    # GPT-3
    552.1
    """
    require_positive(energy_j=energy_j, kg_per_kwh=kg_per_kwh)
    return energy_j / JOULES_PER_KWH * kg_per_kwh / 1000


def run_tonnes(*, gpu_time_s: float, watts_per_gpu: float, kg_per_kwh: float, pue: float = 1.0) -> float:
    """CO2 equivalent of a run, from its GPU time.

        tonnes = GPU-hours · kW · PUE · (kg for a kWh) / 1000

    Units:   GPU-seconds; watts; kg_per_kwh is the grid's carbon intensity; PUE is a number. Result in tonnes.
    Raises:  ValueError if an argument is not positive or the PUE is below 1.
    Source:  Touvron et al. 2023, arXiv:2302.13971, section 6.

    >>> round(run_tonnes(gpu_time_s=1_022_362 * 3600, watts_per_gpu=400, pue=1.1, kg_per_kwh=0.385))    # LLaMA-65B
    173
    """
    energy = site_energy_joules(gpu_time_s=gpu_time_s, watts_per_gpu=watts_per_gpu, pue=pue)
    return emitted_tonnes(energy_j=energy, kg_per_kwh=kg_per_kwh)


def intensity_behind(*, tonnes: float, gpu_time_s: float, watts_per_gpu: float, pue: float = 1.0) -> float:
    """Carbon intensity of the grid that a published figure amounts to. Without the PUE that was counted, it stays in the result.

        intensity = 10⁶ · tonnes / (GPU-seconds · watts · PUE)

    Units:   tonnes; GPU-seconds; watts; PUE is a number. Result in g/J; times 3.6 · 10⁶ it is grams for a kWh.
    Raises:  ValueError if an argument is not positive or the PUE is below 1.
    Source:  run_tonnes of this module, solved for the intensity.

    >>> round(intensity_behind(tonnes=8930, gpu_time_s=30.84e6 * 3600, watts_per_gpu=700) * JOULES_PER_KWH)    # Llama 3.1 405B
    414
    """
    require_positive(tonnes=tonnes)
    return 1e6 * tonnes / site_energy_joules(gpu_time_s=gpu_time_s, watts_per_gpu=watts_per_gpu, pue=pue)
