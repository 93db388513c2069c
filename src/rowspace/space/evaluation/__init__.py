"""Evaluation on files that people have made: judged word pairs, and analogies. The rules and numbers are gensim's."""
