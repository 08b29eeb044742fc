"""The pictures of the lessons, one module a chapter, each drawn from references and oracles."""
