"""Sentences of files, one on a line: what is passed to a model as its corpus."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rowspace.compat.gensim.opening import open_binary
from rowspace.errors import UsageError

__all__ = ["BrownCorpus", "LineSentence", "PathLineSentences", "Text8Corpus"]

MAX_SENTENCE_LENGTH = 10_000  # words
READ_AT_ONCE = 1 << 13  # bytes


class LineSentence:
    r"""The lines of a file as lists of words, which are separated by white space.

    Args:
        source: A path, which may end in .gz, .bz2 or .xz, or an open binary file.
        max_sentence_length: A longer line becomes several sentences.
        limit: Read only the first lines.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder, "corpus.txt")
        ...     _ = path.write_text("the cat sat\non the mat\n")
        ...     list(LineSentence(path))
        [['the', 'cat', 'sat'], ['on', 'the', 'mat']]
    """

    def __init__(self, source: Any, max_sentence_length: int = MAX_SENTENCE_LENGTH, limit: int | None = None) -> None:
        self.source = source
        self.max_sentence_length = max_sentence_length
        self.limit = limit

    def __iter__(self) -> Iterator[list[str]]:
        with open_binary(self.source) as file:
            for line in itertools.islice(file, self.limit):
                words = line.decode("utf-8", "strict").split()
                for start in range(0, len(words), self.max_sentence_length):
                    yield words[start : start + self.max_sentence_length]


class PathLineSentences:
    """The lines of all files of a folder, in the order of their names, as `LineSentence` yields them.

    Args:
        source: A folder, or one file.
        max_sentence_length: A longer line becomes several sentences.
        limit: Read only the first lines of each file.

    Raises:
        UsageError: There is no such folder or file.
    """

    def __init__(self, source: Any, max_sentence_length: int = MAX_SENTENCE_LENGTH, limit: int | None = None) -> None:
        self.source = source
        self.max_sentence_length = max_sentence_length
        self.limit = limit
        path = Path(source)
        if path.is_file():
            self.input_files = [str(path)]
        elif path.is_dir():
            self.input_files = sorted(str(file) for file in path.iterdir() if file.is_file())
        else:
            raise UsageError(f"{str(source)!r} is neither a file nor a folder; check the path")

    def __iter__(self) -> Iterator[list[str]]:
        for file in self.input_files:
            yield from LineSentence(file, self.max_sentence_length, self.limit)


class Text8Corpus:
    """A file of words without line ends, such as text8, as sentences of equal length.

    Args:
        fname: A path.
        max_sentence_length: Number of words of a sentence.
    """

    def __init__(self, fname: Any, max_sentence_length: int = MAX_SENTENCE_LENGTH) -> None:
        self.fname = fname
        self.max_sentence_length = max_sentence_length

    def __iter__(self) -> Iterator[list[str]]:
        with open_binary(self.fname) as file:
            words = self._words(file)
            while sentence := list(itertools.islice(words, self.max_sentence_length)):
                yield sentence

    def _words(self, file: Any) -> Iterator[str]:
        rest = b""
        while block := file.read(READ_AT_ONCE):
            rest += block
            *whole, rest = rest.split(b" ") if b" " in rest else [rest]
            yield from (word for piece in whole for word in piece.decode().split())
        yield from rest.decode().split()


class BrownCorpus:
    """The Brown corpus as NLTK has it: lines of "word/TAG", as lists of "word/TA" in lower case.

    Args:
        dirname: The folder.
    """

    def __init__(self, dirname: Any) -> None:
        self.dirname = dirname

    def __iter__(self) -> Iterator[list[str]]:
        for path in sorted(Path(self.dirname).iterdir()):
            for line in path.read_text("utf-8").splitlines() if path.is_file() else ():
                tagged = [token.split("/") for token in line.split() if len(token.split("/")) == 2]
                words = [f"{word.lower()}/{tag[:2]}" for word, tag in tagged if tag[:1].isalpha()]
                if words:
                    yield words
