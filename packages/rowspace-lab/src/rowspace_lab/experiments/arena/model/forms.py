"""The units of a task in the form of a strategy: for each unit, ids of a vocabulary or flat patches of pixels.

Each pixel of an image is a word. For byte pairs, a row of an image is a word. Vocabularies are made from the
training samples of the task. Text becomes patches by rendering each chunk, whose width is filled up to whole patches,
so that no patch holds pixels of two chunks.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.text import HuggingFaceTokenizer, TokenizerOptions, train_tokenizer
from rowspace_lab.experiments.arena.options import ArenaOptions
from rowspace_lab.experiments.arena.strategies import Strategy
from rowspace_lab.experiments.arena.tasks.images import Pixels, pixel_bytes, render
from rowspace_lab.experiments.arena.tasks.samples import Task, Unit

__all__ = ["UNKNOWN", "Form", "make_form"]

UNKNOWN = 0  # the id of words without a row


@dataclass(frozen=True)
class Form:
    """All units of a task as a strategy sees them.

    Attributes:
        starts: (units + 1,) where the tokens of each unit start in `tokens`.
        tokens: (n,) ids, or (n, pixels) gray levels of flat patches.
        size: V, or the number of pixels of a patch.
        has_unknown: Whether id 0 is that of all words without a row.
    """

    starts: NDArray[np.int64]
    tokens: NDArray[Any]
    size: int
    has_unknown: bool = False

    @property
    def is_patches(self) -> bool:
        """Whether tokens are patches."""
        return self.tokens.ndim == 2

    @property
    def lengths(self) -> NDArray[np.int64]:
        """(units,) tokens of each unit."""
        return np.diff(self.starts)


def make_form(task: Task, strategy: Strategy, options: ArenaOptions, *, size: int | None = None) -> Form:
    """Return the units of a task in the form of a strategy.

    Args:
        task: The units, and the samples that the vocabulary is made from.
        strategy: How.
        options: The scale.
        size: V, or the side of a patch, where it is not that of the strategy at this scale.
    """
    size = strategy.size(options.scale, options.divisor) if size is None else size
    if strategy.is_patches:
        patches = [_patches(unit, size, options.strip_height) for unit in task.units]
        return _form(patches, size * size)
    if strategy.unit == "bytes":
        return _form([np.frombuffer(b"".join(_words(unit)), np.uint8) for unit in task.units], size)
    learned = np.bincount(task.train.units.ravel(), minlength=len(task.units))
    if strategy.unit == "words":
        return _word_form(task.units, learned, size)
    return _byte_pair_form(task.units, learned, size)


def _form(tokens: Sequence[NDArray[Any]], size: int, *, has_unknown: bool = False) -> Form:
    starts = np.cumsum([0, *map(len, tokens)])
    return Form(starts, np.concatenate(tokens), size, has_unknown)


def _words(unit: Unit) -> list[bytes]:
    """A chunk is a word; in an image, each pixel is."""
    if isinstance(unit, bytes):
        return [unit]
    return [bytes([pixel]) for row in pixel_bytes(unit) for pixel in row]


def _word_form(units: Sequence[Unit], learned: NDArray[np.int64], size: int) -> Form:
    counts = Counter[bytes]()
    for unit, count in zip(units, learned.tolist(), strict=True):
        for word in _words(unit) if count else ():
            counts[word] += count
    ids = {word: number for number, (word, _) in enumerate(counts.most_common(size - 1), 1)}
    tokens = [np.array([ids.get(word, UNKNOWN) for word in _words(unit)], np.int32) for unit in units]
    return _form(tokens, size, has_unknown=True)


def _byte_pair_form(units: Sequence[Unit], learned: NDArray[np.int64], size: int) -> Form:
    texts = (text for unit, count in zip(units, learned.tolist(), strict=True) for text in _lines(unit) * count)
    options = TokenizerOptions("bpe", vocabulary_size=max(size, 256), min_frequency=2)
    tokenizer = HuggingFaceTokenizer.from_json(train_tokenizer(_joined(texts), options))
    tokens = [np.concatenate([tokenizer.encode(line) for line in _lines(unit)]).astype(np.int32) for unit in units]
    return _form(tokens, max(size, 256))


def _lines(unit: Unit) -> list[str]:
    """A chunk with the space in front, where byte-pair encoding expects it; or the rows of an image."""
    if not isinstance(unit, bytes):
        return [row.decode("ascii") for row in pixel_bytes(unit)]
    text = unit.decode("utf-8")
    return [" " + text[:-1] if text.endswith(" ") else text]


def _joined(texts: Iterable[str], size: int = 1000) -> Iterator[str]:
    """Join many short texts, which the trainer reads faster; the rows of images stay apart."""
    several = list[str]()
    for text in texts:
        several.append(text)
        if len(several) == size:
            yield "\n".join(several)
            several = []
    yield "\n".join(several)


def _patches(unit: Unit, side: int, height: int) -> NDArray[np.uint8]:
    """(n, side²): of an image row by row; of a chunk column by column, so that they go from left to right."""
    pixels = render(unit.decode("utf-8"), height) if isinstance(unit, bytes) else unit
    pixels = _filled(pixels, side)
    cut = pixels.reshape(pixels.shape[0] // side, side, pixels.shape[1] // side, side)
    order = (2, 0, 1, 3) if isinstance(unit, bytes) else (0, 2, 1, 3)
    return cut.transpose(order).reshape(-1, side * side)


def _filled(pixels: Pixels, side: int) -> Pixels:
    """Add black at the bottom and on the right up to whole patches."""
    return np.pad(pixels, [(0, -size % side) for size in pixels.shape])
