"""Limits on submissions: how much of them is read and run, so that no student can block the others.

`shardwise.text_files` reads the files themselves; no other module reads a file that a student may have written.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Bounds:
    """Limits per notebook and per student, all of them far above what honest work needs."""

    # Per notebook
    bytes: int = 20_000_000  # a notebook with 20 answers has about 60,000; with pictures in its output, a few million
    brackets: int = 1_000_000  # [ and {: an empty list takes three bytes in JSON but 64 in memory
    cells: int = 1_000  # a notebook with 20 questions has about 80
    cell_characters: int = 200_000
    code_characters: int = 1_000_000  # in all cells together
    # Per student: a folder with a student's name, or a zip archive in a folder
    notebooks: int = 20  # some students submit every version
    unpacked_bytes: int = 40_000_000  # two of the largest notebooks, which take up to 4 seconds to read
    index_bytes: int = 1_000_000  # an archive's list of about 10,000 members, including other files
    archives: int = 3  # nested: one for the class, one per student, and one that the student made
    seconds: float = (
        300.0  # of worker time per run, for all of a student's notebooks; an honest notebook takes one or two
    )
    at_once: int = 3  # notebooks that are graded before everybody else's first
    depth: int = 16  # levels of folders below the named one; learning platforms create two or three
    # For lock files, which may come from a student until their signature is checked
    lock_header_bytes: int = 2_000_000  # twice the largest set.yaml, because the header contains the intro
    lock_line_bytes: int = 20_000_000  # one student's line; 20 questions take about 60,000
    locks: int = 200  # lock files that are considered, starting from the root of the file system
    name_characters: int = 200  # of an archive member's name in reports; file systems allow 255 bytes


BOUNDS = Bounds()
