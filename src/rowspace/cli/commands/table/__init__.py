"""Commands that open a table: ask it, measure it, convert it."""
