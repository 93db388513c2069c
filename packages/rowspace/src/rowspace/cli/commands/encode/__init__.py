"""Commands that turn texts into vectors and search them."""
