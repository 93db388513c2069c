"""Allocates the kernels' arguments: aligned rows with their initial values, a plan, each worker's scratch."""

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError
from rowspace.learn.options import FitOptions
from rowspace.learn.word2vec.kernels.arrays import (
    SYNC_EVERY,
    TABLE_REACH,
    TABLE_SIZE,
    TARGETS_PER_TILE,
    WINDOWS_PER_BATCH,
    Copies,
    Fixed,
    Ids,
    Ngrams,
    Plan,
    Private,
    Rows,
    Scratch,
    Weights,
)
from rowspace.learn.word2vec.kernels.simd import LANES
from rowspace.learn.word2vec.private_rows import NGRAMS, PARTS, WORDS, room_of
from rowspace.subwords.composition import list_ngrams

__all__ = [
    "LOGISTIC",
    "NONE_FIXED",
    "SOFTPLUS",
    "add_copies",
    "available_memory",
    "bytes_needed",
    "check_memory",
    "drawn_negatives",
    "empty_weights",
    "list_used",
    "make_plan",
    "make_scratch",
    "make_weights",
    "num_workers",
    "seed_random",
]

COPIED_WORDS = 512  # the most frequent ones: six in ten of the words that are kept, with sample=1e-3
NO_ROWS: Rows = np.zeros((0, LANES), np.float32)
NONE_FIXED = Fixed(None, None, None)

CACHE_LINE = 64  # bytes
SCORES = np.linspace(-TABLE_REACH, TABLE_REACH, TABLE_SIZE + 1)
LOGISTIC = (1 / (1 + np.exp(-SCORES))).astype(np.float32)
SOFTPLUS = np.log1p(np.exp(SCORES)).astype(np.float32)
_CONTAINER_LIMIT = Path("/sys/fs/cgroup/memory.max")
ROWS_AT_ONCE = 4096  # whose initial values are drawn together
MAX_SENTENCE = 4096  # kept words; a longer sentence is cut


def list_used(vocabulary: Sequence[str], counts: Ids, options: FitOptions) -> Ngrams:
    """Return the n-grams of a vocabulary, without rows; only used buckets get rows, in order of decreasing use."""
    if not options.subwords:
        return no_ngrams()
    listed = list_ngrams(vocabulary, min_n=options.min_n, max_n=options.max_n, buckets=options.buckets)
    buckets, places = np.unique(listed.indices, return_inverse=True)
    used = np.bincount(places, np.repeat(counts, np.diff(listed.indptr)), len(buckets))
    order = np.argsort(-used, kind="stable")
    ranks = np.empty(len(order), np.int32)
    ranks[order] = np.arange(len(order), dtype=np.int32)
    return Ngrams(NO_ROWS, buckets[order].astype(np.int64), listed.indptr, ranks[places])


def no_ngrams() -> Ngrams:
    """Return the empty n-grams of a fit without subwords."""
    return Ngrams(NO_ROWS, np.zeros(0, np.int64), np.zeros(1, np.int64), np.zeros(0, np.int32))


def make_weights(vocabulary_size: int, options: FitOptions, ngrams: Ngrams | None = None) -> Weights:
    """Return initial weights: input and n-gram rows uniform in ±0.5/dim (word2vec.c), output rows zero."""
    weights = empty_weights(vocabulary_size, options, ngrams)
    generator = np.random.default_rng(options.seed)
    for rows in (weights.inputs[:vocabulary_size], weights.ngrams.rows[: len(weights.ngrams.buckets)]):
        for start in range(0, len(rows), ROWS_AT_ONCE):
            some = rows[start : start + ROWS_AT_ONCE, : options.dim]
            some[:] = (generator.random(some.shape, dtype=np.float32) - np.float32(0.5)) / np.float32(options.dim)
    return weights


def empty_weights(vocabulary_size: int, options: FitOptions, ngrams: Ngrams | None = None) -> Weights:
    """Return rows of zeros, with room for each worker's copies or private rows."""
    columns = _columns(options)
    listed = ngrams or no_ngrams()
    copied, private_ngrams = _copied_words(vocabulary_size, options), 0
    if options.deterministic:
        room = room_of(vocabulary_size, listed, drawn_negatives(options))
        copied, private_ngrams = room.words, room.ngrams
    rows = vocabulary_size + num_workers(options) * (1 + copied)
    listed = listed._replace(rows=_aligned_zeros(len(listed.buckets) + num_workers(options) * private_ngrams, columns))
    return Weights(_aligned_zeros(rows, columns), _aligned_zeros(rows, columns), listed, vocabulary_size, NONE_FIXED)


def add_copies(mask: NDArray[np.bool_], weights: Weights, options: FitOptions) -> NDArray[np.bool_]:
    """Return a mask of all input or output rows from one of the words, (V,): a copy is like its word."""
    words = _copied_words(weights.size, options)
    whole = np.zeros(len(weights.inputs), np.bool_)
    whole[: weights.size] = mask
    for worker in range(options.threads):
        first = weights.size + worker * (1 + words) + 1
        whole[first : first + words] = mask[:words]
    return whole


def bytes_needed(vocabulary_size: int, ngrams: int, options: FitOptions) -> int:
    """Return the memory of the rows, the workers' copies and scratch, and the map from bucket to row."""
    copied, row = _copied_words(vocabulary_size, options), 4 * _columns(options)
    private = min(vocabulary_size, WORDS), min(ngrams, NGRAMS)
    rows = 2 * (vocabulary_size + num_workers(options) * (1 + 2 * copied)) + ngrams
    if options.deterministic:
        rows += PARTS * (2 * private[0] + private[1])
    scratch = 2 * _composed(options) + 2 * WINDOWS_PER_BATCH
    return row * (rows + num_workers(options) * scratch) + 4 * options.buckets * options.subwords


def check_memory(vocabulary_size: int, ngrams: int, options: FitOptions) -> None:
    """Raise `UsageError` if a fit of this size needs more memory than the machine has."""
    needed, available = bytes_needed(vocabulary_size, ngrams, options), available_memory()
    if needed > available:
        raise UsageError(
            f"rows for {vocabulary_size:,} tokens with dim={options.dim} need {needed / 2**30:,.1f} GiB, but this "
            f"machine has {available / 2**30:,.1f} GiB of memory; lower dim, or keep fewer tokens"
            f"{', n-grams or buckets' if options.subwords else ''}{', or start fewer workers' * (options.threads > 1)}"
        )


def _copied_words(vocabulary_size: int, options: FitOptions) -> int:
    """Return the number of words that each worker has copies of."""
    return min(COPIED_WORDS, vocabulary_size) if options.threads > 1 and not options.deterministic else 0


def num_workers(options: FitOptions) -> int:
    """Return the number of workers: threads, or the parts of a chunk if the fit is deterministic."""
    return PARTS if options.deterministic else options.threads


def _columns(options: FitOptions) -> int:
    """Return the length of a row, rounded up to a multiple of the lanes."""
    return -(-options.dim // LANES) * LANES


def _aligned_zeros(rows: int, columns: int) -> Rows:
    """Return zeros that start on a cache line, so that no block of lanes crosses one."""
    memory = np.zeros(rows * columns * 4 + CACHE_LINE, np.uint8)
    start = -memory.ctypes.data % CACHE_LINE
    return memory[start : start + rows * columns * 4].view(np.float32).reshape(rows, columns)


def make_plan(options: FitOptions, alpha: float, alpha_end: float) -> Plan:
    """Return the options in the form that the kernel of a chunk reads."""
    return Plan(
        cbow=options.model == "cbow",
        subwords=options.subwords,
        windows_per_batch=_windows_per_batch(options),
        window=options.window,
        shrink=options.shrink_windows,
        negatives=drawn_negatives(options),
        mean=options.cbow_mean,
        exact=options.cbow_gradient == "exact",
        alpha=alpha,
        alpha_end=alpha_end,
    )


def drawn_negatives(options: FitOptions) -> int:
    """Return the number of negatives drawn at a time; CBOW's are for several windows and fill tiles."""
    return (
        -(-options.negatives // TARGETS_PER_TILE) * TARGETS_PER_TILE if options.model == "cbow" else options.negatives
    )


def _windows_per_batch(options: FitOptions) -> int:
    return WINDOWS_PER_BATCH if options.model == "cbow" else 1


def make_scratch(
    vocabulary_size: int, options: FitOptions, *, worker: int = 0, private: Private | None = None
) -> Scratch:
    """Return the scratch memory of one worker.

    Args:
        vocabulary_size: V.
        options: The options of the fit.
        worker: The worker, 0 to options.threads - 1.
        private: The private rows of a part, in place of a worker's copies.
    """
    is_cbow = options.model == "cbow"
    targets = (
        WINDOWS_PER_BATCH + drawn_negatives(options)
        if is_cbow
        else -(-(1 + options.negatives) // TARGETS_PER_TILE) * TARGETS_PER_TILE
    )
    gradients = np.zeros((max(WINDOWS_PER_BATCH, 2 * options.window), TARGETS_PER_TILE), np.float32)
    copies, longest = _make_copies(vocabulary_size, options, worker), MAX_SENTENCE
    if private is not None:
        copies = copies._replace(padding=vocabulary_size + private.part * (1 + private.part_words))
        longest = private.most_words // (1 + drawn_negatives(options))
    columns = _columns(options)
    composed = _composed(options)
    return Scratch(
        random=np.ones(1, np.uint64),
        sentence=np.zeros(longest, np.int64),
        composed_rows=np.arange(longest) & (composed - 1),
        composed=_aligned_zeros(composed + 1, columns),
        composed_before=_aligned_zeros(composed, columns),
        context=np.zeros(2 * options.window, np.int64),
        edges=np.zeros(8, np.int64),
        own_word_steps=np.zeros(WINDOWS_PER_BATCH, np.float32),
        counts=np.zeros(WINDOWS_PER_BATCH, np.int64),
        targets=np.full(targets, copies.padding, np.int64),
        gradients=gradients,
        steps=gradients.reshape(-1),
        hidden=_aligned_zeros(WINDOWS_PER_BATCH, columns),
        hidden_before=_aligned_zeros(WINDOWS_PER_BATCH, columns),
        windows=np.arange(WINDOWS_PER_BATCH),
        logistic=LOGISTIC,
        softplus=SOFTPLUS,
        tally=np.zeros(2),
        copies=copies,
        private=private,
    )


def _composed(options: FitOptions) -> int:
    """Return the number of composed words in memory: a power of two that the widest window fits into."""
    return 1 << (2 * options.window + WINDOWS_PER_BATCH).bit_length() if options.subwords else 1


def _make_copies(vocabulary_size: int, options: FitOptions, worker: int) -> Copies:
    words, columns = _copied_words(vocabulary_size, options), _columns(options)
    padding = vocabulary_size + worker * (1 + words)
    return Copies(
        words=words,
        padding=padding,
        first_row=padding + 1,
        inputs=_aligned_zeros(words, columns),
        outputs=_aligned_zeros(words, columns),
        updates_until_sync=np.full(words + 1, SYNC_EVERY, np.int64),
    )


def seed_random(scratch: Scratch, *parts: int) -> None:
    """Seed the generator with seed, epoch and chunk, so that each chunk is independent of the others."""
    state = np.random.SeedSequence(parts).generate_state(1, np.uint64)
    scratch.random[0] = state[0] | np.uint64(1)


def available_memory() -> float:
    """Return the memory of this machine or container in bytes; infinity if it is unknown."""
    try:
        physical = float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        physical = float("inf")
    try:
        return min(physical, float(_CONTAINER_LIMIT.read_text()))
    except (OSError, ValueError):  # no such file, or "max"
        return physical
