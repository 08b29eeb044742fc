"""Pages made from a bank: its formulas, its curriculum and its interactive figures."""
