"""How time and memory grow with the class: 100 to 10,000 submissions, and a plot of it.

python bench/scale.py [--most 10000]
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from measure import Usage, run
from room import our_room

SHARDWISE = str(Path(sys.executable).with_name("shardwise"))
PLOT = Path(__file__).with_name("scale.png")


def sizes(most: int) -> list[int]:
    """100, 200, 500, 1,000, ..."""
    return [size for power in range(2, 7) for size in (10**power, 2 * 10**power, 5 * 10**power) if size <= most]


def measured(folder: Path, size: int) -> Usage:
    """The class graded once, whole, from a cold start."""
    submitted = our_room(folder, size)
    usage = run([SHARDWISE, "grade", str(submitted), "--out", "results"], folder, memory=True)
    shutil.rmtree(folder)
    return usage


def plot(found: dict[int, Usage]) -> None:
    """Time over the size of the class, with a straight line, and memory."""
    counts, seconds = np.array(list(found)), np.array([usage.seconds for usage in found.values()])
    slope, start = np.polyfit(counts, seconds, 1)
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    left.plot(counts, seconds, "o", color="#0b5cad", label="measured")
    left.plot(
        counts, start + slope * counts, color="#57606a", lw=1, label=f"{start:.1f} s + {slope * 1000:.1f} ms each"
    )
    left.set(xlabel="submissions", ylabel="seconds", title="Wall time, 2 workers")
    left.legend(frameon=False)
    for name, values in (
        ("the command's own process", [usage.own_bytes for usage in found.values()]),
        ("with workers and sandboxes", [usage.all_bytes for usage in found.values()]),
    ):
        right.plot(counts, np.array(values) / 1e6, "o-", label=name)
    right.set(xlabel="submissions", ylabel="MB", title="Most memory held", ylim=(0, None))
    right.legend(frameon=False)
    for axes in (left, right):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(PLOT, dpi=140)


def main() -> None:
    """Measure, print and draw."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--most", type=int, default=10_000)
    found = {}
    print(f"{'submissions':>11}{'seconds':>10}{'ms each':>10}{'CPU ms each':>13}{'own MB':>9}{'all MB':>9}")
    for size in sizes(parser.parse_args().most):
        with tempfile.TemporaryDirectory(prefix="bench-") as scratch:
            usage = found[size] = measured(Path(scratch) / "class", size)
        print(f"{size:>11,}{usage.seconds:>10.1f}{usage.seconds / size * 1000:>10.1f}{usage.cpu_seconds / size * 1000:>13.1f}"
              f"{usage.own_bytes / 1e6:>9.0f}{usage.all_bytes / 1e6:>9.0f}", flush=True)  # fmt: skip
    plot(found)
    print(f"drawn: {PLOT.name}")


if __name__ == "__main__":
    main()
