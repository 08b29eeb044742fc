"""Builds the book, as the documentation of a site: `python -m book site/docs`. Its links to the app lead one folder up."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from sphinx.cmd.build import build_main

from book import sources

WORK = Path(__file__).with_name("_build")


def main(out: Path, work: Path = WORK) -> int:
    """Write the pages into a folder, which is emptied first, and return the exit status. A warning is an error."""
    shutil.rmtree(out, ignore_errors=True)
    sources.main(work / "source")
    return build_main(["-q", "-W", "-b", "html", "-d", str(work / "doctrees"), str(work / "source"), str(out)])


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
