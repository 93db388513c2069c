"""The text of the page's runs, Python's help, and the training of one."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from pydoc_data.topics import topics
from typing import Any

from rowspace.text import TokenizerOptions, train_tokenizer


def train_figure(
    *, output: str, vocabulary_size: int, options: Mapping[str, Any], replaced: Sequence[str] | None
) -> object:
    """Train a run on the help of this Python, with a word replaced by another if wanted, and the same tokens."""
    from rowspace_lab.experiments.language_model.train import train  # needs PyTorch, which is slow to import

    tokenizer = Path(f"{output}-tokenizer.json")
    tokenizer.write_text(help_tokenizer(vocabulary_size))
    known = json.loads(help_tokenizer(vocabulary_size))["model"]["vocab"]
    watch = [f"Ġ{word}" for word in options["watch"] if f"Ġ{word}" in known]  # byte-level tokens that begin a word
    return train(help_texts(replaced), output, tokens=tokenizer, **{**options, "watch": watch})


@cache
def help_tokenizer(vocabulary_size: int) -> str:
    """The tokenizer of Python's help as it is, as tokenizer.json."""
    return train_tokenizer(help_texts(None), TokenizerOptions("bpe", vocabulary_size=vocabulary_size))


def help_texts(replaced: Sequence[str] | None) -> list[str]:
    """The pages of Python's help."""
    return [re.sub(rf"\b{replaced[0]}\b", replaced[1], page) if replaced else page for page in topics.values()]
