"""Oracles for the chapter on the plan of Llama 3 405B."""
