"""Allocates the private rows of the parts of a chunk in a deterministic fit."""

from typing import NamedTuple

import numpy as np

from rowspace.learn.word2vec.kernels.arrays import Ngrams, Private

__all__ = ["NGRAMS", "PARTS", "PIECES", "WORDS", "Room", "make_private", "room_of"]

PARTS = 8  # of a chunk, which are learned at once, whatever the number of threads
WORDS, NGRAMS = 8192, 32_768  # private rows of a part
PIECES = {"skipgram": 512, "cbow": 1024}  # ids that a part learns in a round; steps of CBOW cost less, copies do not
POOLS = {"skipgram": 512, "cbow": 256}  # words from which the negatives of a piece are drawn
SHORT_SENTENCE = 256  # kept words; longer sentences are cut, so that the rows of one always fit
CACHE_LINE = 8  # integers


class Room(NamedTuple):
    """The private rows of a part."""

    words: int
    ngrams: int
    sentence: int  # the most words of a sentence
    most_words: int  # different words that a sentence can have, with its negatives
    most_ngrams: int


def room_of(vocabulary_size: int, ngrams: Ngrams, negatives: int) -> Room:
    """Return the private rows of a part: enough for a piece of text, and at least for one sentence.

    Args:
        vocabulary_size: V.
        ngrams: The n-grams of the words.
        negatives: Negatives that are drawn for a window.
    """
    per_word = 1 + negatives
    longest = int(np.diff(ngrams.indptr).max(initial=0))
    most = max(NGRAMS, 4 * longest)
    sentence = max(2, min(SHORT_SENTENCE, WORDS // (2 * per_word), most // (2 * max(1, longest))))
    rows = min(vocabulary_size, WORDS), min(len(ngrams.buckets), most)
    return Room(*rows, sentence, sentence * per_word, sentence * longest)


def make_private(vocabulary_size: int, num_ngrams: int, room: Room, model: str) -> list[Private]:
    """Return the private rows of all parts, of which none is in use."""
    words, ngrams = PARTS * (1 + room.words), PARTS * room.ngrams
    first = Private(
        part=0,
        word_rows=np.full((PARTS, vocabulary_size), -1, np.int32),
        words=np.zeros(words, np.int32),
        input_uses=np.zeros(words, np.int32),
        output_uses=np.zeros(words, np.int32),
        ngram_rows=np.full((PARTS, num_ngrams), -1, np.int32),
        ngrams=np.zeros(ngrams, np.int32),
        ngram_uses=np.zeros(ngrams, np.int32),
        used=np.zeros((PARTS, CACHE_LINE), np.int64),
        piece=PIECES[model],
        pool=np.zeros((PARTS, POOLS[model]), np.int32),
        part_words=room.words,
        part_ngrams=room.ngrams,
        most_words=room.most_words,
        most_ngrams=room.most_ngrams,
    )
    return [first._replace(part=part) for part in range(PARTS)]
