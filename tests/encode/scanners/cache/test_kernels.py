"""The cache of words, compared with a dictionary."""

import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st

from rowspace.encode.scanners.cache import LONGEST, CachePool, WordCache
from rowspace.encode.scanners.cache.kernels import (
    BYTES,
    HASH_SEED,
    TAG,
    copy_ids,
    find,
    hash_step,
    insert,
    mark_of,
)

pytestmark = pytest.mark.kernels

Words = dict[bytes, list[int]]


def look_up(cache: WordCache, word: bytes, ids: list[int], *, mark: int = 0, hashed: int | None = None) -> list[int]:
    """Return the ids that the cache has for a word, else add it with these and return none."""
    if hashed is None:
        hashed = HASH_SEED
        for byte in word:
            hashed = hash_step(hashed, byte)
    data = np.frombuffer(word, np.uint8)
    found = np.full(len(ids) + 8, -1, np.int32)
    slot = find(cache.slots, cache.arena, data, 0, len(word), hashed)
    if cache.slots[slot, TAG] != 0:
        assert mark_of(cache.slots, slot) == mark
        return found[: copy_ids(cache.slots, cache.pool, slot, found, 0)].tolist()
    found[: len(ids)] = ids
    insert(cache.slots, cache.arena, cache.pool, cache.used, slot, hashed, data, 0, len(word), found, 0, len(ids), mark)
    return []


@given(st.dictionaries(st.binary(max_size=4), st.lists(st.integers(0, 2**31 - 1), max_size=4), max_size=30))
def test_every_word_has_its_own_ids(words: Words) -> None:
    cache = WordCache.empty(32)
    for word, ids in words.items():
        assert look_up(cache, word, ids, mark=len(ids)) == []
    for word, ids in words.items():
        assert look_up(cache, word, ids, mark=len(ids)) == ids


@given(st.dictionaries(st.binary(max_size=3), st.lists(st.integers(0, 9), max_size=3), max_size=12))
def test_words_with_equal_hashes_are_told_apart_by_their_bytes(words: Words) -> None:
    cache = WordCache.empty(16)
    for _ in range(2):
        found = [look_up(cache, word, ids, hashed=7) for word, ids in words.items()]
    assert found == list(words.values())


def test_a_full_cache_starts_again() -> None:
    cache = WordCache.empty(4)
    for number in range(100):
        word = str(number).encode()
        look_up(cache, word, [number, number])
        assert look_up(cache, word, [number, number]) in ([], [number, number])
        assert cache.used[0] < 4


def test_there_is_always_room_for_the_longest_word() -> None:
    cache = WordCache.empty(8)
    for number in range(20):
        assert cache.used[BYTES] + LONGEST <= cache.arena.size
        look_up(cache, bytes([number]) * LONGEST, [number] * LONGEST)
    assert cache.used.max() <= cache.arena.size


def test_a_pickled_pool_lends_an_empty_cache() -> None:
    pool = CachePool(words=4)
    with pool.borrow() as cache:
        look_up(cache, b"word", [1])
    with pickle.loads(pickle.dumps(pool)).borrow() as other:
        assert other.used.tolist() == [0, 0, 0]
        assert other.slots.shape == cache.slots.shape
