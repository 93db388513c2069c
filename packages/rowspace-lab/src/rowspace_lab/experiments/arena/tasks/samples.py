"""The four tasks: samples that are short lists of units, a unit being a chunk of text or an image.

Units, samples and labels are made once. Strategies see the same ones and differ only in the form of a unit
(`model/forms.py`).
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import CorpusError
from rowspace_lab.experiments.arena.options import ArenaOptions
from rowspace_lab.experiments.arena.tasks.chunks import split_chunks
from rowspace_lab.experiments.arena.tasks.images import Pixels, digits_and_photographs, write_words

__all__ = ["CHUNKS", "Samples", "Task", "Unit", "make_tasks"]

Unit = bytes | Pixels
Ids = NDArray[np.int32]

CHUNKS = 24  # predicted in a sample of the first task
_SECTIONS, _WORDS, _FREQUENT = 8, 12, 300
_GROUPS = 400  # the most samples of a section
_HELD_OUT = 10  # one of this many blocks of text, or images, is held out
_BLOCK = 20  # samples
_ASKED = 8  # words that are written into images
_IN_IMAGES = 4000  # images with text


@dataclass(frozen=True)
class Samples:
    """Inputs and what is to be predicted.

    Attributes:
        units: (n, k) numbers of units.
        labels: (n,) classes; empty where the next bytes are predicted.
    """

    units: Ids
    labels: Ids

    def __len__(self) -> int:
        return len(self.units)


@dataclass(frozen=True)
class Task:
    """A task.

    Attributes:
        name: One of `TASKS`.
        units: Chunks of text as bytes, and images.
        train, test: The samples.
        classes: Names of the labels; none where the next bytes are predicted.
    """

    name: str
    units: Sequence[Unit]
    train: Samples
    test: Samples
    classes: tuple[str, ...] = ()


def make_tasks(documents: Sequence[str], options: ArenaOptions) -> dict[str, Task]:
    """Make the chosen tasks.

    Args:
        documents: The texts.
        options: Sizes, and which tasks.

    Raises:
        CorpusError: There is too little text.
    """
    chunks = [chunk for document in documents for chunk in split_chunks(document)]
    makers: dict[str, Callable[[Sequence[bytes], ArenaOptions], Task]] = {
        "next-bytes": _next_bytes,
        "rare-words": _rare_words,
        "images": _images,
        "text-in-images": _text_in_images,
    }
    return {name: makers[name](chunks, options) for name in options.tasks or ()}


def _next_bytes(chunks: Sequence[bytes], options: ArenaOptions) -> Task:
    """Windows of `CHUNKS` + 1 chunks; all but the first are predicted, each once."""
    units, numbers = _distinct(chunks)
    windows = max(0, len(numbers) - 1) // CHUNKS
    starts = np.arange(windows)[:, None] * CHUNKS + np.arange(CHUNKS + 1)
    samples = numbers[starts] if windows else np.zeros((0, CHUNKS + 1), np.int32)
    return _split("next-bytes", units, samples, None, options)


def _rare_words(chunks: Sequence[bytes], options: ArenaOptions) -> Task:
    """Groups of words of one section of the text, without frequent ones, half of them misspelled."""
    frequent = {chunk for chunk, _ in Counter(chunks).most_common(_FREQUENT)}
    rng = np.random.default_rng(0)
    words, labels = list[bytes](), list[int]()
    for section in range(_SECTIONS):
        part = chunks[section * len(chunks) // _SECTIONS : (section + 1) * len(chunks) // _SECTIONS]
        rare = [chunk for chunk in part if chunk not in frequent and len(chunk) > 3]
        whole = rare[: min(_GROUPS // (4 if options.quick else 1), len(rare) // _WORDS) * _WORDS]
        words += (misspell(word.decode(), rng).encode() if rng.random() < 0.5 else word for word in whole)
        labels += [section] * (len(whole) // _WORDS)
    units, numbers = _distinct(words)
    classes = tuple(f"part {section + 1} of the text" for section in range(_SECTIONS))
    return _split("rare-words", units, numbers.reshape(-1, _WORDS), labels, options, classes, block=1)


def misspell(word: str, rng: np.random.Generator) -> str:
    """Swap, drop, double or replace one character of a word, as typing errors do.

    Args:
        word: Any; its last character, which may be a space, stays.
        rng: Draws the error.
    """
    at, kind = int(rng.integers(max(1, len(word) - 2))), rng.integers(4)
    letter = word[at : at + 1]
    if kind == 0:
        return word[:at] + word[at + 1 : at + 2] + letter + word[at + 2 :]
    changed = ("", letter * 2, chr(97 + int(rng.integers(26))))[kind - 1]
    return word[:at] + changed + word[at + 1 :]


def _images(_chunks: Sequence[bytes], options: ArenaOptions) -> Task:
    """One image each: a digit, or a piece of a photograph."""
    images, labels, classes = digits_and_photographs(options.image_side)
    order = np.random.default_rng(0).permutation(len(images))
    samples = order[:, None].astype(np.int32)
    return _split("images", images, samples, [labels[number] for number in order], options, classes, block=1)


def _text_in_images(chunks: Sequence[bytes], options: ArenaOptions) -> Task:
    """The word "left" or "right" as text, and an image with two words; the label is the requested one."""
    names = _short_words(chunks)
    rng = np.random.default_rng(0)
    shape = options.strip_height, 6 * options.strip_height
    units: list[Unit] = [b"left ", b"right "]
    number = _IN_IMAGES // (4 if options.quick else 1)
    samples, labels = np.zeros((number, 2), np.int32), list[int]()
    for row in range(number):
        side, *shown = (int(rng.integers(size)) for size in (2, _ASKED, _ASKED))
        samples[row] = side, len(units)
        units.append(write_words((names[shown[0]], names[shown[1]]), shape, rng))
        labels.append(shown[side])
    return _split("text-in-images", units, samples, labels, options, names, block=1)


def _short_words(chunks: Sequence[bytes]) -> tuple[str, ...]:
    """The most frequent words of three to five letters."""
    counts = Counter(chunk[:-1].decode() for chunk in chunks if chunk[:-1].isalpha() and 4 <= len(chunk) <= 6)
    names = tuple(word for word, _ in counts.most_common(_ASKED))
    if len(names) < _ASKED:
        raise CorpusError(
            f"the text has {len(names)} words of three to five letters, but text-in-images needs {_ASKED}"
        )
    return names


def _distinct(chunks: Sequence[bytes]) -> tuple[list[Unit], Ids]:
    """Return the distinct chunks in order of appearance, and the number of each chunk's."""
    numbers = dict[bytes, int]()
    places = np.fromiter((numbers.setdefault(chunk, len(numbers)) for chunk in chunks), np.int32, len(chunks))
    return list(numbers), places


def _split(
    name: str,
    units: Sequence[Unit],
    samples: Ids,
    labels: Sequence[int] | None,
    options: ArenaOptions,
    classes: tuple[str, ...] = (),
    *,
    block: int = _BLOCK,
) -> Task:
    """Hold out every tenth block of samples, of which at most `num_held_out` are used, evenly spread."""
    held_out = (np.arange(len(samples)) // block) % _HELD_OUT == _HELD_OUT - 1
    if not held_out.any():
        raise CorpusError(
            f"the text is too short for {name}: it gives {len(samples)} inputs, and at least "
            f"{block * (_HELD_OUT - 1) + 1} are needed; give a longer text"
        )
    every = np.zeros(0, np.int32) if labels is None else np.asarray(labels, np.int32)
    test = np.flatnonzero(held_out)
    test = test[np.linspace(0, len(test) - 1, min(len(test), options.num_held_out)).astype(int)]
    train = np.flatnonzero(~held_out)
    train_labels, test_labels = (every if labels is None else every[rows] for rows in (train, test))
    return Task(name, units, Samples(samples[train], train_labels), Samples(samples[test], test_labels), classes)
