"""Ids of byte-level BPE, compared with those of the `tokenizers` library."""

import pickle
import random
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given, strategies as st
from tests.encode.scanners.byte_bpe.tokenizers_of_kinds import TEXT, trained
from tests.encode.scanners.code_points import ASSIGNED
from tests.encode.scanners.library_ids import expect_ids, library_ids
from tokenizers import AddedToken, Tokenizer

from rowspace.encode.flat_tokenizer import FlatTokenizer
from rowspace.encode.scanners.byte_bpe import ByteBpeScanner
from rowspace.encode.texts import FlatIds, TextBuffer

pytestmark = pytest.mark.kernels

CASES = {
    "gpt2": trained("gpt2", added=("<|endoftext|>",)),
    "gpt2 with a blank in front": trained("gpt2", prefix_space=True),
    "llama3": trained("llama3", ignore_merges=True, added=("<|eot_id|>", "<")),
    "qwen2": trained("qwen2", nfc=True, added=("<|im_start|>",)),
}
FLAT = {name: FlatTokenizer(tokenizer.to_str()) for name, tokenizer in CASES.items()}
AWKWARD = [
    "",
    " ",
    "\n",
    "a",
    "é",
    "e\u0301",
    "안녕",
    "😀",
    "\x00",
    "\u0301",
    " \u00a0x",
    "'\u017f",
    "x" * 9,
    "<|eot_id|>",
    "a<b",
]


def lists(flat: FlatIds) -> list[list[int]]:
    """Return the ids of each text."""
    return [flat.ids[a:b].tolist() for a, b in zip(flat.indptr[:-1], flat.indptr[1:], strict=True)]


def assert_same_ids(texts: Sequence[str]) -> None:
    """Compare all kinds on some texts."""
    for name, tokenizer in CASES.items():
        expect_ids(FLAT[name].encode(texts), texts, library_ids(tokenizer, texts))


@given(st.lists(st.text(max_size=30), max_size=5))
def test_any_texts(texts: list[str]) -> None:
    assert_same_ids(texts)


@given(st.lists(st.sampled_from([*AWKWARD, *TEXT[:400], "'s", "the", " cat", "12345", "<|im_start|>"]), max_size=30))
def test_awkward_parts_next_to_each_other(parts: list[str]) -> None:
    assert_same_ids(["".join(parts), *parts])


def test_awkward_texts_twice() -> None:
    # The second time from memory
    assert_same_ids(AWKWARD + TEXT.splitlines() + AWKWARD)


@pytest.mark.large
def test_very_long_words(long_form: bool) -> None:
    size = 1_000_000 if long_form else 50_000
    letters = "".join(random.Random(1).choices("abcdethons", k=size))
    assert_same_ids([letters, "a" * size, "é" * (size // 2), " " * size, "\n " * (size // 2), "=" * size + "ab"])


@pytest.mark.large
def test_more_pieces_than_the_memory_holds() -> None:
    chooser = random.Random(2)
    words = ["".join(chooser.choices("etaoinshr", k=chooser.randint(4, 22))) for _ in range(80_000)]
    texts = [" ".join(words[start : start + 50]) for start in range(0, len(words), 50)]
    for _ in range(2):
        assert lists(FLAT["gpt2"].encode(texts)) == list(library_ids(CASES["gpt2"], texts))


@pytest.mark.large
@pytest.mark.long
def test_every_code_point_between_letters_digits_and_blanks() -> None:
    codes = [chr(code) for code in ASSIGNED]
    contexts = [f"{c} {c}a{c}b1{c}2'{c}\n{c}" for c in codes]
    assert_same_ids(["ab".join(contexts[start : start + 64]) for start in range(0, len(codes), 64)] + codes)


def test_texts_that_the_scanner_leaves() -> None:
    texts = ["a", "<|endoftext|>", "x<|endoftext|", "e\u0301", "é", "<|im_start|>user"]
    buffer = TextBuffer.of(texts)
    for name, left in (("gpt2", []), ("gpt2 with a blank in front", []), ("qwen2", [3])):
        scanner = FLAT[name].scanner
        assert scanner is not None
        ids, found = scanner.scan(buffer, 0, len(texts))
        assert found.tolist() == left
        assert all(not lists(ids)[index] for index in left)


def test_added_tokens_of_all_kinds() -> None:
    added = ["<|a|>", "<|a|>b", AddedToken("<l>", lstrip=True), AddedToken("the", single_word=True), AddedToken("é")]
    parts = ["<|a|>", "<|a|>b", "b", "<l>", " ", "  ", "the", "é", "e\u0301", "'s", "<", "|", "1", "\n"]
    random_parts = random.Random(4)
    texts = ["".join(random_parts.choices(parts, k=random_parts.randint(1, 7))) for _ in range(600)]
    for kind, nfc, prefix in (("gpt2", False, False), ("gpt2", False, True), ("qwen2", True, False)):
        for chosen, share in ((added, 0.1), (added[:2], 0.1 if prefix else 0.7), (added[4:], 0.1 if prefix else 0.5)):
            tokenizer = Tokenizer.from_str(trained(kind, nfc=nfc, prefix_space=prefix).to_str())
            tokenizer.add_special_tokens([token for token in chosen if isinstance(token, str)])
            tokenizer.add_tokens([token for token in chosen if not isinstance(token, str)])
            flat = FlatTokenizer(tokenizer.to_str())
            assert lists(flat.encode(texts)) == list(library_ids(tokenizer, texts))
            assert flat.usage.scanned_texts >= share * len(texts), (kind, nfc, prefix, chosen)


def test_a_part_of_the_texts() -> None:
    texts = ["the cat", "on", "", "the mat"]
    for name, tokenizer in CASES.items():
        flat = FLAT[name].encode_range(TextBuffer.of(texts), 1, 4)
        assert lists(flat) == list(library_ids(tokenizer, texts[1:]))


def test_usage_counts_texts_left_to_the_library() -> None:
    flat = FlatTokenizer(CASES["qwen2"].to_str())
    flat.encode(["the", "e\u0301"])
    assert (flat.usage.scanned_texts, flat.usage.library_texts, flat.usage.scanned_bytes) == (1, 1, 3)


@pytest.mark.large
def test_threads_do_not_disturb_each_other() -> None:
    texts = TEXT.splitlines() * 20
    buffer = TextBuffer.of(texts)
    flat = FlatTokenizer(CASES["llama3"].to_str())
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: lists(flat.encode_range(buffer, 0, len(texts))), range(8)))
    assert found == [list(library_ids(CASES["llama3"], texts))] * 8


def test_a_pickled_scanner_gives_the_same_ids() -> None:
    scanner = FLAT["qwen2"].scanner
    assert isinstance(scanner, ByteBpeScanner)
    buffer = TextBuffer.of(["The cat's mat"])
    scanner.scan(buffer, 0, 1)
    copy = pickle.loads(pickle.dumps(scanner))
    assert lists(copy.scan(buffer, 0, 1)[0]) == lists(scanner.scan(buffer, 0, 1)[0])
