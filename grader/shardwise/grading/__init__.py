"""Grading: from notebooks that were handed in to results, reports and feedback pages."""
