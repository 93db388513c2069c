"""The corpus of the Tokens page: files of the standard library, some for training and the others held out."""

import re
from collections import Counter
from collections.abc import Iterable
from itertools import islice

from rowspace.text import standard_library

NUM_FILES = 400  # of which every eighth is read
TOKEN = re.compile(r"\w+|[^\w\s]+")
LETTERS = re.compile(r"[^\W\d_]{2,}")


def sample_corpus() -> tuple[list[str], list[str]]:
    """Read every eighth of the first files of the standard library; one in five of these is held out."""
    texts = list(islice(standard_library(), 0, NUM_FILES, 8))
    return [text for place, text in enumerate(texts) if place % 5], texts[::5]


def count_words(texts: Iterable[str], pattern: re.Pattern[str]) -> list[tuple[str, int]]:
    """Count the words of texts, the most frequent first."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update(pattern.findall(text))
    return counts.most_common()


def frequent_words(corpus: tuple[list[str], list[str]], *, limit: int) -> list[str]:
    """Return the most frequent words of a corpus that consist of letters."""
    return [word for word, _ in count_words([*corpus[0], *corpus[1]], LETTERS)[:limit]]
