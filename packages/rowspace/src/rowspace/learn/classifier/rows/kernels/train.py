"""Rows of features and outputs of labels, learned by stochastic gradient descent, from one text or a few at a time.

A text is the mean of the rows of its features; the outputs predict its label from the mean. A row gets the gradient of
the mean divided by the number of features, as in fastText (Joulin et al. 2017).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import exact_kernel, kernel, prefetch
from rowspace.learn.word2vec.kernels.draws import below, random_bits
from rowspace.learn.word2vec.kernels.simd import LANES, broadcast, fma, load, store, sum_lanes

__all__ = [
    "AT_ONCE",
    "HIERARCHICAL",
    "MERGE_EVERY",
    "NEGATIVE",
    "ONE_VS_ALL",
    "SOFTMAX",
    "Examples",
    "Net",
    "Nodes",
    "Scratch",
    "exponentiate",
    "learn",
    "merge",
    "move_all",
    "score_all",
]

Rows = NDArray[np.float32]
Longs = NDArray[np.int64]
Ids = NDArray[np.int32]

MERGE_EVERY = 32  # texts that a thread learns in its own outputs before others see them
HIERARCHICAL, NEGATIVE, SOFTMAX, ONE_VS_ALL = 1, 2, 3, 4  # fastText's codes
TINY, LEAST_PRODUCT = 1e-10, 1e-250
AT_ONCE = 4  # texts whose labels are scored, and whose outputs are moved, by one pass over the outputs
MOST_RATE = 1 / 3  # for so many, whose steps add up; from 0.5 on they can diverge where one by one they do not
LEAST, MOST = -87.0, 88.0  # e to these is a normal float32
LOG2_E, LN_2 = 1.4426950408889634, 0.6931471805599453
ROUNDING = 12582912.0  # 1.5 × 2^23: a float32 of this size has no place after the point


class Examples(NamedTuple):
    """Texts and their labels."""

    indptr: Longs  # (n + 1,)
    features: Ids  # a word, or V plus the row of a bucket
    part_indptr: Longs  # (V + 1,), or (1,) if a word has no parts but itself
    parts: Ids  # the features of each word
    label_indptr: Longs  # (n + 1,)
    labels: Ids
    weights: Rows  # (n,), of the gradient


class Net(NamedTuple):
    """What is learned."""

    inputs: Rows  # (V + used buckets, d)
    outputs: Rows  # (labels, w), zeros from column d on; of a tree, one for each inner node


class Nodes(NamedTuple):
    """The nodes above each label in a Huffman tree, and the labels that are drawn as negatives."""

    indptr: Longs  # (labels + 1,)
    nodes: Ids
    is_right: NDArray[np.bool_]
    negatives: Ids  # labels, in proportion to the square root of their counts
    drawn: int  # negatives for each text


class Scratch(NamedTuple):
    """The memory of one thread.

    With several threads each learns in `outputs` of its own, since all would write the same outputs for each text, and
    wait for each other's caches.
    """

    hidden: Rows  # (AT_ONCE, w), the means of texts, and zeros from column d on
    gradient: Rows  # (AT_ONCE, w)
    scores: Rows  # (AT_ONCE, labels)
    greatest: Rows  # (AT_ONCE,), of the scores
    sizes: Longs  # (AT_ONCE,), how many features each text has
    random: NDArray[np.uint64]  # (1,)
    outputs: Rows  # (labels, w), zeros at first; or (0, w), to learn in those of the net
    merged: Rows  # likewise: the outputs after the last merge


@kernel
def learn(examples: Examples, order: Longs, loss: int, rates: Rows, net: Net, nodes: Nodes, scratch: Scratch) -> float:
    """Learn the texts of `order`, with a rate from `rates[0]` to `rates[1]`; returns the sum of their losses.

    Where all outputs are learned, and the rate is low, `AT_ONCE` texts are scored before any of them moves the outputs:
    reading these takes most of the time, since many labels do not fit into the first cache.
    """
    total, learns_all = 0.0, loss in (SOFTMAX, ONE_VS_ALL)
    at_once = AT_ONCE if learns_all and rates[0] <= MOST_RATE else 1
    outputs = scratch.outputs if len(scratch.outputs) > 0 else net.outputs
    for begin in range(0, len(order), at_once):
        if begin % MERGE_EVERY == 0:
            merge(net.outputs, scratch)
        texts = order[begin : begin + at_once]
        for lane in range(at_once):
            scratch.gradient[lane], scratch.sizes[lane] = 0, 0
            if lane < len(texts) and examples.label_indptr[texts[lane]] < examples.label_indptr[texts[lane] + 1]:
                scratch.sizes[lane] = mean_row(examples, texts[lane], net.inputs, scratch.hidden[lane])
        prefetch_texts(examples, order, begin + at_once, at_once, net.inputs)
        rate = rates[0] + (rates[1] - rates[0]) * np.float32(begin) / np.float32(len(order))
        if learns_all:
            total += learn_all(examples, texts, loss, rate, outputs, scratch)
        elif scratch.sizes[0] > 0:
            total += learn_some(examples, texts[0], loss, rate, outputs, nodes, scratch)
        for lane in range(at_once):
            if scratch.sizes[lane] > 0:
                scale = np.float32(1) / np.float32(scratch.sizes[lane])
                for column in range(scratch.gradient.shape[1]):
                    scratch.gradient[lane, column] *= scale
                add_to_rows(examples, texts[lane], net.inputs, scratch.gradient[lane])
    merge(net.outputs, scratch)
    return total


@kernel
def prefetch_texts(examples: Examples, order: Longs, begin: int, number: int, inputs: Rows) -> None:
    """Prefetch the rows of some texts from `begin` on, and the features of as many after them.

    Rows of n-grams of characters are not prefetched: it made no difference.
    """
    for place in range(begin, min(begin + number, len(order))):
        text = order[place]
        for feature in examples.features[examples.indptr[text] : examples.indptr[text + 1]]:
            prefetch(inputs, feature)
    for place in range(begin + number, min(begin + 2 * number, len(order))):
        prefetch(examples.features, examples.indptr[order[place]])


@kernel
def merge(outputs: Rows, scratch: Scratch) -> None:
    """Add what a thread has learned since the last merge to the outputs, and begin again from their sum."""
    for row in range(len(scratch.outputs)):
        for column in range(outputs.shape[1]):
            value = outputs[row, column] + (scratch.outputs[row, column] - scratch.merged[row, column])
            outputs[row, column] = scratch.outputs[row, column] = scratch.merged[row, column] = value


@kernel
def mean_row(examples: Examples, text: int, inputs: Rows, hidden: Rows) -> int:
    """Write the mean of the rows of a text's features; returns their number."""
    for column in range(inputs.shape[1]):
        hidden[column] = 0
    size, words = 0, len(examples.part_indptr) - 1
    for place in range(examples.indptr[text], examples.indptr[text + 1]):
        feature = np.uint64(examples.features[place])
        if feature < words:
            for part in range(examples.part_indptr[feature], examples.part_indptr[feature + 1]):
                row = np.uint64(examples.parts[part])
                for column in range(inputs.shape[1]):
                    hidden[column] += inputs[row, column]
                size += 1
        else:
            for column in range(inputs.shape[1]):
                hidden[column] += inputs[feature, column]
            size += 1
    scale = np.float32(1) / np.float32(max(1, size))
    for column in range(inputs.shape[1]):
        hidden[column] *= scale
    return size


@kernel
def add_to_rows(examples: Examples, text: int, inputs: Rows, gradient: Rows) -> None:
    """Add the same numbers to the row of each of a text's features."""
    words = len(examples.part_indptr) - 1
    for place in range(examples.indptr[text], examples.indptr[text + 1]):
        feature = np.uint64(examples.features[place])
        if feature < words:
            for part in range(examples.part_indptr[feature], examples.part_indptr[feature + 1]):
                row = np.uint64(examples.parts[part])
                for column in range(inputs.shape[1]):
                    inputs[row, column] += gradient[column]
        else:
            for column in range(inputs.shape[1]):
                inputs[feature, column] += gradient[column]


@kernel
def one_label(examples: Examples, text: int, scratch: Scratch) -> int:
    """Return the label of a text, drawn if it has several."""
    first, last = examples.label_indptr[text], examples.label_indptr[text + 1]
    drawn = below(last - first, random_bits(scratch.random)) if last - first > 1 else 0
    return np.int64(examples.labels[first + drawn])  # type: ignore[return-value]  # an int to Numba


@kernel
def learn_all(examples: Examples, texts: Longs, loss: int, rate: np.float32, outputs: Rows, scratch: Scratch) -> float:
    """Learn the labels of up to `AT_ONCE` texts by all outputs; returns the sum of the losses."""
    total = 0.0
    score_all(outputs, scratch.hidden, scratch.scores, scratch.greatest)
    for lane in range(AT_ONCE):
        scores = scratch.scores[lane]
        if scratch.sizes[lane] == 0:
            scores[:] = 0
            continue
        text = texts[lane]
        own_rate = rate * examples.weights[text]
        if loss == SOFTMAX:
            total += softmax_steps(one_label(examples, text, scratch), own_rate, scratch.greatest[lane], scores)
        else:
            labels = examples.labels[examples.label_indptr[text] : examples.label_indptr[text + 1]]
            total += binary_steps(labels, own_rate, scores)
    move_all(outputs, scratch.scores, scratch.hidden, scratch.gradient)
    return total


@kernel
def softmax_steps(label: int, rate: np.float32, greatest: np.float32, scores: Rows) -> float:
    """Replace scores by the steps of outputs for one label against all others; returns the loss."""
    total = np.float32(0)
    for other in range(len(scores)):
        scores[other] -= greatest
    exponentiate(scores)
    for other in range(len(scores)):
        total += scores[other]
    loss, scale = -math.log(scores[label] / total + TINY), rate / total
    for other in range(len(scores)):
        scores[other] *= -scale
    scores[label] += rate
    return loss


@kernel
def binary_steps(labels: Ids, rate: np.float32, scores: Rows) -> float:
    """Replace scores by the steps of outputs for each label that the text has or has not; returns the loss."""
    loss, product = 0.0, 1.0
    for other in range(len(scores)):
        scores[other] = -scores[other]
    exponentiate(scores)
    for other in range(len(scores)):
        scores[other] = np.float32(-1) / (np.float32(1) + scores[other])
    for label in labels:
        scores[label] += np.float32(1)
    for other in range(len(scores)):  # one logarithm for many of them
        product *= 1 - abs(scores[other]) + TINY
        if product < LEAST_PRODUCT:
            loss, product = loss - math.log(product), 1.0
        scores[other] *= rate
    return loss - math.log(product)


@kernel
def learn_some(
    examples: Examples, text: int, loss: int, rate: np.float32, outputs: Rows, nodes: Nodes, scratch: Scratch
) -> float:
    """Learn a label of a text by the nodes above it, or against drawn labels; returns the loss."""
    label, total = one_label(examples, text, scratch), 0.0
    rate *= examples.weights[text]
    if loss == HIERARCHICAL:
        for node in range(nodes.indptr[label], nodes.indptr[label + 1]):
            total += learn_binary(nodes.nodes[node], nodes.is_right[node], rate, outputs, scratch)
        return total
    labels = examples.labels[examples.label_indptr[text] : examples.label_indptr[text + 1]]
    return learn_negatives(label, labels, rate, outputs, nodes, scratch)


@kernel
def learn_negatives(label: int, labels: Ids, rate: np.float32, outputs: Rows, nodes: Nodes, scratch: Scratch) -> float:
    """Learn one label against drawn ones; returns the loss."""
    total = learn_binary(label, True, rate, outputs, scratch)
    for _ in range(nodes.drawn if len(outputs) > 1 else 0):
        other = nodes.negatives[below(len(nodes.negatives), random_bits(scratch.random))]
        if other != label:
            total += learn_binary(other, False, rate, outputs, scratch)
    return total


@kernel
def learn_binary(row: int, is_right: bool, rate: np.float32, outputs: Rows, scratch: Scratch) -> float:
    """Learn one output against a yes or no; returns the loss."""
    total = broadcast(np.float32(0))
    for column in range(0, outputs.shape[1], LANES):
        total = fma(load(outputs, row, column), load(scratch.hidden, 0, column), total)
    share = np.float32(1) / (np.float32(1) + np.exp(-sum_lanes(total)))
    step = broadcast(rate * (np.float32(is_right) - share))
    for column in range(0, outputs.shape[1], LANES):
        value = load(outputs, row, column)
        store(scratch.gradient, 0, column, fma(step, value, load(scratch.gradient, 0, column)))
        store(outputs, row, column, fma(step, load(scratch.hidden, 0, column), value))
    return -math.log((share if is_right else np.float32(1) - share) + TINY)


@kernel
def score_all(outputs: Rows, hidden: Rows, scores: Rows, greatest: Rows) -> None:
    """Write the products of outputs and `AT_ONCE` means, and the greatest of each mean; two outputs at once."""
    zero, least = broadcast(np.float32(0)), np.float32(-np.inf)
    most_0, most_1, most_2, most_3 = least, least, least, least
    for first in range(0, len(outputs), 2):
        second = min(first + 1, len(outputs) - 1)
        left_0, left_1, left_2, left_3 = zero, zero, zero, zero
        right_0, right_1, right_2, right_3 = zero, zero, zero, zero
        for column in range(0, outputs.shape[1], LANES):
            left, right = load(outputs, first, column), load(outputs, second, column)
            mean_0, mean_1 = load(hidden, 0, column), load(hidden, 1, column)
            mean_2, mean_3 = load(hidden, 2, column), load(hidden, 3, column)
            left_0, left_1 = fma(left, mean_0, left_0), fma(left, mean_1, left_1)
            left_2, left_3 = fma(left, mean_2, left_2), fma(left, mean_3, left_3)
            right_0, right_1 = fma(right, mean_0, right_0), fma(right, mean_1, right_1)
            right_2, right_3 = fma(right, mean_2, right_2), fma(right, mean_3, right_3)
        scores[0, first], scores[0, second] = sum_lanes(left_0), sum_lanes(right_0)
        scores[1, first], scores[1, second] = sum_lanes(left_1), sum_lanes(right_1)
        scores[2, first], scores[2, second] = sum_lanes(left_2), sum_lanes(right_2)
        scores[3, first], scores[3, second] = sum_lanes(left_3), sum_lanes(right_3)
        most_0, most_1 = (
            max(most_0, scores[0, first], scores[0, second]),
            max(most_1, scores[1, first], scores[1, second]),
        )
        most_2, most_3 = (
            max(most_2, scores[2, first], scores[2, second]),
            max(most_3, scores[3, first], scores[3, second]),
        )
    greatest[0], greatest[1], greatest[2], greatest[3] = most_0, most_1, most_2, most_3


@kernel
def move_all(outputs: Rows, steps: Rows, hidden: Rows, gradient: Rows) -> None:
    """Add to each output its steps times the means, and the steps' parts to the gradients of the means.

    A block of columns of the means and of their gradients stays in registers for all outputs.
    """
    for column in range(0, outputs.shape[1], LANES):
        mean_0, mean_1 = load(hidden, 0, column), load(hidden, 1, column)
        mean_2, mean_3 = load(hidden, 2, column), load(hidden, 3, column)
        total_0, total_1 = load(gradient, 0, column), load(gradient, 1, column)
        total_2, total_3 = load(gradient, 2, column), load(gradient, 3, column)
        for row in range(len(outputs)):
            step_0, step_1 = broadcast(steps[0, row]), broadcast(steps[1, row])
            step_2, step_3 = broadcast(steps[2, row]), broadcast(steps[3, row])
            value = load(outputs, row, column)
            total_0, total_1 = fma(step_0, value, total_0), fma(step_1, value, total_1)
            total_2, total_3 = fma(step_2, value, total_2), fma(step_3, value, total_3)
            moved = fma(step_1, mean_1, fma(step_0, mean_0, value))
            store(outputs, row, column, fma(step_3, mean_3, fma(step_2, mean_2, moved)))
        store(gradient, 0, column, total_0)
        store(gradient, 1, column, total_1)
        store(gradient, 2, column, total_2)
        store(gradient, 3, column, total_3)


@exact_kernel
def exponentiate(values: Rows) -> None:
    """Replace each value by its exponential, between that of -87 and that of 88; NaN stays.

    e^x = 2^n e^(r ln 2), where n is the whole number nearest to x / ln 2, and r the rest. The compiler makes vectors of
    this, not of `exp`. Relative errors are below 1e-5.
    """
    for place in range(len(values)):
        scaled = min(max(values[place], np.float32(LEAST)), np.float32(MOST)) * np.float32(LOG2_E)
        rounded = np.float32(scaled + np.float32(ROUNDING))  # its last bits are n
        rest = (scaled - (rounded - np.float32(ROUNDING))) * np.float32(LN_2)
        power = np.float32(1 / 720)
        for inverse in (1 / 120, 1 / 24, 1 / 6, 1 / 2, 1.0, 1.0):
            power = power * rest + np.float32(inverse)
        exponent = np.int32((np.float32(rounded).view(np.int32) << np.int32(23)) + np.int32(127 << 23))
        values[place] = power * np.int32(exponent).view(np.float32)
