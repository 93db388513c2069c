"""What happens to the rows during a run, and the file that records it."""
