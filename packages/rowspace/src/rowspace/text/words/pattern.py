"""Pieces of text → sentences of tokens, split at white space or by a regular expression of the user."""

import re
from collections.abc import Iterable, Iterator, Sequence

from tokenizers import Tokenizer

from rowspace.files.tokenizer_json import word_level_ids, word_level_json
from rowspace.text.corpus.reading import Piece
from rowspace.text.corpus.sentences import Sentences

__all__ = ["pattern_json", "pattern_sentences", "split_at_white_space", "white_space_sentences"]

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


MOST_CHARACTERS = 1 << 20  # of a sentence, a longer one is divided


def pattern_json(vocabulary: Sequence[str], pattern: str, *, cased: bool) -> str:
    r"""Return a tokenizer.json whose tokens are the matches of a pattern, lowercased before unless `cased`.

    Raises:
        UsageError: A token is duplicated, or holds a surrogate.

    >>> Tokenizer.from_str(pattern_json(["#tag"], r"#\w+", cased=False)).encode("A #Tag.").tokens
    ['#tag']
    """
    split = {"type": "Split", "pattern": {"Regex": pattern}, "behavior": "Removed", "invert": True}
    normalizer = None if cased else {"type": "Lowercase"}
    return word_level_json(word_level_ids(vocabulary), split, normalizer=normalizer)


def pattern_sentences(pieces: Iterable[Piece], ends: str, pattern: str, *, cased: bool) -> Iterator[list[str]]:
    r"""Yield the tokens of each sentence, as the tokenizer.json finds them.

    Args:
        pieces: The text.
        ends: What ends a sentence, as in `TextOptions`.
        pattern: The regular expression (Oniguruma's).
        cased: Whether case is kept.

    >>> list(pattern_sentences([(b"user-17 C++\nb.c  :-)", True)], "line", r"[\w+-]+", cased=True))
    [['user-17', 'C++'], ['b', 'c', '-']]
    """
    library = Tokenizer.from_str(pattern_json([], pattern, cased=cased))
    parts, size = list[str](), 0
    for text, is_end in Sentences(pieces, ends):
        parts.append(text)
        size += len(text)
        if is_end or size >= MOST_CHARACTERS:
            yield _tokens(library, "".join(parts))
            parts, size = [], 0
    if parts:
        yield _tokens(library, "".join(parts))


def _tokens(library: Tokenizer, text: str) -> list[str]:
    normalized = library.normalizer.normalize_str(text) if library.normalizer else text
    return [token for token, _ in library.pre_tokenizer.pre_tokenize_str(normalized)]
