"""Ids of SentencePiece-like BPE, compared with those of the `tokenizers` library."""

import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.encode.scanners.sentencepiece.parity import PARTS, TEXTS, check, check_scanned, every_code_point, made_of
from tests.encode.scanners.sentencepiece.tokenizers_of_kinds import (
    CODE,
    SPECIAL,
    bpe_model,
    gemma,
    llama,
    llama_metaspace,
    pairs_of_tokens,
    with_tokens,
)
from tokenizers import AddedToken, Tokenizer, models, normalizers, pre_tokenizers, processors

from rowspace.encode import FlatTokenizer, TextBuffer
from rowspace.encode.scanners.sentencepiece import recognize_sentencepiece_bpe

pytestmark = pytest.mark.kernels

KINDS = {
    "llama": llama(),
    "llama without a blank in front": llama(prefix=False),
    "metaspace first": llama_metaspace("first"),
    "metaspace always": llama_metaspace("always"),
    "metaspace never": llama_metaspace("never"),
    "metaspace split": llama_metaspace("always", split=True),
    "gemma": gemma(),
}
FLAT = {name: FlatTokenizer(tokenizer.to_str()) for name, tokenizer in KINDS.items()}


def test_all_texts_are_scanned_with_the_ids_of_the_library() -> None:
    for name, tokenizer in KINDS.items():
        check(tokenizer, [*TEXTS, CODE], scanned=1, flat=FLAT[name])


@given(st.lists(st.text(max_size=20), max_size=5))
def test_any_text(texts: list[str]) -> None:
    for name in ("llama", "metaspace first", "gemma"):
        check(KINDS[name], texts, scanned=1, flat=FLAT[name])


def test_tokens_next_to_each_other() -> None:
    for name in ("llama", "metaspace split"):
        check(KINDS[name], pairs_of_tokens(KINDS[name]), scanned=1, flat=FLAT[name])


def test_added_tokens_split_a_text() -> None:
    parts = [*PARTS, "<|im_start|>", "<|im_start|>x", "x", "<", "<|", "[M]", "é9", "<|im_start|>user\n"]
    for tokenizer in KINDS.values():
        made = Tokenizer.from_str(tokenizer.to_str())
        with_tokens(made, *SPECIAL, "<|im_start|>", "<|im_start|>x", "<")
        check(made, made_of(parts, 200), scanned=1)
        with_tokens(
            made, AddedToken("[M]", lstrip=True), AddedToken("é 9", normalized=True), AddedToken("x", rstrip=True)
        )
        check(made, made_of([*parts, "é 9", "é▁9"], 200), scanned=0.1)


@pytest.mark.large
def test_very_long_words() -> None:
    random = Random(1)
    letters = "".join(random.choices("thecat", k=100_000))
    texts = [
        letters,
        "a" * 100_000,
        " " * 50_000,
        "é" * 20_000,
        "日本語" * 5_000,
        "\n\t" * 20_000,
        "😀" * 5000,
        "a " * 50_000,
    ]
    for name in ("llama", "metaspace split"):
        check(KINDS[name], texts, scanned=1, flat=FLAT[name])


@pytest.mark.large
@pytest.mark.long
def test_a_word_of_a_megabyte() -> None:
    check(KINDS["llama"], ["".join(Random(2).choices("thecat日", k=1_000_000)), "e" * 1_000_000], scanned=1)


def test_sampled_code_points() -> None:
    check(KINDS["llama"], every_code_point(step=191), scanned=1, flat=FLAT["llama"])


@pytest.mark.large
@pytest.mark.long
def test_every_code_point() -> None:
    texts = every_code_point()
    together = ["".join(texts[first : first + 64]) for first in range(0, len(texts), 64)]
    for name in ("llama", "metaspace first"):
        assert check_scanned(KINDS[name], FLAT[name], together) == 1
    assert check_scanned(KINDS["llama"], FLAT["llama"], texts[: 2 * 0x3000]) == 1


def test_threads_share_a_scanner() -> None:
    flat = FlatTokenizer(KINDS["llama"].to_str())
    expected = flat.encode(TEXTS)
    with ThreadPoolExecutor(4) as threads:
        for found in threads.map(flat.encode, [TEXTS] * 8):
            assert np.array_equal(found.ids, expected.ids)


def test_a_pickled_scanner_gives_the_same_ids() -> None:
    scanner = recognized(KINDS["gemma"])
    assert scanner is not None
    buffer = TextBuffer.of(["zero", "The cat's mat", "last"])
    expected = scanner.scan(buffer, 1, 2)[0]
    again = pickle.loads(pickle.dumps(scanner)).scan(buffer, 1, 2)[0]
    assert again.ids.tolist() == expected.ids.tolist()


def recognized(tokenizer: Tokenizer, **changes: Any) -> Any:
    """Return the scanner for a tokenizer after changes to parts of its tokenizer.json."""
    document = json.loads(tokenizer.to_str())
    for name, value in changes.items():
        document[name] = document[name] | value if isinstance(value, dict) and document[name] else value
    return recognize_sentencepiece_bpe(document)


def test_other_steps_are_left_to_the_library() -> None:
    for steps in (
        {"normalizer": normalizers.Prepend("▁")},
        {"normalizer": normalizers.Sequence([normalizers.NFC(), normalizers.Replace(" ", "▁")])},
        {"normalizer": normalizers.Sequence([normalizers.Prepend("x"), normalizers.Replace(" ", "▁")])},
        {"normalizer": normalizers.Sequence([normalizers.Replace(" ", "▁"), normalizers.Prepend(" ")])},
        {"normalizer": normalizers.Replace(" ", "_")},
        {"normalizer": None},
        {"pre_tokenizer": pre_tokenizers.Whitespace()},
        {"pre_tokenizer": pre_tokenizers.Metaspace("_")},
        {"post_processor": processors.TemplateProcessing(single="$A $A", special_tokens=[])},
    ):
        tokenizer = Tokenizer.from_str(KINDS["llama"].to_str())
        for name, step in steps.items():
            setattr(tokenizer, name, step)
        assert recognized(tokenizer) is None, steps
    blank_in_front = Tokenizer.from_str(KINDS["llama"].to_str())
    blank_in_front.normalizer = normalizers.Sequence([normalizers.Prepend(" "), normalizers.Replace(" ", "▁")])
    check(blank_in_front, TEXTS, scanned=1)


def test_other_models_are_left_to_the_library() -> None:
    model = json.loads(KINDS["llama"].to_str())["model"]
    without_byte = {token: number for token, number in model["vocab"].items() if token != "<0xE2>"}
    without_mark = {token: number for token, number in model["vocab"].items() if "▁" not in token}
    joins_bytes = {"vocab": model["vocab"] | {"<0xE2>a": 9999}, "merges": [["<0xE2>", "a"]]}
    for change in (
        {"byte_fallback": False},
        {"ignore_merges": True},
        {"dropout": 0.1},
        {"end_of_word_suffix": "</w>"},
        {"vocab": without_byte},
        {"vocab": without_mark, "merges": []},
        {"unheard_of": True},
        joins_bytes,
    ):
        assert recognized(KINDS["llama"], model=change) is None, list(change)
    assert recognized(with_tokens(llama(), AddedToken(" ", normalized=True))) is None


@given(st.data())
def test_any_merges(data: st.DataObject) -> None:
    # Merges may join blanks with anything, so that units become longer than words
    letters = ["▁", "a", "b", "é"]
    pieces = data.draw(st.lists(st.text("▁abé", min_size=2, max_size=4), max_size=12, unique=True))
    vocabulary = dict.fromkeys(["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), *letters, *pieces])
    numbered = {token: number for number, token in enumerate(vocabulary)}
    parts = [(piece[:middle], piece[middle:]) for piece in pieces for middle in range(1, len(piece))]
    merges = data.draw(st.permutations([part for part in parts if {*part} <= numbered.keys()]))
    tokenizer = Tokenizer(models.BPE(numbered, merges, unk_token="<unk>", byte_fallback=True))
    tokenizer.normalizer = normalizers.Sequence([normalizers.Prepend("▁"), normalizers.Replace(" ", "▁")])
    check(tokenizer, data.draw(st.lists(st.text(" ▁abéc", max_size=12), max_size=6)), scanned=1)


def test_model_options_do_not_matter() -> None:
    tokenizer = Tokenizer(bpe_model())
    tokenizer.normalizer = normalizers.Replace(" ", "▁")
    check(tokenizer, TEXTS[:60], scanned=1)
