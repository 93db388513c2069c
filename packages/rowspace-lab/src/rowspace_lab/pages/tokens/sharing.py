"""The other frequent words that each piece of a text is a part of: what trains the row of the piece."""

from collections.abc import Sequence

import numpy as np

from rowspace.text import Tokenizer
from rowspace.text.tokenizers.huggingface import as_tokenizer
from rowspace_lab.pages.tokens.corpus import LETTERS
from rowspace_lab.pages.tokens.figures import Cut
from rowspace_lab.pages.tokens.replies import SharingNumbers


def words_by_piece(tokenizer: Tokenizer, words: Sequence[str]) -> dict[int, list[str]]:
    """Return the words that contain each token, at the beginning of a line or after a space, in the given order."""
    first, inside = tokenizer.encode_batch(words), tokenizer.encode_batch([" " + word for word in words])
    found: dict[int, list[str]] = {}
    for word, ids, others in zip(words, first, inside, strict=True):
        for number in {*ids.tolist(), *others.tolist()}:
            found.setdefault(number, []).append(word)
    return found


def sharing_figure(cuts: Sequence[Cut], words: Sequence[str], *, text: str, k: int) -> SharingNumbers:
    """Find the frequent words, other than those of the text, that contain each of its tokens at each size."""
    named: list[list[str]] = []
    counts: list[int] = []
    own = set(LETTERS.findall(text))
    for library, _ in cuts:
        tokenizer = as_tokenizer(library)
        found = words_by_piece(tokenizer, words)
        for number in tokenizer.encode(text).tolist():
            others = [word for word in found.get(number, ()) if word not in own]
            if number == tokenizer.unknown_id:  # words share no row because both are unknown
                others = []
            named.append(others[:k])
            counts.append(len(others))
    return {"words": named, "num_words": np.array(counts, np.int64), "num_frequent": len(words)}
