"""Pieces of text → sentences of tokens, split at white space only."""

import re
from collections.abc import Iterable, Iterator

from rowspace.text.corpus.reading import Piece
from rowspace.text.corpus.sentences import Sentences

__all__ = ["split_at_white_space", "white_space_sentences"]

MOST_TOKENS = 1 << 16  # of a sentence, a longer one is divided; windows of a fit are shorter
_SEPARATORS = re.compile("[\x1c-\x1f]")  # white space to Python, but not in Unicode nor to the tokenizers library
_TOKENS = re.compile("(?:\\S|[\x1c-\x1f])+")


def white_space_sentences(pieces: Iterable[Piece], ends: str) -> Iterator[list[str]]:
    r"""Yield the tokens of each sentence.

    Args:
        pieces: The text.
        ends: What ends a sentence, as in `TextOptions`.

    >>> list(white_space_sentences([(b"user-17 C++\nb.c  :-)", True)], "line"))
    [['user-17', 'C++'], ['b.c', ':-)']]
    """
    tokens, begun = list[str](), ""
    for text, is_end in Sentences(pieces, ends):
        found = split_at_white_space(begun + text)
        begun = ""
        if found and not is_end and split_at_white_space(text[-1]):  # the rest of the last token follows
            begun = found.pop()
        tokens += found
        if is_end or len(tokens) >= MOST_TOKENS:
            yield tokens
            tokens = []
    if tokens or begun:
        yield [*tokens, begun] if begun else tokens


def split_at_white_space(text: str) -> list[str]:
    r"""Return what is between the white space of Unicode, as the `WhitespaceSplit` of the tokenizers library does.

    >>> split_at_white_space(" a\u3000b-c ")
    ['a', 'b-c']
    """
    return _TOKENS.findall(text) if _SEPARATORS.search(text) else text.split()
