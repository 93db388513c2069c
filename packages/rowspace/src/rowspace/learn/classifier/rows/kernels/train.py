"""Rows of features and outputs of labels, learned one text after the other by stochastic gradient descent.

A text is the mean of the rows of its features; the outputs predict its label from the mean. A row gets the gradient of
the mean divided by the number of features, as in fastText (Joulin et al. 2017).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import exact_kernel, kernel
from rowspace.learn.word2vec.kernels.draws import below, random_bits
from rowspace.learn.word2vec.kernels.simd import LANES, broadcast, fma, load, store, sum_lanes

__all__ = [
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
AT_ONCE = 4  # outputs that are read with the mean once
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

    hidden: Rows  # (1, w), the mean, and zeros from column d on
    gradient: Rows  # (1, w)
    scores: Rows  # (labels,)
    random: NDArray[np.uint64]  # (1,)
    outputs: Rows  # (labels, w), zeros at first; or (0, w), to learn in those of the net
    merged: Rows  # likewise: the outputs after the last merge


@kernel
def learn(examples: Examples, order: Longs, loss: int, rates: Rows, net: Net, nodes: Nodes, scratch: Scratch) -> float:
    """Learn the texts of `order`, with a rate from `rates[0]` to `rates[1]`; returns the sum of their losses."""
    total = 0.0
    outputs = scratch.outputs if len(scratch.outputs) > 0 else net.outputs
    for place in range(len(order)):
        if place % MERGE_EVERY == 0:
            merge(net.outputs, scratch)
        text = order[place]
        first, last = examples.label_indptr[text], examples.label_indptr[text + 1]
        size = mean_row(examples, text, net.inputs, scratch.hidden[0])
        if first == last or size == 0:
            continue
        rate = rates[0] + (rates[1] - rates[0]) * np.float32(place) / np.float32(len(order))
        rate *= examples.weights[text]
        for column in range(scratch.gradient.shape[1]):
            scratch.gradient[0, column] = 0
        label = examples.labels[first]
        if last - first > 1 and loss != ONE_VS_ALL:  # one of several labels
            label = examples.labels[first + below(last - first, random_bits(scratch.random))]
        if loss == SOFTMAX:
            total += learn_softmax(label, rate, outputs, scratch)
        elif loss == ONE_VS_ALL:
            total += learn_all(examples.labels[first:last], rate, outputs, scratch)
        elif loss == HIERARCHICAL:
            for node in range(nodes.indptr[label], nodes.indptr[label + 1]):
                total += learn_binary(nodes.nodes[node], nodes.is_right[node], rate, outputs, scratch)
        else:
            total += learn_negatives(label, examples.labels[first:last], rate, outputs, nodes, scratch)
        scale = np.float32(1) / np.float32(size)
        for column in range(scratch.gradient.shape[1]):
            scratch.gradient[0, column] *= scale
        add_to_rows(examples, text, net.inputs, scratch.gradient[0])
    merge(net.outputs, scratch)
    return total


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
def learn_softmax(label: int, rate: np.float32, outputs: Rows, scratch: Scratch) -> float:
    """Learn one label against all others; returns the loss."""
    scores, total = scratch.scores, np.float32(0)
    most = score_all(outputs, scratch.hidden, scores)
    for other in range(len(outputs)):
        scores[other] -= most
    exponentiate(scores)
    for other in range(len(outputs)):
        total += scores[other]
    loss, scale = -math.log(scores[label] / total + TINY), rate / total
    for other in range(len(outputs)):
        scores[other] *= -scale
    scores[label] += rate
    move_all(outputs, scores, scratch.hidden, scratch.gradient)
    return loss


@kernel
def learn_all(labels: Ids, rate: np.float32, outputs: Rows, scratch: Scratch) -> float:
    """Learn for each label whether the text has it; returns the loss."""
    scores, loss, product = scratch.scores, 0.0, 1.0
    score_all(outputs, scratch.hidden, scores)
    for other in range(len(outputs)):
        scores[other] = -scores[other]
    exponentiate(scores)
    for other in range(len(outputs)):
        scores[other] = np.float32(-1) / (np.float32(1) + scores[other])
    for label in labels:
        scores[label] += np.float32(1)
    for other in range(len(outputs)):  # one logarithm for many of them
        product *= 1 - abs(scores[other]) + TINY
        if product < LEAST_PRODUCT:
            loss, product = loss - math.log(product), 1.0
        scores[other] *= rate
    move_all(outputs, scores, scratch.hidden, scratch.gradient)
    return loss - math.log(product)


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
    share = np.float32(1) / (np.float32(1) + np.exp(-score_one(outputs, row, scratch.hidden)))
    move_one(outputs, row, rate * (np.float32(is_right) - share), scratch.hidden, scratch.gradient)
    return -math.log((share if is_right else np.float32(1) - share) + TINY)


@kernel
def score_all(outputs: Rows, hidden: Rows, scores: Rows) -> np.float32:
    """Write the product of each output and the mean; returns the greatest."""
    whole, zero, most = len(outputs) // AT_ONCE * AT_ONCE, broadcast(np.float32(0)), np.float32(-np.inf)
    for row in range(0, whole, AT_ONCE):
        total_0, total_1, total_2, total_3 = zero, zero, zero, zero
        for column in range(0, outputs.shape[1], LANES):
            mean = load(hidden, 0, column)
            total_0 = fma(load(outputs, row, column), mean, total_0)
            total_1 = fma(load(outputs, row + 1, column), mean, total_1)
            total_2 = fma(load(outputs, row + 2, column), mean, total_2)
            total_3 = fma(load(outputs, row + 3, column), mean, total_3)
        scores[row], scores[row + 1] = sum_lanes(total_0), sum_lanes(total_1)
        scores[row + 2], scores[row + 3] = sum_lanes(total_2), sum_lanes(total_3)
        left, right = max(scores[row], scores[row + 1]), max(scores[row + 2], scores[row + 3])
        most = max(most, left, right)
    for row in range(whole, len(outputs)):
        scores[row] = score_one(outputs, row, hidden)
        most = max(most, scores[row])
    return most


@kernel
def score_one(outputs: Rows, row: int, hidden: Rows) -> np.float32:
    """Return the product of an output and the mean."""
    total = broadcast(np.float32(0))
    for column in range(0, outputs.shape[1], LANES):
        total = fma(load(outputs, row, column), load(hidden, 0, column), total)
    return sum_lanes(total)


@kernel
def move_all(outputs: Rows, steps: Rows, hidden: Rows, gradient: Rows) -> None:
    """Add to each output its step times the mean, and the steps' parts to the gradient of the mean."""
    whole = len(outputs) // AT_ONCE * AT_ONCE
    for row in range(0, whole, AT_ONCE):
        step_0, step_1 = broadcast(steps[row]), broadcast(steps[row + 1])
        step_2, step_3 = broadcast(steps[row + 2]), broadcast(steps[row + 3])
        for column in range(0, outputs.shape[1], LANES):
            mean = load(hidden, 0, column)
            value_0, value_1 = load(outputs, row, column), load(outputs, row + 1, column)
            value_2, value_3 = load(outputs, row + 2, column), load(outputs, row + 3, column)
            some = fma(step_1, value_1, fma(step_0, value_0, load(gradient, 0, column)))
            store(gradient, 0, column, fma(step_3, value_3, fma(step_2, value_2, some)))
            store(outputs, row, column, fma(step_0, mean, value_0))
            store(outputs, row + 1, column, fma(step_1, mean, value_1))
            store(outputs, row + 2, column, fma(step_2, mean, value_2))
            store(outputs, row + 3, column, fma(step_3, mean, value_3))
    for row in range(whole, len(outputs)):
        move_one(outputs, row, steps[row], hidden, gradient)


@kernel
def move_one(outputs: Rows, row: int, step: np.float32, hidden: Rows, gradient: Rows) -> None:
    """Add to an output a step times the mean, and the step's part to the gradient of the mean."""
    each = broadcast(step)
    for column in range(0, outputs.shape[1], LANES):
        value = load(outputs, row, column)
        store(gradient, 0, column, fma(each, value, load(gradient, 0, column)))
        store(outputs, row, column, fma(each, load(hidden, 0, column), value))


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
