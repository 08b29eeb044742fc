"""What an author writes: YAML files, parameters, expressions, and the names of references."""
