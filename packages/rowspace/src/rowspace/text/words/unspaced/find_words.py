"""Distinct words of a text → those that phrases are made of: learned, or found by jieba, SudachiPy or PyThaiNLP.

`Separator` puts blanks around them, so that the scanner of words finds them.
"""

import re
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import MissingExtraError
from rowspace.text.characters import as_array
from rowspace.text.characters.table import CODE_POINTS
from rowspace.text.words.lexicon import Lexicon
from rowspace.text.words.unspaced.kernels import separate
from rowspace.text.words.unspaced.scripts import script_table
from rowspace.text.words.unspaced.training import learn_words, runs_of

__all__ = ["SEGMENTERS", "Segmenter", "Separator", "find_words"]

_MOST_CHARACTERS = 2_000_000  # of distinct words to learn from, the most frequent; 128 bytes of memory each
_NO_ENDS = np.empty(0, np.int64)


def find_words(words: Sequence[bytes], counts: NDArray[np.int64], *, segmenter: str, min_count: int) -> list[str]:
    """Return words of scripts without spaces.

    Args:
        words: The distinct words of a text, in which phrases of such scripts are one word: UTF-8.
        counts: How often each occurs: int64 (words,).
        segmenter: "learned", or the library that says what is a word.
        min_count: How often a learned word must occur, at least.

    Raises:
        MissingExtraError: The library is not installed.

    >>> find_words([b"cat"], np.array([7]), segmenter="learned", min_count=1)
    []
    """
    chosen = [index for index, word in enumerate(words) if not word.isascii() and _has_unspaced(word.decode())]
    if segmenter != "learned":
        return SEGMENTERS[segmenter].words([words[index].decode() for index in chosen])
    chosen.sort(key=lambda index: (-counts[index], words[index]))
    sizes = np.cumsum([len(words[index]) // 3 for index in chosen])
    read = np.array(chosen, np.int64)[: int(np.searchsorted(sizes, _MOST_CHARACTERS)) + 1]
    share = counts[read].sum() / max(1, counts[chosen].sum()) if chosen else 1.0
    runs = runs_of([words[index] for index in read], counts[read])
    return learn_words(runs, min_count=max(2, round(min_count * share)))


def _has_unspaced(word: str) -> bool:
    return bool(script_table()[np.frombuffer(word.encode("utf-32-le"), "<u4")].any())


Cut = Callable[[str], Iterable[str]]

_HAN = "\u3005-\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323ff"
_KANA = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff\u31f0-\u31ff"


class Segmenter(NamedTuple):
    """A library, the runs of characters that it divides, and what makes it ready."""

    library: str
    runs: re.Pattern[str]
    open: Callable[[], Cut]

    def words(self, texts: Iterable[str]) -> list[str]:
        """Return the distinct words of texts.

        Raises:
            MissingExtraError: The library is not installed.
        """
        try:
            with warnings.catch_warnings():  # of their own code
                warnings.simplefilter("ignore")
                cut = self.open()
        except ImportError as error:
            raise MissingExtraError(
                f"segmenter {self.library!r} needs a library: pip install 'rowspace[segment]'"
            ) from error
        runs = dict.fromkeys(run for text in texts for run in self.runs.findall(text))
        return list(dict.fromkeys(word for run in runs for word in cut(run)))


def _jieba() -> Cut:
    import jieba

    jieba.setLogLevel(60)  # it reports on standard error that its dictionary is loaded
    cut: Cut = jieba.lcut
    return cut


def _sudachi() -> Cut:
    import sudachipy

    tokenizer = sudachipy.Dictionary().create(mode=sudachipy.SplitMode.A)
    return lambda text: [word.surface() for word in tokenizer.tokenize(text)]


def _pythainlp() -> Cut:
    from pythainlp import word_tokenize

    return lambda text: word_tokenize(text, engine="newmm")


SEGMENTERS = {
    "jieba": Segmenter("jieba", re.compile(f"[{_HAN}]+"), _jieba),
    "sudachi": Segmenter("sudachi", re.compile(f"[{_HAN}{_KANA}]+"), _sudachi),
    "pythainlp": Segmenter("pythainlp", re.compile("[\u0e01-\u0e3a\u0e40-\u0e4e]+"), _pythainlp),
}


class Separator:
    """Puts blanks around the longest known word at each place, from left to right, as added tokens are found.

    Only one thread at a time may use it.

    Args:
        words: Words of scripts without spaces.

    >>> Separator(["中国", "中", "国人"]).separate("T中国人!".encode())[0].decode().split()
    ['T', '中国', '人!']
    """

    def __init__(self, words: Sequence[str]) -> None:
        data = [word.encode() for word in words]
        self._longest = np.zeros(CODE_POINTS, np.int32)
        for word, encoded in zip(words, data, strict=True):
            self._longest[ord(word[0])] = max(self._longest[ord(word[0])], len(encoded))
        self._lexicon = Lexicon(np.empty(0, np.int32))
        self._lexicon.add(data)
        self._lexicon.reserve(bytes_=int(self._longest.max(initial=0)))

    def separate(self, data: bytes | bytearray, ends: NDArray[np.int64] = _NO_ENDS) -> tuple[bytes, NDArray[np.int64]]:
        """Return UTF-8 with blanks around words, and where its documents end.

        Args:
            data: UTF-8.
            ends: The offsets at which documents end; no word crosses them.
        """
        out, new_ends = np.empty(3 * len(data), np.uint8), np.empty_like(ends)
        lexicon = self._lexicon
        written = separate(as_array(data), ends, self._longest, lexicon.words, lexicon.size, out, new_ends)
        return out[:written].tobytes(), new_ends
