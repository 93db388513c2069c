"""How models learn.

| file | contents |
|---|---|
| `sentences.py`, `documents.py` | corpora: sentences of files, documents with tags |
| `vocabulary.py`, `model_vocabulary.py` | words that stay, their weights and their Huffman codes |
| `corpus.py` | what a learner gets: ids of sentences, options |
| `negative.py` | the fast learner: rowspace's kernels for negative sampling |
| `general.py`, `kernels.py` | the learner of all other models, about ten times slower |
| `phrase_scorers.py` | how phrases are scored |
| `model_training.py` | `train`, which chooses between the two |
"""
