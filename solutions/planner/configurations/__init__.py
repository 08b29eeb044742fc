"""Hugging Face configurations as models: config.json of any architecture in architectures.yaml, and cards.yaml of published models."""
