"""Slips: the wrong numbers that a draw's own parameters make, found in what its reference computed, each with what went wrong.

- `tracing` runs a reference with numbers that remember, and gives an expression (`expressions`) of its `arguments`; `program`
  works many of them out at once.
- `variants` are the expressions that are one slip away, by the `changes` of each operation. `phrases` and `words` say what was
  done, and `twins` tells whether a mistake that the author lists says the same.
- `stops` are the numbers on the way to the result.
- `omissions`, or for a reference that cannot be traced the cuts of its `sources`, are what nobody may omit and be right;
  `negligible` sorts them by the draws that tell.
- `plan` puts this together once for each problem, and gives the slips of a draw.
"""
