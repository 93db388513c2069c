"""A warning for text with tags of HTML, whose names would become words."""

import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator

from rowspace.errors import CorpusWarning
from rowspace.text.corpus.reading import BLOCK, Piece

__all__ = ["warn_of_tags"]

SHARE = 1 / 200  # tags by words
SHOWN = 3
_NAMES = rb"p|div|span|b|i|u|a|em|strong|font|center|sup|sub|li|ul|ol|td|th|tr|table|title|body|head|h[1-6]|blockquote"
_TAG = re.compile(rb"</(" + _NAMES + rb")\s*>|<(br)(?: ?/)?>", re.IGNORECASE)


def warn_of_tags(pieces: Iterable[Piece]) -> Iterator[Piece]:
    """Yield pieces of text; warn with a `CorpusWarning` if there are many tags in the first megabyte.

    Counted are closing tags of HTML and `<br>`, which neither code nor mathematics has: neither `a<b` nor `vector<T>`.
    They are many if there is one for each 200 words.
    """
    begin, size = list[bytes](), 0
    for data, last in pieces:
        if size < BLOCK:
            begin.append(data)
            size += len(data)
            if size >= BLOCK:
                _warn(b"\n".join(begin))
        yield data, last
    if size < BLOCK:
        _warn(b"\n".join(begin))


def _warn(text: bytes) -> None:
    names = Counter((closed or single).decode().lower() for closed, single in _TAG.findall(text))
    if names and names.total() >= SHARE * len(text.split()):
        shown = ", ".join(f"<{name}>" for name, _ in names.most_common(SHOWN))
        warnings.warn(
            f"the text has many tags of HTML ({shown}), whose names become words; remove them first, for example: "
            "sed 's/<[^>]*>/ /g' FILE > FILE.txt",
            CorpusWarning,
            stacklevel=2,
        )
