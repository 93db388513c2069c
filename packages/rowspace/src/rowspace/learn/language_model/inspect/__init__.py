"""What rows and hidden states hold: vectors of a token in its texts, and linear probes."""
