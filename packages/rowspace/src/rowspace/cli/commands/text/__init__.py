"""Commands for texts and their tokens."""
