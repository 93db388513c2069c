"""Commands that query, evaluate and convert a table."""
