"""The record of a course: a ledger of what was graded, signed, and its tables."""
