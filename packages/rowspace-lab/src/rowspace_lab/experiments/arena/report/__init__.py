"""What the runs show: means and spreads, sizes, sentences, a picture."""
