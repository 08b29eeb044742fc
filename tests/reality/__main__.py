"""The command that runs every case and writes the tables.

python -m tests.reality                          # print the lines
python -m tests.reality --write docs/reality.md  # also write the page
"""

from __future__ import annotations

import argparse
import platform
from pathlib import Path

from . import CASES, machine
from .page import written_page


def main() -> None:
    """Run every case, print its line, and write the page if a path is given."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", type=Path, metavar="PAGE", help="write the page")
    parser.add_argument(
        "--only", default="", help="run only cases whose topic or sentence contains this, and not the machine"
    )
    options = parser.parse_args()
    import torch

    rows: list[tuple[str, str]] = []
    for case in CASES:
        if options.only in f"{case.topic} {case.what}":
            rows.append((case.topic, case.row(float(case.measured()))))
            print(rows[-1][1], flush=True)
    of_machine = [] if options.only else list(machine.rows())
    for line in of_machine:
        print(line)
    if options.write:
        where = torch.cuda.get_device_name() if machine.device() == "cuda" else "CPU"
        version = f"PyTorch {torch.__version__.partition('+')[0]} on {where}, Python {platform.python_version()}"
        options.write.write_text(written_page(rows, version, of_machine), "utf-8")


if __name__ == "__main__":
    main()
