"""Learning with the general kernel: pieces of text go to threads, which write to the same rows without locks."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.compat.gensim.training import kernels
from rowspace.compat.gensim.training.corpus import EncodedText, LearningOptions
from rowspace.compat.gensim.training.kernels import Outputs, Parts, Rules, Scratch
from rowspace.compat.gensim.training.vocabulary import HuffmanTree
from rowspace.learn.word2vec.allocation import LOGISTIC, SOFTPLUS
from rowspace.learn.word2vec.sampling import Sampler, make_sampler

__all__ = ["GeneralLearner", "Tags", "make_outputs", "make_scratch", "sampler_of", "word_parts"]

Ids = NDArray[np.int64]


class Tags(NamedTuple):
    """The documents of each sentence: those of sentence i are `tags[starts[i] : starts[i + 1]]`."""

    tags: Ids
    starts: Ids


NO_TAGS = Tags(np.zeros(0, np.int64), np.zeros(1, np.int64))
NO_DOCUMENTS = np.zeros((0, 1), np.float32)
ONES = np.ones(1, np.float32)


class GeneralLearner:
    """Learns rows in place, one epoch at a time.

    Args:
        options: How.
        text: The sentences.
        sampler: Downsampling and negatives, by `sampler_of`.
        parts: The rows of words and documents.
        outputs: What they are scored against.
        tags: The documents of each sentence.
    """

    def __init__(
        self,
        options: LearningOptions,
        text: EncodedText,
        sampler: Sampler,
        parts: Parts,
        outputs: Outputs,
        tags: Tags = NO_TAGS,
    ) -> None:
        self.options, self.text, self.tags = options, text, tags
        self.parts, self.outputs, self.sampler = parts, outputs, sampler
        self.loss = 0.0
        ends = np.flatnonzero(text.ids < 0) + 1
        targets = np.arange(options.batch_words, len(text.ids) + options.batch_words, options.batch_words)
        chosen: Any = np.unique(np.searchsorted(ends, targets).clip(max=max(0, len(ends) - 1))) if len(ends) else []
        self._edges = [0, *(int(ends[number]) for number in chosen)]
        self._first_sentences = [0, *(int(number) + 1 for number in chosen)]
        longest = int(np.diff(ends, prepend=0).max(initial=1))
        width = outputs.tree.shape[1] if len(outputs.tree) else outputs.negative.shape[1]
        count = options.threads(len(self._edges) - 1)
        self._scratches = [make_scratch(longest, width, parts, options) for _ in range(count)]

    def run_epoch(self, epoch: int) -> None:
        """Learn the whole text once; `epoch` counts from 0."""
        pieces, lock = iter(range(len(self._edges) - 1)), threading.Lock()

        def work(scratch: Scratch) -> None:
            while True:
                with lock:
                    piece = next(pieces, None)
                if piece is None:
                    return
                self._learn(epoch, piece, scratch)

        if len(self._scratches) == 1:
            work(self._scratches[0])
        else:
            with ThreadPoolExecutor(len(self._scratches), thread_name_prefix="rowspace-learn") as pool:
                list(pool.map(work, self._scratches))
        self.loss += sum(float(scratch.tally[0]) for scratch in self._scratches)
        for scratch in self._scratches:
            scratch.tally[0] = 0

    def _learn(self, epoch: int, piece: int, scratch: Scratch) -> None:
        options = self.options
        state = np.random.SeedSequence((options.seed, epoch, piece)).generate_state(1, np.uint64)
        scratch.random[0] = state[0] | np.uint64(1)
        ids = self.text.ids[self._edges[piece] : self._edges[piece + 1]]
        done = (epoch + np.array([self._edges[piece], self._edges[piece + 1]]) / len(self.text.ids)) / options.epochs
        alphas = options.alpha + (options.alpha_end - options.alpha) * done
        first = self._first_sentences[piece]
        kernels.learn(
            ids, *self.tags, first, alphas, self.parts, self.outputs, self.sampler, rules_of(options), scratch
        )


def rules_of(options: LearningOptions, *, learns_outputs: bool = True) -> Rules:
    """Return the options in the form that the kernel reads."""
    return Rules(
        options.mode,
        options.window,
        options.shrink,
        options.negatives,
        options.mean,
        options.words_too,
        learns_outputs,
        options.null_word,
    )


def sampler_of(counts: NDArray[Any], options: LearningOptions) -> Sampler:
    """Return the sampler of words with these counts; a `sample` of 1 or more is a number of occurrences."""
    seen: NDArray[np.int64] = np.maximum(counts, 1)
    sample = options.sample if options.sample < 1 else options.sample / float(seen.sum())
    return make_sampler(seen, sample=sample, ns_exponent=options.ns_exponent)


def word_parts(words: NDArray[np.float32], rates: NDArray[np.float32]) -> Parts:
    """Return the parts of words that have one row each."""
    size = len(words)
    starts, rows = np.arange(size + 1, dtype=np.int64), np.arange(size, dtype=np.int32)
    return Parts(words, rates, starts, rows, np.zeros((0, words.shape[1]), np.float32), ONES)


def make_outputs(
    tree: NDArray[np.float32] | None, negative: NDArray[np.float32] | None, paths: HuffmanTree | None
) -> Outputs:
    """Return what hidden vectors are scored against; None for what is not learned."""
    empty = HuffmanTree(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.uint8))
    nothing = NO_DOCUMENTS
    return Outputs(nothing if tree is None else tree, nothing if negative is None else negative, *(paths or empty))


def make_scratch(longest: int, width: int, parts: Parts, options: LearningOptions) -> Scratch:
    """Return one worker's memory for sentences of at most `longest` words."""
    most = int(np.diff(parts.starts).max(initial=1))
    return Scratch(
        np.ones(1, np.uint64),
        np.zeros(longest + 1, np.int64),
        np.zeros(2 * options.window * most + 1, np.int64),
        np.zeros((1, width), np.float32),
        np.zeros((1, width), np.float32),
        LOGISTIC,
        SOFTPLUS,
        np.zeros(1),
    )
