"""Runs every case and writes the table.

python -m tests.reality                          # the lines, as they come
python -m tests.reality --write docs/reality.md  # into the page, in place of the table there
"""

from __future__ import annotations

import argparse
import platform
from pathlib import Path

from . import CASES, machine
from .page import written_page


def main() -> None:
    """Run, print, and write when asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--only", default="", help="a word of the topics or sentences to run")
    options = parser.parse_args()
    import torch

    rows: list[tuple[str, str]] = []
    for case in CASES:
        if options.only in f"{case.topic} {case.what}":
            rows.append((case.topic, case.row(float(case.measured()))))
            print(rows[-1][1], flush=True)
    of_machine = [] if options.only else list(machine.rows())
    print("\n".join(of_machine))
    if options.write:
        where = torch.cuda.get_device_name() if machine.device() == "cuda" else "CPU"
        version = f"PyTorch {torch.__version__.partition('+')[0]} on {where}, Python {platform.python_version()}"
        options.write.write_text(written_page(rows, version, of_machine), "utf-8")


if __name__ == "__main__":
    main()
