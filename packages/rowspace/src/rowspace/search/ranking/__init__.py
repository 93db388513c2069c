"""A query → passages, best first, and why each was found."""
