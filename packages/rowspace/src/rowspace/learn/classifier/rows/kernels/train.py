"""Rows of features and outputs of labels, learned one text after the other by stochastic gradient descent.

A text is the mean of the rows of its features; the outputs predict its label from the mean. A row gets the gradient of
the mean divided by the number of features, as in fastText (Joulin et al. 2017).
"""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.learn.word2vec.kernels.draws import below, random_bits

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
    "learn",
    "merge",
]

Rows = NDArray[np.float32]
Longs = NDArray[np.int64]
Ids = NDArray[np.int32]

AT_ONCE = 4  # outputs that softmax reads with the mean once
MERGE_EVERY = 32  # texts that a thread learns in its own outputs before others see them
HIERARCHICAL, NEGATIVE, SOFTMAX, ONE_VS_ALL = 1, 2, 3, 4  # fastText's codes


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
    outputs: Rows  # (labels, d); of a tree, one for each inner node


class Nodes(NamedTuple):
    """The nodes above each label in a Huffman tree, and the labels that are drawn as negatives."""

    indptr: Longs  # (labels + 1,)
    nodes: Ids
    is_right: NDArray[np.bool_]
    negatives: Ids  # labels, in proportion to the square root of their counts
    drawn: int  # negatives for each text


class Scratch(NamedTuple):
    """The memory of one thread.

    With several threads each learns in `outputs` of its own, since all of them would write the same outputs for each
    text, and wait for each other's caches: two threads were slower than one.
    """

    hidden: Rows  # (d,)
    gradient: Rows  # (d,)
    scores: Rows  # (labels,)
    random: NDArray[np.uint64]  # (1,)
    outputs: Rows  # (labels, d), zeros at first; or (0, d), to learn in those of the net
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
        size = mean_row(examples, text, net.inputs, scratch.hidden)
        if first == last or size == 0:
            continue
        rate = rates[0] + (rates[1] - rates[0]) * np.float32(place) / np.float32(len(order))
        rate *= examples.weights[text]
        for column in range(len(scratch.gradient)):
            scratch.gradient[column] = 0
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
        for column in range(len(scratch.gradient)):
            scratch.gradient[column] *= scale
        add_to_rows(examples, text, net.inputs, scratch.gradient)
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
    for column in range(len(hidden)):
        hidden[column] = 0
    size, words = 0, len(examples.part_indptr) - 1
    for place in range(examples.indptr[text], examples.indptr[text + 1]):
        feature = np.uint64(examples.features[place])
        if feature < words:
            for part in range(examples.part_indptr[feature], examples.part_indptr[feature + 1]):
                row = np.uint64(examples.parts[part])
                for column in range(len(hidden)):
                    hidden[column] += inputs[row, column]
                size += 1
        else:
            for column in range(len(hidden)):
                hidden[column] += inputs[feature, column]
            size += 1
    scale = np.float32(1) / np.float32(max(1, size))
    for column in range(len(hidden)):
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
                for column in range(len(gradient)):
                    inputs[row, column] += gradient[column]
        else:
            for column in range(len(gradient)):
                inputs[feature, column] += gradient[column]


@kernel
def learn_softmax(label: int, rate: np.float32, outputs: Rows, scratch: Scratch) -> float:
    """Learn one label against all others; returns the loss."""
    scores, most = scratch.scores, np.float32(-np.inf)
    whole = len(outputs) // AT_ONCE * AT_ONCE
    for other in range(0, whole, AT_ONCE):
        score_four(outputs, other, scratch.hidden, scores)
    for other in range(whole, len(outputs)):
        scores[other] = dot(outputs, other, scratch.hidden)
    for other in range(len(outputs)):
        most = max(most, scores[other])
    total = np.float32(0)
    for other in range(len(outputs)):
        scores[other] = np.exp(scores[other] - most)
        total += scores[other]
    loss, scale = -math.log(scores[label] / total + 1e-10), rate / total
    for other in range(len(outputs)):
        scores[other] *= -scale
    scores[label] += rate
    for other in range(0, whole, AT_ONCE):
        move_four(outputs, other, scratch)
    for other in range(whole, len(outputs)):
        move(outputs, other, scores[other], scratch)
    return loss


@kernel
def learn_all(labels: Ids, rate: np.float32, outputs: Rows, scratch: Scratch) -> float:
    """Learn for each label whether the text has it; returns the loss."""
    total = 0.0
    for other in range(len(outputs)):
        is_right = False
        for label in labels:
            is_right |= label == other
        total += learn_binary(other, is_right, rate, outputs, scratch)
    return total


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
    score = dot(outputs, row, scratch.hidden)
    share = np.float32(1) / (np.float32(1) + np.exp(-score))
    move(outputs, row, rate * (np.float32(is_right) - share), scratch)
    return -math.log((share if is_right else np.float32(1) - share) + 1e-10)


@kernel
def dot(outputs: Rows, row: int, hidden: Rows) -> np.float32:
    """Return the product of an output and the mean."""
    total = np.float32(0)
    for column in range(len(hidden)):
        total += outputs[row, column] * hidden[column]
    return total


@kernel
def move(outputs: Rows, row: int, step: np.float32, scratch: Scratch) -> None:
    """Add a step to an output, and its part to the gradient of the mean."""
    for column in range(len(scratch.hidden)):
        value = outputs[row, column]
        scratch.gradient[column] += step * value
        outputs[row, column] = value + step * scratch.hidden[column]


@kernel
def score_four(outputs: Rows, first: int, hidden: Rows, scores: Rows) -> None:
    """Write the products of four outputs and the mean, which reads the mean once."""
    total_0, total_1, total_2, total_3 = np.float32(0), np.float32(0), np.float32(0), np.float32(0)
    row = np.uint64(first)
    for column in range(len(hidden)):
        value = hidden[column]
        total_0 += outputs[row, column] * value
        total_1 += outputs[row + np.uint64(1), column] * value
        total_2 += outputs[row + np.uint64(2), column] * value
        total_3 += outputs[row + np.uint64(3), column] * value
    scores[first], scores[first + 1], scores[first + 2], scores[first + 3] = total_0, total_1, total_2, total_3


@kernel
def move_four(outputs: Rows, first: int, scratch: Scratch) -> None:
    """Add the steps in `scratch.scores` to four outputs, and their parts to the gradient of the mean."""
    row = np.uint64(first)
    step_0, step_1 = scratch.scores[first], scratch.scores[first + 1]
    step_2, step_3 = scratch.scores[first + 2], scratch.scores[first + 3]
    for column in range(len(scratch.hidden)):
        mean = scratch.hidden[column]
        value_0, value_1 = outputs[row, column], outputs[row + np.uint64(1), column]
        value_2, value_3 = outputs[row + np.uint64(2), column], outputs[row + np.uint64(3), column]
        scratch.gradient[column] += step_0 * value_0 + step_1 * value_1 + step_2 * value_2 + step_3 * value_3
        outputs[row, column] = value_0 + step_0 * mean
        outputs[row + np.uint64(1), column] = value_1 + step_1 * mean
        outputs[row + np.uint64(2), column] = value_2 + step_2 * mean
        outputs[row + np.uint64(3), column] = value_3 + step_3 * mean
