"""The scanner of rowspace's own word tokenizer, by the scan that also learns words from a corpus."""

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from rowspace.encode.scanners.cache import Pool
from rowspace.encode.scanners.scanner import Scanner
from rowspace.encode.texts import FlatIds, TextBuffer
from rowspace.files.tokenizer_json import UNKNOWN_TOKEN

if TYPE_CHECKING:
    from rowspace.text.words import Lexicon
    from rowspace.text.words.unspaced import Separator

__all__ = ["WordScanner", "recognize_words"]

KEPT_BYTES = 1 << 24  # a lexicon that has scanned more at once is dropped, since its memory grows with the text


def recognize_words(document: Mapping[str, Any]) -> "WordScanner | None":
    """Return the scanner of `WordTokenizer`, with any vocabulary, cased or not; None for any other tokenizer.

    Args:
        document: The content of the tokenizer.json, as the library writes it.
    """
    if document["model"]["type"] != "WordLevel":
        return None
    from rowspace.text.words.unspaced import is_unspaced
    from rowspace.text.words.word_tokenizer import WordTokenizer, added_words

    vocabulary: dict[str, int] = document["model"]["vocab"]
    words = sorted(vocabulary, key=vocabulary.__getitem__)
    cased = document["normalizer"] is None
    expected = json.loads(Tokenizer.from_str(WordTokenizer([], cased=cased).to_json()).to_str())
    expected["model"]["vocab"] = vocabulary
    unspaced = [token["content"] for token in document["added_tokens"]]
    if not vocabulary.keys() >= set(unspaced) or (unspaced and not is_unspaced("".join(unspaced))):
        return None
    expected["added_tokens"] = added_words(unspaced, vocabulary)
    numbered = [vocabulary[word] for word in words] == list(range(len(words)))
    if document != expected or not numbered or UNKNOWN_TOKEN not in vocabulary:
        return None
    return WordScanner(words, cased=cased, unspaced=unspaced)


class WordScanner(Scanner):
    """Texts → ids of words, and the id of `[UNK]` for others. No text is left to the library.

    Args:
        words: The vocabulary in id order, with `[UNK]`.
        cased: Whether case is kept.
        unspaced: Those of scripts without spaces that are found within others.
    """

    name = "words"

    def __init__(self, words: list[str], *, cased: bool, unspaced: Sequence[str] = ()) -> None:
        self.words = words
        self.cased = cased
        self.unspaced = unspaced
        self.unknown_id = words.index(UNKNOWN_TOKEN)
        self._pool = Pool(self._made)

    def scan(self, buffer: TextBuffer, first: int, last: int) -> tuple[FlatIds, NDArray[np.int64]]:
        """Return the ids of texts first … last - 1, and that it leaves none to the library."""
        from rowspace.text.words.kernels import END

        begin, end = int(buffer.indptr[first]), int(buffer.indptr[last])
        lexicon, separator = self._pool.take()
        data, ends = buffer.data[begin:end].tobytes(), buffer.indptr[first + 1 : last + 1] - begin
        if separator is not None:
            data, ends = separator.separate(data, ends)
        found, _ = lexicon.scan(data, ends, learning=False)
        if end - begin <= KEPT_BYTES:
            self._pool.give_back((lexicon, separator))
        ends = np.flatnonzero(found == END)
        indptr = np.concatenate([[0], ends - np.arange(ends.size)])
        ids = found[found != END]
        ids[ids < 0] = self.unknown_id
        return FlatIds(ids, indptr), np.empty(0, np.int64)

    def _made(self) -> "tuple[Lexicon, Separator | None]":
        """Return a lexicon of the vocabulary, and what separates its words if needed."""
        from rowspace.text.characters import character_table
        from rowspace.text.words import Lexicon
        from rowspace.text.words.unspaced import Separator

        lexicon = Lexicon(character_table(cased=self.cased))
        lexicon.add([word.encode() for word in self.words])
        return lexicon, Separator(self.unspaced) if self.unspaced else None
