"""The text of a benchmark: tokens with spaces between, a line as it was, so that both sides see the same words."""

import lzma
from pathlib import Path

from rowspace.text import WordTokenizer


def token_file(corpus, folder):
    """Write the corpus as tokens into `folder`; return the path. `.xz` and plain text are read."""
    target = Path(folder, "tokens.txt")
    tokenizer = WordTokenizer([])
    opened = lzma.open if str(corpus).endswith(".xz") else open
    with opened(corpus, "rt", encoding="utf-8") as source, target.open("w", encoding="utf-8") as tokens:
        for line in source:
            words = tokenizer.split(line)
            if words:
                tokens.write(" ".join(words) + "\n")
    return target


def repeated(path, times):
    """Write the same text several times over; return the path."""
    target = path.with_name(f"{path.stem}-{times}{path.suffix}")
    text = path.read_bytes()
    with target.open("wb") as file:
        for _ in range(times):
            file.write(text)
    return target
