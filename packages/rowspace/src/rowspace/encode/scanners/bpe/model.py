"""The parts that every BPE model of a tokenizer.json has: options, and merges, as ids and as a hash table."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.scanners.bpe.kernels.merge import enter_merges

__all__ = ["MAX_ID", "is_plain_bpe", "merge_ids", "pairs_of", "slots_for"]

MAX_ID = 2**22  # a few times the largest vocabulary, so that a damaged file takes little memory
KEYS = {
    "type",
    "dropout",
    "unk_token",
    "continuing_subword_prefix",
    "end_of_word_suffix",
    "fuse_unk",
    "byte_fallback",
    "ignore_merges",
    "vocab",
    "merges",
}


def is_plain_bpe(model: Mapping[str, Any]) -> bool:
    """Return whether a model is BPE that only merges, and whose ids are different and not too large.

    Args:
        model: The `model` of a tokenizer.json, as the library writes it.
    """
    if model["type"] != "BPE" or model["dropout"] is not None or not model.keys() <= KEYS:
        return False
    if model["continuing_subword_prefix"] or model["end_of_word_suffix"]:
        return False
    numbers = model["vocab"].values()
    return len(set(numbers)) == len(numbers) and max(numbers, default=0) < MAX_ID


def merge_ids(merges: Sequence[Sequence[str]], vocabulary: Mapping[str, int]) -> NDArray[np.int64]:
    """Return merges of a tokenizer.json as ids: int64 (n, 3), (left, right, both), in the order of their ranks."""
    rows = [(vocabulary[left], vocabulary[right], vocabulary[left + right]) for left, right in merges]
    return np.array(rows, np.int64).reshape(-1, 3)


def pairs_of(merges: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the hash table of `find_merge` for the merges of `merge_ids`."""
    pairs = np.full((slots_for(len(merges)), 2), -1, np.int64)
    enter_merges(pairs, merges)
    return pairs


def slots_for(entries: int) -> int:
    """Return the number of slots of a hash table: a power of two, at least twice the entries."""
    return int(2 ** (2 * entries + 1).bit_length())
