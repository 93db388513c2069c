"""A piece → the tokens with the highest sum of scores, exactly as the `tokenizers` library finds them.

Source: Kudo 2018. Sums are of float64 and from left to right; of equal sums the one found first is kept, which is that
with the earlier beginning.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import exact_kernel, kernel
from rowspace.encode.scanners.trie import NO_NODE, step
from rowspace.text.characters.kernels import number

__all__ = ["Lattice", "UnigramModel", "best_tokens"]


class UnigramModel(NamedTuple):
    """The model.

    `trie`: of `build_trie`. `scores` float64: that of each token. `byte_ids` int32 (256,): the ids of bytes, or -1. The
    id of the unknown token or -1, and its score.
    """

    trie: NDArray[np.int64]
    scores: NDArray[np.float64]
    byte_ids: NDArray[np.int32]
    unknown: int
    unknown_score: float


class Lattice(NamedTuple):
    """Room for a piece.

    `text` uint8: its bytes. `sums`, `starts`, `tokens`: for each place in it the best sum of tokens that end there,
    where the last of them begins, and which it is. `ids` int32, which are written from the end.
    """

    text: NDArray[np.uint8]
    sums: NDArray[np.float64]
    starts: NDArray[np.int32]
    tokens: NDArray[np.int32]
    ids: NDArray[np.int32]


@exact_kernel
def best_tokens(lattice: Lattice, size: int, model: UnigramModel) -> int:
    """Write the ids of text[:size] to the end of `ids`; return how many, or -1 if there is no unknown token."""
    text, sums, starts, tokens, _ = lattice
    sums[0] = 0.0
    starts[: size + 1] = -1
    begin = 0
    while begin < size:
        lead = number(text, begin)
        width = 1 + (lead >= 0xC0) + (lead >= 0xE0) + (lead >= 0xF0)
        before, node, index, is_token = sums[begin], 0, begin, False
        while index < size and node != NO_NODE:
            node, token = step(model.trie, node, number(text, index))
            index += 1
            if token >= 0:
                total = model.scores[token] + before
                if starts[index] < 0 or total > sums[index]:
                    sums[index], starts[index], tokens[index] = total, begin, token
                is_token = is_token or index - begin == width
        if not is_token:
            if model.unknown < 0:
                return -1
            total, index = model.unknown_score + before, begin + width
            if starts[index] < 0 or total > sums[index]:
                sums[index], starts[index], tokens[index] = total, begin, model.unknown
        begin += width
    return backtrack(lattice, size, model)


@kernel
def backtrack(lattice: Lattice, size: int, model: UnigramModel) -> int:
    """Write the ids of the best path to the end of `ids`, unknown tokens next to each other as one; return how many."""
    text, _, starts, tokens, ids = lattice
    place, end = ids.size, size
    while end > 0:
        begin, token = starts[end], tokens[end]
        if token == model.unknown:
            while begin > 0 and tokens[begin] == model.unknown:
                begin = starts[begin]
            place = write_unknown(text, begin, end, model, ids, place)
        else:
            place -= 1
            ids[place] = token
        end = begin
    return int(ids.size - place)


@kernel
def write_unknown(
    text: NDArray[np.uint8], begin: int, end: int, model: UnigramModel, ids: NDArray[np.int32], place: int
) -> int:
    """Write the ids of unknown characters before `place`: a token, the bytes, or the unknown token; return where."""
    node, token, index = 0, -1, begin
    while index < end and node != NO_NODE:
        node, token = step(model.trie, node, number(text, index))
        index += 1
    if index == end and token >= 0:
        ids[place - 1] = token
        return place - 1
    for index in range(begin, end):
        if model.byte_ids[text[index]] < 0:
            ids[place - 1] = model.unknown
            return place - 1
    for index in range(begin, end):
        ids[place - (end - index)] = model.byte_ids[text[index]]
    return place - (end - begin)
