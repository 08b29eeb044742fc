"""Hugging Face configurations as models: config.json of the architectures in architectures.yaml, and the models of published.yaml."""
