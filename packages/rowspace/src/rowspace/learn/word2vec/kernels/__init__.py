"""The heart of `fit`: a chunk of ids moves the rows, by skip-gram or CBOW with negative sampling.

Around each word of the text lies a window. Skip-gram scores each neighbor's input row against the output row of the
word itself and of a few drawn words; CBOW scores the neighbors' average once. The negatives are shared: by all pairs of
a window (Ji et al. 2016, pWord2Vec), by the averages of three windows in a row. So the scores are a small matrix
product and its gradient two more, of tiles that fit into registers.

Several workers write to the same rows without locks. A row that all of them write all the time would travel from core
to core, so each worker learns the most frequent words in private copies and adds what a copy has moved to the
table's row every few times.

| file | what |
|---|---|
| `chunk.py` | which windows a chunk of ids has, what is drawn for each, and rows composed from n-grams |
| `skipgram.py`, `cbow.py` | one window, or three |
| `tiles.py` | rows against six output rows: scores, steps, updates |
| `copies.py` | each worker's copies of frequent rows |
| `private.py` | all rows of a part of a chunk, if the fit is deterministic |
| `draws.py` | random bits |
| `arrays.py` | the arrays by name |
| `simd.py` | sixteen values as one vector |

`tests/learn/word2vec/reference.py` says what a window does in a few lines of NumPy.
"""

from rowspace.learn.word2vec.kernels.chunk import learn_chunk, learn_piece
from rowspace.learn.word2vec.kernels.copies import merge_copies, start_copies
from rowspace.learn.word2vec.kernels.private import add_changes

__all__ = ["add_changes", "learn_chunk", "learn_piece", "merge_copies", "start_copies"]
