"""Commands that learn a table."""
