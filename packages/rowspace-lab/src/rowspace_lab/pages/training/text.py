"""The texts of the page's runs, sentences or Python's help, and the training of a run."""

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from pydoc_data.topics import topics
from typing import Any

import numpy as np

from rowspace._base.plural import plural
from rowspace.text import TokenizerOptions, train_tokenizer
from rowspace_lab.tables.small_world import small_world_sentences

__all__ = ["Text", "run_texts", "run_tokenizer", "text_name", "train_figure"]

Text = str | tuple[str, ...]
"""What a run reads: "python", "small-world", or sentences."""
VOCABULARY_SIZE = 640
"""Of the tokenizer of Python's help."""


def train_figure(
    *, output: str, text: Text = "python", options: Mapping[str, Any], replaced: Sequence[str] | None
) -> object:
    """Train a run on a text, with a word replaced by another if wanted, and the same tokens."""
    from rowspace_lab.experiments.language_model.train import train  # needs PyTorch, which is slow to import

    tokenizer = Path(f"{output}-tokenizer.json")
    tokenizer.write_text(run_tokenizer(text))
    known = json.loads(run_tokenizer(text))["model"]["vocab"]
    # a word of sentences is a token; of byte-level tokens, the one that begins a word
    watch = [token for word in options["watch"] if (token := word if text != "python" else f"Ġ{word}") in known]
    return train(run_texts(text, replaced), output, tokens=tokenizer, **{**options, "watch": watch})


@cache
def run_tokenizer(text: Text) -> str:
    """The tokenizer of a text as it is, as tokenizer.json: a token for each word of sentences, else byte-level BPE."""
    texts = run_texts(text, None)
    if text == "python":
        return train_tokenizer(texts, TokenizerOptions("bpe", vocabulary_size=VOCABULARY_SIZE))
    from tokenizers import Tokenizer, models, pre_tokenizers

    words = Counter(word for sentence in sorted(texts) for word in sentence.split())
    ids = {word: id for id, word in enumerate(["[UNK]", *(word for word, _ in words.most_common())])}
    tokenizer = Tokenizer(models.WordLevel(ids, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    return str(tokenizer.to_str())


def run_texts(text: Text, replaced: Sequence[str] | None) -> list[str]:
    """The pages of Python's help, or the sentences in a random order, so that none predicts the next one."""
    if text == "python":
        texts = list(topics.values())
    else:
        sentences = small_world_sentences() if text == "small-world" else text
        texts = [sentences[place] for place in np.random.default_rng(1).permutation(len(sentences))]
    return [re.sub(rf"\b{replaced[0]}\b", replaced[1], each) if replaced else each for each in texts]


def text_name(text: Text) -> str:
    """What a run reads, as the page names it.

    >>> text_name("small-world"), text_name(("the cat sat",))
    ('the 264 sentences of Small world', 'your 1 sentence')
    """
    if text == "python":
        return "Python’s help"
    if text == "small-world":
        return f"the {plural(len(small_world_sentences()), 'sentence')} of Small world"
    return f"your {plural(len(text), 'sentence')}"
