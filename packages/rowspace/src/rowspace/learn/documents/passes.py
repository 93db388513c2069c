"""Passes over documents: on several threads while output rows are learned, and by itself for each inferred row."""

import zlib
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace._base.parallel import available_cores, map_ranges, split_range
from rowspace.learn.documents.options import DocumentOptions
from rowspace.learn.documents.texts import DocumentIds
from rowspace.learn.word2vec.allocation import empty_weights, make_plan, make_scratch, make_weights, seed_random
from rowspace.learn.word2vec.kernels.arrays import Fixed, Ids, Plan, Rows, Scratch, Weights
from rowspace.learn.word2vec.kernels.chunk import draw_targets, next_sentence
from rowspace.learn.word2vec.kernels.skipgram import learn_skipgram
from rowspace.learn.word2vec.sampling import Sampler, make_sampler

__all__ = ["infer_rows", "learn_document", "learn_documents", "learn_rows"]


@kernel
def learn_documents(
    ids: NDArray[np.int32],
    indptr: Ids,
    order: Ids,
    weights: Weights,
    sampler: Sampler,
    plan: Plan,
    scratch: Scratch,
) -> None:
    """Learn the documents of `order: (n,)`; the words of document i are `ids[indptr[i] : indptr[i + 1]]`."""
    for place in range(len(order)):
        document = order[place]
        alpha = plan.alpha + (plan.alpha_end - plan.alpha) * place / len(order)
        words = ids[indptr[document] : indptr[document + 1]]
        learn_document(words, document, np.float32(alpha), weights, sampler, plan, scratch)


@kernel
def learn_document(
    words: NDArray[np.int32],
    row: np.int64,
    alpha: np.float32,
    weights: Weights,
    sampler: Sampler,
    plan: Plan,
    scratch: Scratch,
) -> None:
    """Learn input row `row` from a document's words, each of which it predicts (PV-DBOW)."""
    position = 0
    while position < len(words):
        position, length = next_sentence(words, position, sampler, scratch)
        for place in range(length):
            draw_targets(place, length, weights, sampler, plan, scratch)
            scratch.context[0] = row
            learn_skipgram(1, alpha, weights, scratch)


DOCUMENTS_AT_ONCE = 256  # that a thread learns before it asks for more
INFERRED_AT_ONCE = 64


def learn_rows(
    documents: DocumentIds, counts: Ids, options: DocumentOptions, on_epoch: Callable[[int, float], None] | None
) -> tuple[Rows, Rows, list[float]]:
    """Learn the rows of documents and the output rows of words.

    Returns:
        The rows (n, dim) float32, the output rows (V, dim) float32, and the mean loss of each epoch.
    """
    number, size, kernels = len(documents.indptr) - 1, len(counts), options.for_kernels()
    rows, outputs = make_weights(number, kernels), empty_weights(size, kernels)
    weights = outputs._replace(inputs=rows.inputs)
    sampler = make_sampler(counts, sample=options.sample, ns_exponent=options.ns_exponent)
    losses = []
    for epoch in range(options.epochs):
        order = np.random.default_rng((options.seed, epoch)).permutation(number)
        ranges = split_range(number, pieces=-(-number // DOCUMENTS_AT_ONCE))

        def work(begin: int, end: int, epoch: int = epoch, order: Ids = order) -> tuple[float, float]:
            scratch = make_scratch(size, kernels)
            seed_random(scratch, options.seed, epoch, begin)
            first, last = (_alpha(options, (epoch + place / number) / options.epochs) for place in (begin, end))
            plan = make_plan(kernels, first, last)
            learn_documents(documents.ids, documents.indptr, order[begin:end], weights, sampler, plan, scratch)
            return float(scratch.tally[0]), float(scratch.tally[1])

        pairs, loss = np.sum(map_ranges(work, ranges, threads=options.workers or available_cores()), axis=0)
        losses.append(float(loss / max(1.0, pairs)))
        if on_epoch:
            on_epoch(epoch + 1, losses[-1])
    dim = options.dim
    return weights.inputs[:number, :dim].copy(), weights.outputs[:size, :dim].copy(), losses


def infer_rows(documents: DocumentIds, counts: Ids, outputs: Rows, options: DocumentOptions) -> Rows:
    """Return rows of documents that were not learned, (n, dim) float32, against fixed output rows.

    A row depends on the words of its document only: not on other documents, nor on the number of threads.
    """
    number, size, kernels = len(documents.indptr) - 1, len(counts), options.for_kernels()
    known = empty_weights(size, kernels)
    known.outputs[:size, : options.dim] = outputs
    none = np.zeros(0, np.bool_)
    fixed = Fixed(none, np.ones(len(known.outputs), np.bool_), none)
    weights = known._replace(inputs=empty_weights(number, kernels).inputs, fixed=fixed)
    sampler = make_sampler(counts, sample=options.sample, ns_exponent=options.ns_exponent)

    def work(begin: int, end: int) -> None:
        scratch, plan = make_scratch(size, kernels), make_plan(kernels, options.alpha, options.alpha)
        for row in range(begin, end):
            words = documents.ids[documents.indptr[row] : documents.indptr[row + 1]]
            seed_random(scratch, options.seed, zlib.crc32(words.data))
            for epoch in range(options.epochs):
                alpha = np.float32(_alpha(options, epoch / options.epochs))
                learn_document(words, np.int64(row), alpha, weights, sampler, plan, scratch)

    map_ranges(work, split_range(number, pieces=-(-number // INFERRED_AT_ONCE)), threads=options.workers)
    return weights.inputs[:number, : options.dim].copy()


def _alpha(options: DocumentOptions, done: float) -> float:
    """Return the learning rate when a share of the work is done."""
    return options.alpha + (options.min_alpha - options.alpha) * done
