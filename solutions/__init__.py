"""Reference functions: the formulas behind the answers of the bank, a function each, a module for each topic."""
