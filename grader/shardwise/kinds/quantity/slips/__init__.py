"""Slips: wrong numbers from a draw's own parameters, found by changing what its reference computed, each with its cause.

- `tracing` runs a reference with numbers that record operations, and gives an expression (`expressions`) of its `arguments`;
  `program` evaluates many expressions at once.
- `variants` are the expressions that are one slip away, by the `changes` of each operation. `phrases` and `words` describe them,
  and `twins` decides whether a recognised mistake says the same.
- `stops` are the intermediate results.
- `omissions` are the parts that no right answer may omit, and `sources` finds them in references that cannot be traced;
  `negligible` sorts them by the number of draws that detect them.
- `plan` combines all this once for each problem, and gives the slips of a draw.
"""
