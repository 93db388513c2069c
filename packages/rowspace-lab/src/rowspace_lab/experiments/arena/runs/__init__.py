"""Runs in worker processes, and what is kept of each."""
