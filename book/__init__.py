"""The book: lessons, formulas, worked examples and documents as pages that need neither a kernel nor a network."""
