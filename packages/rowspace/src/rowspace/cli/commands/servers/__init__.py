"""Commands that start a server."""
