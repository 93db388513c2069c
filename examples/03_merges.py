"""Byte-pair encoding step by step: which pair is merged at each step, and the tokens after it.

First a short sentence, where ties go to the first pair; then a longer text, with one word shown for several vocabulary
sizes; last the same merges, applied to a word that is not in the text.
"""

from pydoc_data.topics import topics

from tokenizers import Tokenizer
from tokenizers.models import BPE

from rowspace.text import tokenize_at_sizes
from rowspace_lab.experiments import trace_encoding, trace_training

for merge in trace_training("the cat sat on the mat the cat", 3):
    print(f"{merge.step}. {merge.left} + {merge.right} ({merge.count} times): {' '.join(merge.tokens)}")

# Learned from half a megabyte: the reference of Python's help().
text = "\n".join(topics.values())
merges = list(trace_training(text, 2000))
print(f"{len(text):,} characters became {len(merges[-1].tokens):,} tokens by {len(merges):,} merges")

# The merges define a tokenizer: its tokens are the characters, then one token per merge.
tokens = sorted(set(text)) + [merge.merged for merge in merges]
vocabulary = {token: number for number, token in enumerate(dict.fromkeys(tokens))}
tokenizer = Tokenizer(BPE(vocabulary, [(merge.left, merge.right) for merge in merges]))
for size, pieces in tokenize_at_sizes("assignment", tokenizer, [150, 300, 600, len(vocabulary)]).items():
    print(f"{size:5,} tokens:", " ".join(piece.token for piece in pieces))

for merge in trace_encoding("reassigned", tokenizer):
    print(f"rank {merge.rank:4}: {' '.join(merge.tokens)}")
assert merge.tokens == tokenizer.encode("reassigned").tokens
