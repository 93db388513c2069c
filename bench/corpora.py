"""Corpora for benchmarks: tokens separated by spaces, with line breaks kept, so that both sides read the same words."""

import lzma
from pathlib import Path

from rowspace.text import WordTokenizer


def token_file(corpus, folder):
    """Write the tokens of a corpus (plain text or `.xz`) to `folder`; return the path."""
    target = Path(folder, "tokens.txt")
    tokenizer = WordTokenizer([])
    with _opened(corpus) as source, target.open("w", encoding="utf-8") as tokens:
        for line in source:
            words = tokenizer.split(line)
            if words:
                tokens.write(" ".join(words) + "\n")
    return target


def beginning(corpus, characters):
    """Return the first characters of a corpus."""
    with _opened(corpus) as source:
        return source.read(characters)


def _opened(corpus):
    opened = lzma.open if str(corpus).endswith(".xz") else open
    return opened(corpus, "rt", encoding="utf-8")


def repeated(path, times):
    """Write a file with the text repeated several times; return the path."""
    target = path.with_name(f"{path.stem}-{times}{path.suffix}")
    text = path.read_bytes()
    with target.open("wb") as file:
        for _ in range(times):
            file.write(text)
    return target
