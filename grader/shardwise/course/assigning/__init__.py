"""Assigning: draws a set for each student of a roster, writes notebooks, and locks the draws."""
