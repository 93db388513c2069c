"""The commands that index files and search them."""
