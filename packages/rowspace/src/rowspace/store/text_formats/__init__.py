"""Word vectors, a word and its row after the other: word2vec's binary and text form, GloVe, TensorBoard's projector."""
