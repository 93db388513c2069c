"""The cache of words, compared with a dictionary."""

import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st

from rowspace.encode.scanners.cache import MAX_WORD, Pool, WordCache
from rowspace.encode.scanners.cache.kernels import (
    BYTES,
    KEY,
    LONG,
    copy_ids,
    find,
    insert,
    key_of,
    mark_of,
)
from rowspace.encode.scanners.cache.word_cache import SIZE

pytestmark = pytest.mark.kernels

Words = dict[bytes, list[int]]


def look_up(cache: WordCache, word: bytes, ids: list[int], *, mark: int = 0, key: int | None = None) -> list[int]:
    """Return the ids that the cache has for a word, else add it with these and return none."""
    slots, arena, pool, _ = cache
    data = np.frombuffer(word, np.uint8)
    key = key_of(data, 0, len(word)) if key is None else key
    found = np.full(len(ids) + 8, -1, np.int32)
    slot = find(slots, arena, pool, data, 0, len(word), key)
    if slots[slot, KEY] != 0:
        assert mark_of(slots, slot) == mark
        return found[: copy_ids(slots, pool, slot, found, 0)].tolist()
    found[: len(ids)] = ids
    insert(cache, slot, key, data, found[: len(ids)], mark)
    return []


@given(st.dictionaries(st.binary(max_size=10), st.lists(st.integers(0, 2**31 - 1), max_size=4), max_size=30))
def test_every_word_has_its_own_ids(words: Words) -> None:
    cache = WordCache.empty(32)
    for word, ids in words.items():
        assert look_up(cache, word, ids, mark=len(ids)) == []
    for word, ids in words.items():
        assert look_up(cache, word, ids, mark=len(ids)) == ids


@given(st.dictionaries(st.binary(min_size=9, max_size=9), st.lists(st.integers(0, 9), max_size=3), max_size=12))
def test_long_words_with_equal_hashes_are_compared_by_their_bytes(words: Words) -> None:
    cache = WordCache.empty(16)
    for _ in range(2):
        found = [look_up(cache, word, ids, key=LONG | 7) for word, ids in words.items()]
    assert found == list(words.values())


def test_a_full_cache_starts_again() -> None:
    cache = WordCache.empty(4)
    for number in range(100):
        word = str(number).encode()
        look_up(cache, word, [number, number])
        assert look_up(cache, word, [number, number]) in ([], [number, number])
        assert cache.used[0] < 4


def test_a_growing_cache_keeps_all_words() -> None:
    cache = WordCache.empty(2**13)
    words = [str(number).encode() for number in range(99, 6000, 7)] + [b"%020d" % number for number in range(4000)]
    for number, word in enumerate(words):
        look_up(cache, word, [number] * (number % 3))
    assert cache.slots[0, SIZE] == 2**14
    for number, word in enumerate(words):
        assert look_up(cache, word, [number] * (number % 3)) == [number] * (number % 3)


def test_there_is_always_room_for_the_longest_word() -> None:
    cache = WordCache.empty(8)
    for number in range(20):
        assert cache.used[BYTES] + MAX_WORD <= cache.arena.size
        look_up(cache, bytes([number]) * MAX_WORD, [number] * MAX_WORD)
    assert cache.used.max() <= cache.arena.size


def test_a_pickled_pool_lends_an_empty_cache() -> None:
    pool = Pool(WordCache.empty)
    cache = pool.take()
    look_up(cache, b"word", [1])
    pool.give_back(cache)
    other = pickle.loads(pickle.dumps(pool)).take()
    assert other.used.tolist() == [0, 0, 0]
    assert other.slots.shape == cache.slots.shape
