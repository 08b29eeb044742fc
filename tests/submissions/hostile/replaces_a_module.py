"""Puts a module of its own into sys.modules, where the grader's next import finds it.

It worked if a wrong number earns points.
"""

from room import Seen

DUE = "none"
CELL = """
import sys, types
sys.modules["numpy"] = types.SimpleNamespace(allclose=lambda *given: True)
"""
ANSWERS = {"number": "$number = [0]"}


def succeeded(seen: Seen) -> bool:
    return seen.gained
