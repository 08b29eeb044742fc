"""Assigning: a set is drawn for each student of a roster, written as notebooks, and locked."""
