"""Ids as flat arrays, compared with the `tokenizers` library's own."""

import json
from random import Random

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray
from tokenizers import Tokenizer, pre_tokenizers
from tokenizers.models import BPE

from rowspace.encode.flat_tokenizer import FlatTokenizer, _fill
from rowspace.encode.texts import FlatIds, TextBuffer
from rowspace.errors import FileFormatError
from rowspace.text import whitespace_json

JSON = whitespace_json(["the", "cat", "é"])


def test_ids_equal_those_of_the_library() -> None:
    texts = ["the cat", "", "a é", "\ud800 cat", "the " * 3000] * 400
    flat = FlatTokenizer(JSON).encode(texts)
    library = Tokenizer.from_str(JSON)
    expected = [library.encode(text.replace("\ud800", "\ufffd"), add_special_tokens=False).ids for text in texts[:5]]
    assert [flat.ids[a:b].tolist() for a, b in zip(flat.indptr[:5], flat.indptr[1:6], strict=True)] == expected
    assert flat.indptr.size == len(texts) + 1
    assert flat.ids.size == 400 * sum(map(len, expected))


def test_usage_counts_texts_and_bytes() -> None:
    tokenizer = FlatTokenizer(JSON)
    tokenizer.encode(["é", "ab"])
    assert (tokenizer.usage.library_texts, tokenizer.usage.library_bytes) == (2, 4)
    assert (tokenizer.usage.scanned_texts, tokenizer.usage.scanned_bytes) == (0, 0)


def test_tokens_that_share_an_id_are_left_to_the_library() -> None:
    # The library writes only one of them to a tokenizer.json, so that no scanner could know the other.
    alphabet = {token: number for number, token in enumerate(pre_tokenizers.ByteLevel.alphabet())}
    document = json.loads(Tokenizer(BPE(alphabet, [])).to_str())
    document["pre_tokenizer"] = json.loads(pre_tokenizers.ByteLevel(add_prefix_space=False).__getstate__())
    assert FlatTokenizer(json.dumps(document)).scanner is not None
    document["model"]["vocab"]["ab"] = alphabet["a"]
    document["model"] |= {"ignore_merges": True}
    tokenizer = FlatTokenizer(json.dumps(document))
    assert tokenizer.scanner is None
    assert tokenizer.encode(["ab"]).ids.tolist() == [alphabet["a"]]


def test_damaged_json_is_refused() -> None:
    with pytest.raises(FileFormatError, match="the tokenizer: "):
        FlatTokenizer("{}")


@given(st.lists(st.text(max_size=5), max_size=6))
def test_buffer_gives_texts_back(texts: list[str]) -> None:
    buffer = TextBuffer.of(texts)
    assert [buffer.text(index) for index in range(len(texts))] == texts


@given(st.lists(st.lists(st.integers(0, 9), max_size=4), max_size=6), st.randoms())
def test_fill_puts_lists_in_their_places(lists: list[list[int]], random: Random) -> None:
    left: NDArray[np.int64] = np.array([i for i in range(len(lists)) if random.random() < 0.5], np.int64)
    ids = FlatIds.of([[] if i in left else each for i, each in enumerate(lists)])
    filled = _fill(ids, left, FlatIds.of([lists[i] for i in left]))
    expected = FlatIds.of(lists)
    assert filled.ids.tolist() == expected.ids.tolist()
    assert filled.indptr.tolist() == expected.indptr.tolist()
