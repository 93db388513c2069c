"""The folder of a run: its lock, its checkpoints, opening it."""
