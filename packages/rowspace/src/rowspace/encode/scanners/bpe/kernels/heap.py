"""Many symbols → ids: the same merges as `merge.py`, taken from a heap, in n log n time."""

import numpy as np
from numpy.typing import NDArray

from rowspace._base.jit import kernel
from rowspace.encode.scanners.bpe.kernels.merge import ID_MASK, NO_MERGE, find_merge, merge_few

__all__ = ["HEAP_SPACE", "merge_many", "merge_symbols"]

HEAP_SPACE = 5  # numbers of scratch for each symbol
FEW = 48  # symbols up to which looking at all neighbors is faster than a heap


@kernel
def merge_symbols(pairs: NDArray[np.int64], ids: NDArray[np.int32], count: int, scratch: NDArray[np.int64]) -> int:
    """Merge the symbols ids[:count] in place; return how many are left. The arguments are those of `merge_many`."""
    if count <= FEW:
        return merge_few(pairs, ids, count, scratch)
    return merge_many(pairs, ids, count, scratch)


@kernel
def merge_many(pairs: NDArray[np.int64], ids: NDArray[np.int32], count: int, scratch: NDArray[np.int64]) -> int:
    """Merge the symbols ids[:count] in place; return how many are left. The arguments are those of `merge_few`.

    `scratch` has room for `HEAP_SPACE` numbers for each symbol.

    Symbols are linked in both directions and named by their first place. Each entry of the heap is rank << 32 | symbol,
    and is out of date if the pair at the symbol is another by now: no two pairs have the same rank.
    """
    values, after = scratch[:count], scratch[count : 2 * count]
    before, heap = scratch[2 * count : 3 * count], scratch[3 * count : 5 * count]
    size = 0
    for index in range(count):
        after[index], before[index] = index + 1, index - 1
    for index in range(count):
        size = link(index, count, pairs, ids, values, after, heap, size)
    while size > 0:
        entry = heap[0]
        size = pop(heap, size)
        place = entry & ID_MASK
        if values[place] == NO_MERGE or values[place] >> 32 != entry >> 32:
            continue
        ids[place] = values[place] & ID_MASK
        removed = after[place]
        values[removed] = NO_MERGE
        after[place] = after[removed]
        if after[place] < count:
            before[after[place]] = place
        size = link(place, count, pairs, ids, values, after, heap, size)
        if before[place] >= 0:
            size = link(before[place], count, pairs, ids, values, after, heap, size)
    return gather(ids, after, count)


@kernel
def link(  # the state of one loop
    place: int,
    count: int,
    pairs: NDArray[np.int64],
    ids: NDArray[np.int32],
    values: NDArray[np.int64],
    after: NDArray[np.int64],
    heap: NDArray[np.int64],
    size: int,
) -> int:
    """Look up the merge of the symbol at `place` and the next, enter it in the heap, and return the heap's new size."""
    values[place] = NO_MERGE if after[place] >= count else find_merge(pairs, ids[place], ids[after[place]])
    if values[place] == NO_MERGE:
        return size
    return push(heap, size, ((values[place] >> 32) << 32) | place)


@kernel
def gather(ids: NDArray[np.int32], after: NDArray[np.int64], count: int) -> int:
    """Move the symbols that are left next to each other; return how many."""
    place, written = 0, 0
    while place < count:
        ids[written] = ids[place]
        written += 1
        place = after[place]
    return written


@kernel
def push(heap: NDArray[np.int64], size: int, entry: int) -> int:
    """Add an entry to a heap with the lowest at index 0; return its new size."""
    place = size
    while place > 0 and heap[(place - 1) >> 1] > entry:
        heap[place] = heap[(place - 1) >> 1]
        place = (place - 1) >> 1
    heap[place] = entry
    return size + 1


@kernel
def pop(heap: NDArray[np.int64], size: int) -> int:
    """Remove the lowest entry of a heap; return its new size."""
    size -= 1
    entry, place, child = heap[size], 0, 1
    while child < size:
        if child + 1 < size and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= entry:
            break
        heap[place] = heap[child]
        place, child = child, 2 * child + 1
    heap[place] = entry
    return size
