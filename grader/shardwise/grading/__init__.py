"""Grading: turns submitted notebooks into results, reports and feedback pages."""
