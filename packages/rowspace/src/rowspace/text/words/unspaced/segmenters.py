"""Other libraries that divide texts of scripts without spaces into words: jieba, SudachiPy and PyThaiNLP."""

import re
import warnings
from collections.abc import Callable, Iterable
from typing import NamedTuple

from rowspace.errors import MissingExtraError

__all__ = ["SEGMENTERS", "Segmenter"]

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
