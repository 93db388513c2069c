"""tiktoken's encodings: ranks of byte sequences, and a regular expression that splits text into words before.

tiktoken encodes; the ranks are read and validated here, and nothing is downloaded. What looks like a special token in a
text is ordinary text. A token is shown as its text, with bytes that are not valid UTF-8 spelled out (`<0xE2>`).
"""

import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError, reason_of
from rowspace.files.byte_tokens import shown_bytes
from rowspace.text.characters import clean, readable
from rowspace.text.tokenizers.tiktoken_encodings import (
    ENCODINGS,
    encodings_with_ranks,
    read_cached_ranks,
    require_tiktoken,
)
from rowspace.text.tokenizers.tiktoken_ranks import Ranks, parse_ranks
from rowspace.text.tokenizers.tokenizer import Encoding, Ids, Tokenizer, as_ids, encoding_error, unused_token

__all__ = ["DEFAULT_PATTERN", "TiktokenTokenizer", "open_encoding", "open_ranks"]

DEFAULT_PATTERN = "cl100k_base"  # most files of ranks published since use it, or nearly


class TiktokenTokenizer(Tokenizer):
    """A tiktoken encoding, kept in `encoding`.

    Args:
        ranks: The rank of each token, by its bytes.
        pattern: The regular expression that splits text into words.
        special_tokens: The ids of special tokens.
        source: Its name in messages.

    Raises:
        UsageError: tiktoken does not accept the pattern.
    """

    kind = "bpe"
    unknown_id = None

    def __init__(self, ranks: Ranks, pattern: str, special_tokens: Mapping[str, int], *, source: str) -> None:
        import tiktoken

        special = dict(special_tokens)
        try:
            self.encoding = tiktoken.Encoding(
                Path(source).name, pat_str=pattern, mergeable_ranks=ranks, special_tokens=special
            )
        except ValueError as error:
            raise UsageError(
                f"{source}: the pattern is not a regular expression that tiktoken accepts: {reason_of(error)}"
            ) from error
        self.ranks, self._pattern = ranks, pattern
        self._special = {number: token for token, number in special.items()}
        self._bytes = {rank: token for token, rank in ranks.items()}
        self.special_ids = frozenset(self._special)
        self.unused_ids = frozenset(range(len(self))).difference(self._bytes, self._special)

    def __len__(self) -> int:
        return int(self.encoding.max_token_value) + 1

    def encode_batch(self, texts: Sequence[str]) -> list[Ids]:
        """Return the ids of each text: int32 (n,)."""
        try:
            return [as_ids(ids) for ids in self.encoding.encode_ordinary_batch(list(map(clean, texts)))]
        except BaseException as error:  # it panics on some patterns
            raise encoding_error(error, texts, "check its pattern") from error

    def encode_with_offsets(self, texts: Sequence[str]) -> list[Encoding]:
        """Return the ids, tokens and offsets of each text."""
        return [self._with_offsets(clean(text), ids) for text, ids in zip(texts, self.encode_batch(texts), strict=True)]

    def token(self, number: int) -> str:
        """Return the token of an id as text, with bytes that are not valid UTF-8 spelled out."""
        if self._validate_id(number) in self._special:
            return self._special[number]
        return unused_token(number) if number in self.unused_ids else readable(self._bytes[number])

    def shown(self, number: int) -> str:
        """Return the token's text, with signs for blanks."""
        data = self.token_bytes(number)
        return self.token(number) if data is None else shown_bytes(data)

    def token_bytes(self, number: int) -> bytes | None:
        """Return the bytes that an id represents, None for special tokens."""
        return self._bytes.get(self._validate_id(number))

    def words(self, text: str) -> list[tuple[int, bytes, list[int]]]:
        """Return each word that the pattern finds: where in the text it begins, its bytes, and its ids.

        Raises UsageError where tiktoken, whose engine for regular expressions is another, finds other words.
        """
        import regex  # tiktoken brings it along

        text = clean(text)
        with suppress(regex.error):
            words = [(match.start(), match[0].encode()) for match in regex.finditer(self._pattern, text)]
            split = self.encode_batch([word.decode() for _, word in words])
            if np.array_equal(np.concatenate([as_ids([]), *split]), self.encode(text)):
                return [(*word, ids.tolist()) for word, ids in zip(words, split, strict=True)]
        raise UsageError("the pattern means something else in tiktoken than in Python, so the words are not known")

    @cached_property
    def _shown(self) -> list[str]:
        return self.vocabulary

    @cached_property
    def _sizes(self) -> NDArray[np.int64]:
        return np.array([len(self._bytes.get(number, b"")) for number in range(len(self))], np.int64)

    def _with_offsets(self, text: str, ids: Ids) -> Encoding:
        data = np.frombuffer(text.encode(), np.uint8)
        sizes = self._sizes[ids]
        ends = np.cumsum(sizes)
        spans = np.stack([ends - sizes, ends], axis=1)
        if sizes.sum() != len(data):  # the pattern does not match all of the text
            spans = self._byte_spans(text)
        character = np.cumsum((data & 0xC0) != 0x80) - 1  # of each byte
        offsets = np.stack([character[spans[:, 0]], character[spans[:, 1] - 1] + 1], axis=1) if len(ids) else spans
        return Encoding(ids, [self._shown[number] for number in ids.tolist()], offsets)

    def _byte_spans(self, text: str) -> NDArray[np.int64]:
        """Return where in the bytes of a text its tokens begin and end, word by word."""
        spans = list[tuple[int, int]]()
        for start, _, ids in self.words(text):
            start_byte = len(text[:start].encode())
            for number in ids:
                end = start_byte + len(self._bytes[number])
                spans.append((start_byte, end))
                start_byte = end
        return np.array(spans, np.int64).reshape(-1, 2)


def open_encoding(name: str) -> TiktokenTokenizer:
    """Open a published encoding from tiktoken's cache on this machine.

    Raises:
        FileFormatError: its ranks are not there, or are damaged.
    """
    return _published(name, read_cached_ranks(name))


def open_ranks(data: bytes, source: str, *, pattern: str | None = None) -> TiktokenTokenizer:
    """Open a file of ranks: that of a published encoding is this encoding, with its special tokens; others have none.

    Warns where the file is not that of an encoding and no pattern is named: that of cl100k_base is used.

    Args:
        data: The content of the file.
        source: Its name in messages, such as its path.
        pattern: What splits text into words: the name of an encoding, or a regular expression.

    Raises:
        FileFormatError: the file is damaged.
        UsageError: the pattern is neither a name nor a regular expression.
    """
    require_tiktoken(f"{source}: a file of ranks")
    ranks = parse_ranks(data, source)
    names = [name for name in encodings_with_ranks(data) if pattern in (None, name)]
    if names:
        return _published(names[0], ranks)
    if pattern is None:
        warnings.warn(
            f"{source}: holds ranks only, and is not a published tiktoken file; text is split with the pattern of "
            f"{DEFAULT_PATTERN}; pass the documented one as pattern=",
            stacklevel=4,
        )
    return TiktokenTokenizer(ranks, _regular_expression(pattern or DEFAULT_PATTERN), {}, source=source)


def _published(name: str, ranks: Ranks) -> TiktokenTokenizer:
    published = ENCODINGS[name]
    return TiktokenTokenizer(ranks, published.pattern, published.special_tokens, source=name)


def _regular_expression(pattern: str) -> str:
    """Return the regular expression that `pattern` is, or that of the encoding of this name."""
    if pattern in ENCODINGS:
        return ENCODINGS[pattern].pattern
    if pattern.isidentifier():
        raise UsageError(f"pattern must be a regular expression or one of {', '.join(ENCODINGS)}, not {pattern!r}")
    return pattern
