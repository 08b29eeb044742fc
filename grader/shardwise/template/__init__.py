"""Templates: the YAML files, parameters, expressions and reference names that authors write."""
