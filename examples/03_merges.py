"""Byte-pair encoding from nothing: which pair is merged, when, and what the text looks like after it.

First the lesson's sentence, where ties go to the pair that comes first; then real text, one word of which is shown at
growing vocabularies; last the same merges, applied to a word that the text does not have.
"""

from pydoc_data.topics import topics

from tokenizers import Tokenizer
from tokenizers.models import BPE

from rowspace.text import tokenize_at_sizes, trace_encoding, trace_training

for merge in trace_training("the cat sat on the mat the cat", 3):
    print(f"{merge.step}. {merge.left} + {merge.right} ({merge.count} times): {' '.join(merge.tokens)}")

# Learned from half a megabyte: the reference that Python's own help() shows.
text = "\n".join(topics.values())
merges = list(trace_training(text, 2000))
print(f"{len(text):,} characters became {len(merges[-1].tokens):,} tokens by {len(merges):,} merges")

# The merges are all that a tokenizer needs: characters come first, then a token for each merge.
tokens = sorted(set(text)) + [merge.merged for merge in merges]
vocabulary = {token: number for number, token in enumerate(dict.fromkeys(tokens))}
tokenizer = Tokenizer(BPE(vocabulary, [(merge.left, merge.right) for merge in merges]))
for size, pieces in tokenize_at_sizes("assignment", tokenizer, [150, 300, 600, len(vocabulary)]).items():
    print(f"{size:5,} tokens:", " ".join(piece.token for piece in pieces))

for merge in trace_encoding("reassigned", tokenizer):
    print(f"rank {merge.rank:4}: {' '.join(merge.tokens)}")
assert merge.tokens == tokenizer.encode("reassigned").tokens
