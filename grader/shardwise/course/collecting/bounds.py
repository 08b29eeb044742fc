"""Bounds of what is handed in: how much of it is read and run, so that nobody can make others wait.

The files themselves are read by `shardwise.text_files`, the only module that reads what a student may have written.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Bounds:
    """How much is read of a notebook, and of a student. Each is far above what honest work takes."""

    # Of a notebook
    bytes: int = 20_000_000  # one of 20 answers has about 60,000, one with pictures in its output a few million
    brackets: int = 1_000_000  # [ and {: a list of nothing takes three bytes in JSON, and 64 in memory
    cells: int = 1_000  # one of 20 questions has about 80
    cell_characters: int = 200_000
    code_characters: int = 1_000_000  # in all its cells
    # Of a student: a folder that has the name of one, or a zip archive that lies in a folder
    notebooks: int = 20  # some hand in every version they made
    unpacked_bytes: int = 40_000_000  # two of the largest notebooks; to read these takes up to 4 seconds
    index_bytes: int = 1_000_000  # an archive's list of some 10,000 members, in which other files may be
    archives: int = 3  # in each other; a class in one archive, each student in another, and what they packed
    seconds: float = 300.0  # of a worker, for all of them in one run; an honest notebook takes one or two
    at_once: int = 3  # are graded before everybody else had their turn
    depth: int = 16  # folders in each other below the one that was named; learning platforms make two or three
    # Of lock files, which may be a student's until their signature is checked
    lock_header_bytes: int = 2_000_000  # twice the largest set.yaml, whose intro it holds
    lock_line_bytes: int = 20_000_000  # of one student; 20 questions have about 60,000
    locks: int = 200  # that are looked at, the nearest to the root of the file system first
    name_characters: int = 200  # of a member of an archive, as reports show it; file systems have 255 bytes


BOUNDS = Bounds()
