"""One document after the other: its row is scored against the output row of each of its words, and of drawn ones."""

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.learn.word2vec.kernels.arrays import Ids, Plan, Scratch, Weights
from rowspace.learn.word2vec.kernels.chunk import draw_targets, next_sentence
from rowspace.learn.word2vec.kernels.skipgram import learn_skipgram
from rowspace.learn.word2vec.sampling import Sampler

__all__ = ["learn_document", "learn_documents"]


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
