"""SentencePiece models: a protobuf of pieces with scores, and of how text is normalized.

sentencepiece encodes. The message is parsed here first, so that the error for a truncated file names the byte. What
looks like a control symbol in a text (`<s>`) is ordinary text; pieces that the model's owner defined are not.
"""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from rowspace._base.lazy import import_extra
from rowspace.errors import FileFormatError, reason_of
from rowspace.text.characters import clean
from rowspace.text.tokenizers.tokenizer import Encoding, Ids, Tokenizer, as_ids, encoding_error

if TYPE_CHECKING:
    from sentencepiece import SentencePieceProcessor

__all__ = ["Field", "SentencePieceTokenizer", "fields", "is_sentencepiece", "open_sentencepiece", "varint"]

_FIXED = {1: 8, 5: 4}  # bytes of a number, by wire type
_NONE = 1 << 62  # more bytes than any message has


class Field(NamedTuple):
    """One field: its number, the bytes or the number that it holds, and the byte at which that begins."""

    number: int
    value: bytes | int
    offset: int


def fields(data: bytes, source: str, *, offset: int = 0) -> Iterator[Field]:
    r"""Yield the fields of a message.

    Args:
        data: The message.
        source: The file's name in messages, such as its path.
        offset: The byte of the file at which the message begins.

    Raises:
        FileFormatError: a field extends beyond the message, or has an unknown wire type.

    >>> list(fields(b"\x08\x96\x01\x12\x02hi", "x"))
    [Field(number=1, value=150, offset=1), Field(number=2, value=b'hi', offset=5)]
    """
    position = 0
    while position < len(data):
        begin, (tag, at) = position, varint(data, position)
        value: bytes | int
        if tag & 7 == 0:
            value, position = varint(data, at)
        else:
            size, at = varint(data, at) if tag & 7 == 2 else (_FIXED.get(tag & 7, _NONE), at)
            position = at + size
            value = data[at:position]
        if not tag >> 3 or not begin < at <= position <= len(data):
            what = "not a field of a message, or one that extends beyond its end"
            raise FileFormatError(f"{source}: byte {offset + begin}: {what}; the file is damaged, restore it")
        yield Field(tag >> 3, value, offset + at)


def varint(data: bytes, position: int) -> tuple[int, int]:
    """Return the number at `position` and the position after it, which is -1 if there is no number."""
    number = 0
    if position < 0:
        return 0, -1
    for i, byte in enumerate(data[position : position + 10]):
        number |= (byte & 0x7F) << (7 * i)
        if byte < 0x80:
            return number, position + i + 1
    return 0, -1


KINDS = {1: "unigram", 2: "bpe", 3: "words", 4: "characters"}
_PIECE, _TRAINER = 1, 2  # fields of the model
_MODEL_TYPE = 3  # field of the trainer's settings
_BLANK = "▁"


class SentencePieceTokenizer(Tokenizer):
    """A SentencePiece model, kept in `processor`.

    Args:
        processor: The model.
        pieces: Its pieces in id order.
        kind: unigram, bpe, words or characters.
    """

    def __init__(self, processor: "SentencePieceProcessor", pieces: list[str], kind: str) -> None:
        self.processor, self.kind, self._pieces = processor, kind, pieces
        ids = range(len(pieces))
        self.unknown_id = processor.unk_id() if processor.unk_id() >= 0 else None
        self._is_byte = np.array([processor.is_byte(number) for number in ids], np.bool_)
        self.special_ids = frozenset(number for number in ids if processor.is_control(number))
        self.unused_ids = frozenset()

    @property
    def vocabulary(self) -> list[str]:
        """The pieces in id order."""
        return self._pieces.copy()

    def __len__(self) -> int:
        return len(self._pieces)

    def encode_batch(self, texts: Sequence[str]) -> list[Ids]:
        """Return the ids of each text: int32 (n,)."""
        return [as_ids(ids) for ids in self._encoded(texts, "numpy")]

    def encode_with_offsets(self, texts: Sequence[str]) -> list[Encoding]:
        """Return the ids, pieces and offsets of each text; unknown pieces are shown as the text writes them."""
        return [self._with_offsets(found) for found in self._encoded(texts, "offset_mapping")]

    def token(self, number: int) -> str:
        """Return the piece of an id as the model writes it."""
        return self._pieces[self._validate_id(number)]

    def token_bytes(self, number: int) -> bytes | None:
        """Return the bytes of text that a piece represents, where `▁` is a blank."""
        piece = self.token(number)
        if number in self.special_ids or number == self.unknown_id:
            return None
        if self._is_byte[number]:
            return bytes([int(piece[3:5], 16)])
        return piece.replace(_BLANK, " ").encode()

    def _encoded(self, texts: Sequence[str], what: Literal["numpy", "offset_mapping"]) -> Any:
        try:
            return self.processor.encode(list(map(clean, texts)), return_type=what)
        except Exception as error:  # the library raises nothing narrower
            raise encoding_error(error, texts, "check the model") from error

    def _with_offsets(self, found: dict[str, Any]) -> Encoding:
        ids, offsets = as_ids(found["ids"]), np.array(found["offsets"], np.int64).reshape(-1, 2)
        is_byte = self._is_byte[ids]
        empty = is_byte[:-1] & is_byte[1:] & (offsets[:-1, 0] == offsets[:-1, 1])
        for index in np.flatnonzero(empty)[::-1]:  # of the bytes of a character only the last has offsets
            offsets[index] = offsets[index + 1]
        return Encoding(ids, found["pieces"], offsets)


def is_sentencepiece(start: bytes) -> bool:
    r"""Return whether a file that begins with these bytes is a SentencePiece model: a message that holds a piece.

    >>> is_sentencepiece(b"\n\x0e\n\x05<unk>\x15\x00\x00\x00\x00\x18\x02"), is_sentencepiece(b"\n\n\n\n")
    (True, False)
    """
    if not start.startswith(b"\n"):
        return False
    size, position = varint(start, 1)
    has_piece = position > 0 and start[position : position + 1] == b"\n"
    inner, after = varint(start, position + 1) if has_piece else (0, -1)
    return after > 0 and 0 < inner <= size - (after - position)


def open_sentencepiece(data: bytes, source: str) -> SentencePieceTokenizer:
    """Open a SentencePiece model.

    Args:
        data: The content of the file.
        source: Its name in messages, such as its path.

    Raises:
        FileFormatError: the file is damaged.
        MissingExtraError: sentencepiece is not installed.
    """
    need = f"{source}: a SentencePiece model needs sentencepiece"
    sentencepiece = import_extra("sentencepiece", need, "sentencepiece")
    found = list(fields(data, source))
    kind, count = _kind(found, source), sum(field.number == _PIECE for field in found)
    if not count:
        raise FileFormatError(f"{source}: holds no pieces, so it is not a SentencePiece model; restore the file")
    try:
        processor = sentencepiece.SentencePieceProcessor(model_proto=data)
        pieces = [processor.id_to_piece(number) for number in range(processor.get_piece_size())]
    except Exception as error:  # the library raises nothing narrower
        raise FileFormatError(
            f"{source}: sentencepiece cannot open it ({reason_of(error)}); restore the file"
        ) from error
    if len(pieces) != count:
        raise FileFormatError(f"{source}: has {count} pieces, of which sentencepiece reads {len(pieces)}")
    return SentencePieceTokenizer(processor, pieces, kind)


def _kind(found: list[Field], source: str) -> str:
    """Return the kind that the trainer's settings name; unigram if they name none."""
    number = 1
    for settings in found:
        if settings.number == _TRAINER and isinstance(settings.value, bytes):
            for field in fields(settings.value, source, offset=settings.offset):
                if field.number == _MODEL_TYPE and isinstance(field.value, int):
                    number = field.value
    if number not in KINDS:
        raise FileFormatError(f"{source}: has an unknown type of model ({number}); restore the file")
    return KINDS[number]
