"""The commands that turn texts into vectors."""
