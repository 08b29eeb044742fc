"""Oracles for the chapter on ZeRO, FSDP and model states."""
