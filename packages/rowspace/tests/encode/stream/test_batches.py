"""Batches of bounded size, the hash of texts, and skipping what is done."""

from itertools import chain

import pytest
from hypothesis import given, strategies as st

from rowspace.encode.stream.sources import MAX_CHARACTERS, MIN_TEXTS, TextDigest, batches_of, skip_texts
from rowspace.errors import UsageError

LISTS = st.lists(st.lists(st.text(max_size=3), max_size=5), max_size=6)


def joined(lists):
    return list(chain.from_iterable(lists))


def digest_of(*lists):
    digest = TextDigest()
    for texts in lists:
        digest.add(texts)
    return digest.hex()


@given(LISTS, st.integers(1, 7))
def test_batches_have_all_texts_in_order_and_are_bounded(lists, most):
    batches = list(batches_of(lists, limit=most))
    assert joined(batches) == joined(lists)
    assert all(0 < len(batch) <= most for batch in batches)


def test_batches_of_long_texts_are_small():
    long = "x" * (MAX_CHARACTERS // 2 + 1)
    assert [len(batch) for batch in batches_of([["a", long, long, "b"], [long]], limit=10)] == [2, 2, 1]
    assert [len(batch) for batch in batches_of([[long * 3, "b"]], limit=10)] == [1, 1]


def test_small_lists_are_joined():
    assert [len(batch) for batch in batches_of([["a"]] * (MIN_TEXTS + 1), limit=1 << 20)] == [MIN_TEXTS, 1]


@given(LISTS)
def test_digest_does_not_depend_on_the_lists(lists):
    assert digest_of(*lists) == digest_of(joined(lists))


def test_digest_depends_on_texts_and_their_order():
    different = [["a", "b"], ["b", "a"], ["ab"], ["a", "b", ""], ["a"], ["a", "\ud800"], ["a", "é"], []]
    assert len({digest_of(texts) for texts in different}) == len(different)


@given(LISTS, st.data())
def test_skipping_leaves_the_rest(lists, data):
    texts = joined(lists)
    count = data.draw(st.integers(0, len(texts)))
    digest = TextDigest()
    if count or lists:
        rest = skip_texts(iter(lists), count, digest_of(texts[:count]), digest)
        assert joined(rest) == texts[count:]
        assert digest.hex() == digest_of(texts[:count])


def test_other_texts_are_refused():
    expected = digest_of(["a", "b"])
    with pytest.raises(UsageError, match="the first 2 texts of the source differ from those encoded before; it is not"):
        list(skip_texts(iter([["a", "c", "d"]]), 2, expected, TextDigest()))
    with pytest.raises(UsageError, match="the source has only 1 text, but 2 were encoded before"):
        list(skip_texts(iter([["a"]]), 2, expected, TextDigest()))
