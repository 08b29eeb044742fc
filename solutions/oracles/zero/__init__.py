"""Oracles of the chapter on ZeRO, FSDP and model states."""
