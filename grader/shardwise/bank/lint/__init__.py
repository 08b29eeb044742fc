"""The lint: proves a bank sound, every draw and every file of it."""
