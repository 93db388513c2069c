"""Pieces of text → the strings that a tokenizer encodes: sentences, or parts of long ones.

The scanner of words does not need them: it works on bytes and finds the ends of sentences itself.
"""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from rowspace.text.corpus.reading import Piece

__all__ = ["Run", "Sentences"]

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Run(NamedTuple):
    """Some text, and whether a sentence ends with it."""

    text: str
    ends: bool


class Sentences:
    r"""Iterates once over the sentences of pieces of text; `replaced` counts the bad UTF-8 sequences so far.

    A long sentence of several lines is divided into runs of whole lines, a line longer than a piece into several runs
    too. The end of a line is removed where a sentence ends.

    Args:
        pieces: The text.
        ends: What ends a sentence: "line", "paragraph" or "document", as in `TextOptions`.
        max_characters: From this number of characters, the lines of a sentence are a separate run.

    >>> list(Sentences([(b"a\nb\n\nc\n", True)], "paragraph"))
    [Run(text='a\nb', ends=True), Run(text='c', ends=True)]
    """

    def __init__(self, pieces: Iterable[Piece], ends: str, *, max_characters: int = 1 << 16) -> None:
        self._pieces, self._ends, self._max_characters = pieces, ends, max_characters
        self.replaced = 0

    def __iter__(self) -> Iterator[Run]:
        run, size = list[str](), 0
        inside, begun = False, False  # a line that began in an earlier piece; a sentence that began in an earlier run
        for line, last in self._lines():
            whole = line.endswith("\n")
            blank = not inside and not line.strip()
            inside = not (whole or last)
            if not blank or (self._ends == "document" and (run or begun)):
                run.append(line)
                size += len(line)
            ends = last or (whole and self._ends == "line") or (whole and blank and self._ends == "paragraph")
            if ends or size >= self._max_characters or (inside and self._ends == "line"):
                if run or (begun and ends):
                    yield Run(_joined(run, ends=ends), ends)
                run, size, begun = [], 0, (bool(run) or begun) and not ends

    def _lines(self) -> Iterator[tuple[str, bool]]:
        """Yield lines with their ends, or what a piece holds of one, and whether a document ends there."""
        begins = True
        for data, last in self._pieces:
            lines = self._decoded(data.removeprefix(_BYTE_ORDER_MARK) if begins else data).split("\n")
            begins = last
            for line in lines[:-1]:
                yield f"{line}\n", False
            if lines[-1] or last:
                yield lines[-1], last

    def _decoded(self, data: bytes) -> str:
        try:
            return data.decode()
        except UnicodeDecodeError:
            text = data.decode(errors="replace")
            self.replaced += text.count("\ufffd") - data.count("\ufffd".encode())
            return text


def _joined(lines: list[str], *, ends: bool) -> str:
    text = "".join(lines)
    return text.removesuffix("\n").removesuffix("\r") if ends else text
