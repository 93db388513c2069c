"""The rows of an index, in a dataset of Lance, and what is stored of each passage: its words and its vector."""
