"""Accelerators and links by name: the values of hardware.yaml, in base units."""

from __future__ import annotations

from typing import Any

from .tables import table

_BASE = {"GB": 10**9, "GB/s": 10**9, "TFLOP/s": 10**12, "Gbit/s": 10**9 / 8, "W": 1}


def names() -> tuple[str, ...]:
    """The accelerators in hardware.yaml.

    >>> "H100-80GB" in names()
    True
    """
    return tuple(_cards()["accelerators"])


def memory_bytes(*, accelerator: str) -> int:
    """Return the memory of one accelerator as its maker prints it: 80 GB are 80 · 10⁹ bytes, and 95 GiB are 102 · 10⁹.

    Units:   bytes.
    Raises:  ValueError for a name that hardware.yaml lacks.
    Source:  the data sheet that hardware.yaml gives for the value.

    >>> memory_bytes(accelerator="H100-80GB")
    80000000000
    """
    return _figure("accelerators", accelerator, "memory")


def usable_bytes(*, accelerator: str) -> int:
    """Memory that the driver of one accelerator reports, or its maker's decimal value where no other is known.

    A card sold as 80 GB has 80 GiB of memory, and the driver reserves a little of it.

    Units:   bytes.
    Raises:  ValueError for a name that hardware.yaml lacks.
    Source:  the source that hardware.yaml gives for the value.

    >>> round(usable_bytes(accelerator="A100-80GB") / 2**30, 2)
    79.15
    """
    card = _known(_cards()["accelerators"], accelerator, "accelerator")
    return _figure("accelerators", accelerator, "usable" if "usable" in card else "memory")


def hbm_bytes_per_s(*, accelerator: str) -> int:
    """Rate at which one accelerator reads its own memory.

    Units:   bytes per second.
    Raises:  ValueError for a name that hardware.yaml lacks.
    Source:  the data sheet that hardware.yaml gives for the value.

    >>> hbm_bytes_per_s(accelerator="A100-80GB")
    2039000000000
    """
    return _figure("accelerators", accelerator, "hbm")


def peak_flop_per_s(*, accelerator: str, number_format: str = "bf16") -> int:
    """Dense peak of one accelerator in a number format: "fp16", "bf16", "fp8" or "fp4". Sparse peaks are ignored.

    Units:   floating-point operations per second.
    Raises:  ValueError for a name or a format that hardware.yaml lacks.
    Source:  the data sheet that hardware.yaml gives for the value.

    >>> peak_flop_per_s(accelerator="H100-80GB")
    989000000000000
    """
    return _figure("accelerators", accelerator, number_format)


def number_formats(*, accelerator: str) -> tuple[str, ...]:
    """The number formats whose peak is known for an accelerator.

    Raises:  ValueError for a name that hardware.yaml lacks.
    Source:  the data sheets that hardware.yaml names.

    >>> number_formats(accelerator="A100-80GB"), number_formats(accelerator="H100-80GB")
    (('bf16',), ('bf16', 'fp8'))
    """
    card = _known(_cards()["accelerators"], accelerator, "accelerator")
    return tuple(name for name in ("fp16", "bf16", "fp8", "fp4") if name in card)


def matmul_flop_per_s(*, accelerator: str) -> int:
    """Highest measured rate of one BF16 matrix multiplication on an accelerator, over many shapes.

    Units:   floating-point operations per second.
    Raises:  ValueError for a name that hardware.yaml lacks, or an accelerator that was not measured.
    Source:  the measurement that hardware.yaml gives for the value.

    >>> round(matmul_flop_per_s(accelerator="H100-80GB") / peak_flop_per_s(accelerator="H100-80GB"), 3)
    0.803
    """
    return _figure("accelerators", accelerator, "matmul")


def nvlink_bytes_per_s(*, accelerator: str) -> int:
    """NVLink bandwidth of one accelerator, duplex: the sum of what it sends and receives at once.

    Units:   bytes per second, both directions together; one direction carries half of it.
    Raises:  ValueError for a name that hardware.yaml lacks, or an accelerator without NVLink.
    Source:  the data sheet that hardware.yaml gives for the value.

    >>> nvlink_bytes_per_s(accelerator="H100-80GB")
    900000000000
    """
    return _figure("accelerators", accelerator, "nvlink")


def fast_link_bytes_per_s(*, accelerator: str) -> int:
    """Bandwidth of one accelerator over its fastest links, per direction: NVLink in a node, ICI in a slice of TPUs.

    Units:   bytes per second, per direction: half of the duplex value.
    Raises:  ValueError for a name that hardware.yaml lacks, or an accelerator without such links.
    Source:  the data sheet that hardware.yaml gives for the value.

    >>> fast_link_bytes_per_s(accelerator="H100-80GB"), fast_link_bytes_per_s(accelerator="TPU-v5e")
    (450000000000, 200000000000)
    """
    card = _known(_cards()["accelerators"], accelerator, "accelerator")
    link = next((name for name in ("ici", "fabric") if name in card), "nvlink")
    return _figure("accelerators", accelerator, link) // 2


def host_link_bytes_per_s(*, accelerator: str) -> int:
    """Return the bandwidth between one GPU and its host's memory, per direction: PCIe, or a share of NVLink-C2C.

    Units:   bytes per second, per direction.
    Raises:  ValueError for a name that hardware.yaml lacks, or an accelerator whose link is not in it.
    Source:  the source that hardware.yaml gives for the value.

    >>> host_link_bytes_per_s(accelerator="H100-80GB")
    64000000000
    """
    return _figure("accelerators", accelerator, "host_link")


def has_host(*, accelerator: str) -> bool:
    """Return whether hardware.yaml has the host link of an accelerator.

    Raises:  ValueError for a name that hardware.yaml lacks.

    >>> has_host(accelerator="H100-80GB"), has_host(accelerator="TPU-v5p")
    (True, False)
    """
    return "host_link" in _known(_cards()["accelerators"], accelerator, "accelerator")


def host_memory_bytes_per_s(*, accelerator: str) -> int:
    """Return the bandwidth of the host's memory per GPU, in the maker's own system.

    Units:   bytes per second.
    Raises:  ValueError for a name that hardware.yaml lacks, or an accelerator whose host is not in it.
    Source:  the source that hardware.yaml gives for the value.

    >>> host_memory_bytes_per_s(accelerator="GB200-186GB")
    256000000000
    """
    return _figure("accelerators", accelerator, "host_memory")


def power_watts(*, accelerator: str) -> int:
    """Most power that one accelerator draws.

    Units:   watts.
    Raises:  ValueError for a name that hardware.yaml lacks.
    Source:  the data sheet that hardware.yaml gives for the value.

    >>> power_watts(accelerator="H100-80GB")
    700
    """
    return _figure("accelerators", accelerator, "power")


def link_bytes_per_s(*, link: str) -> int:
    """Rate of one InfiniBand port, per direction: "EDR", "HDR", "NDR" or "XDR".

    Units:   bytes per second, per direction.
    Raises:  ValueError for a name that hardware.yaml lacks.
    Source:  the source that hardware.yaml gives for the value.

    >>> link_bytes_per_s(link="NDR")
    50000000000
    """
    return _in_base_units(_known(_cards()["links"], link, "link"))


def _figure(group: str, name: str, figure: str) -> int:
    card = _known(_cards()[group], name, "accelerator")
    return _in_base_units(_known(card, figure, f"property of {name}:"))


def _in_base_units(figure: dict[str, Any]) -> int:
    return int(figure["value"] * _BASE[figure["unit"]])


def _known(entries: dict[str, Any], name: str, what: str) -> Any:
    if name not in entries:
        raise ValueError(f"unknown {what} {name!r}; hardware.yaml has {', '.join(entries)}")
    return entries[name]


def _cards() -> dict[str, Any]:
    return table("facts/hardware.yaml")
