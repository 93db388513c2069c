"""What is to be learned: text and pixels → samples and labels, the same for all strategies."""
