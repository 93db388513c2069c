"""Evaluation on files of word pairs and analogies. Rules and results are gensim's."""
