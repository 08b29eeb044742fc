"""The record of a course: a signed ledger of gradings, and its tables."""
