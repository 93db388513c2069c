"""Commands that query, evaluate, convert and merge tables."""
