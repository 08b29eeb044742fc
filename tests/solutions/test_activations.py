"""Activation memory: references against their counts, their limits, and the numbers of the 405B run."""

from __future__ import annotations
