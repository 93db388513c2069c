"""What long commands print at their end."""
