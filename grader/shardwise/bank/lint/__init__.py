"""The lint: checks that every draw and every file of a bank is sound."""
