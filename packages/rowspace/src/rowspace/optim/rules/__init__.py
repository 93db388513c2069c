"""The rule of each optimizer for rows that missed steps."""
