"""What a learner gets: sentences as ids of a vocabulary, in one array, and `LearningOptions`."""

import dataclasses
import os
from array import array
from collections.abc import Iterable, Mapping, Sized
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.parallel import available_cores
from rowspace.compat.gensim.errors import ArgumentTypeError
from rowspace.compat.gensim.training.sentences import LineSentence

__all__ = ["EncodedText", "LearningOptions", "check_corpus", "encode_sentences", "sentences_of"]

END = -1


class EncodedText(NamedTuple):
    """The ids of sentences.

    `ids: (n,)` has -1 after each sentence, also after one without a known word; `sentences` and `words` are how many
    were read, unknown words too.
    """

    ids: NDArray[np.int32]
    sentences: int
    words: int


def encode_sentences(sentences: Iterable[Any], ids: Mapping[Any, int]) -> EncodedText:
    """Return the ids of sentences without words that are not in `ids`.

    >>> encode_sentences([["the", "cat"], ["a", "cat"]], {"the": 0, "cat": 1}).ids.tolist()
    [0, 1, -1, 1, -1]
    """
    found, number, words, get = array("i"), 0, 0, ids.get
    for sentence in sentences:
        listed: Any = sentence if isinstance(sentence, Sized) else list(sentence)
        found.extend([identity for identity in map(get, listed) if identity is not None])
        found.append(END)
        number += 1
        words += len(listed)
    encoded = np.frombuffer(found, np.int32) if found else np.zeros(0, np.int32)
    encoded.setflags(write=False)  # as ids of a file are, for which kernels are compiled already
    return EncodedText(encoded, number, words)


def check_corpus(corpus_iterable: Any, corpus_file: Any, *, passes: int = 1) -> None:
    """Raise `ArgumentTypeError` unless exactly one of the two is given, and it has the right type.

    Args:
        corpus_iterable: An iterable of sentences; a generator only if it is read once.
        corpus_file: A path.
        passes: How often the corpus is read.
    """
    if (corpus_iterable is None) == (corpus_file is None):
        what = "neither" if corpus_iterable is None else "both"
        raise ArgumentTypeError(f"give either corpus_iterable or corpus_file, got {what}")
    if corpus_iterable is None:
        if not isinstance(corpus_file, (str, os.PathLike)):
            raise ArgumentTypeError(f"corpus_file must be a path, got {type(corpus_file).__name__}")
    elif not isinstance(corpus_iterable, Iterable):
        raise ArgumentTypeError(f"corpus_iterable must be lists of words, got {type(corpus_iterable).__name__}")
    elif passes > 1 and iter(corpus_iterable) is corpus_iterable:
        raise ArgumentTypeError("corpus_iterable must be readable several times, but a generator is not; give a list")


def sentences_of(corpus_iterable: Any, corpus_file: Any) -> Iterable[Any]:
    """Return the sentences of the one of the two that is given."""
    return corpus_iterable if corpus_file is None else LineSentence(corpus_file)


@dataclasses.dataclass(frozen=True, kw_only=True)
class LearningOptions:
    """One call of `train`.

    Attributes:
        dim: Length of a vector.
        mode: What predicts a word, by the numbers of `kernels`.
        window, shrink: Number of neighbors on each side, and whether it is drawn from 1 to `window`.
        negatives: Negative samples of a word; 0 for none.
        softmax: Whether to learn by hierarchical softmax.
        mean: Whether vectors are averaged or summed.
        sample, ns_exponent: As of `rowspace.learn.FitOptions`.
        alpha, alpha_end: The learning rate at the start and at the end.
        epochs: Passes over the text.
        workers: Threads; more than the processor has cores are not started.
        batch_words: Words that a thread learns at a time.
        seed: Seed of all random numbers.
        words_too: Whether PV-DBOW also learns words.
        null_word: The word outside of a sentence, for concatenation.
    """

    dim: int
    mode: int
    window: int
    shrink: bool
    negatives: int
    softmax: bool
    mean: bool
    sample: float
    ns_exponent: float
    alpha: float
    alpha_end: float
    epochs: int
    workers: int
    batch_words: int
    seed: int
    words_too: bool = False
    null_word: int = 0

    def threads(self, pieces: int) -> int:
        """Return the number of threads for a number of pieces of work."""
        return max(1, min(self.workers, pieces, available_cores()))
