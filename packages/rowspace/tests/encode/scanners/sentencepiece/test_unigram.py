"""Ids of Unigram, compared with those of the `tokenizers` library."""

import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from random import Random

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tests.encode.scanners.library_ids import library_ids
from tests.encode.scanners.sentencepiece.parity import (
    PARTS,
    PLAIN,
    TEXTS,
    check,
    check_scanned,
    every_code_point,
    made_of,
)
from tests.encode.scanners.sentencepiece.tokenizers_of_kinds import (
    CODE,
    SPECIAL,
    precompiled,
    unigram,
    unigram_pieces,
    with_tokens,
)
from tokenizers import AddedToken, Regex, Tokenizer, models, normalizers, pre_tokenizers, processors

from rowspace.encode import FlatTokenizer, TextBuffer
from rowspace.encode.scanners.sentencepiece import recognize_unigram
from rowspace.text import TokenizerOptions, train_tokenizer

pytestmark = pytest.mark.kernels


def blanks(pattern: str, content: str) -> normalizers.Normalizer:
    """Return a step that replaces white space."""
    return normalizers.Replace(Regex(pattern), content)


def sequence(*steps: normalizers.Normalizer) -> normalizers.Normalizer:
    """Return steps one after another."""
    return normalizers.Sequence(list(steps))


STRIP_END = normalizers.Strip(left=False, right=True)
KINDS = {
    "xlm-r, t5": unigram(precompiled()),
    "bge-m3": unigram(sequence(precompiled(), STRIP_END, blanks(" {2,}", "▁")), splits=False),
    "flan-t5": unigram(sequence(precompiled(), STRIP_END, blanks(" {2,}", "▁"))),
    "pegasus": unigram(sequence(precompiled(), blanks(" {2,}", " ")), splits=False),
    "mbart": unigram(),
    "ours": unigram(sequence(normalizers.NFKC(), blanks(r"\s+", " "), normalizers.Strip()), splits=False),
    "ours, lower": unigram(sequence(normalizers.Lowercase(), blanks(r"\s+", " "), normalizers.Strip()), splits=False),
}
ODD = {
    "metaspace": unigram(splits=False),
    "precompiled metaspace": unigram(precompiled(), splits=False),
    "bytes": unigram(precompiled(), byte_fallback=True),
    "runs become ▁": unigram(blanks(" {2,}", "▁")),
    "strip": unigram(normalizers.Strip()),
    "strip start": unigram(normalizers.Strip(left=True, right=False), splits=False),
    "nfc": unigram(sequence(normalizers.NFC(), blanks(" {2,}", " "), normalizers.Strip())),
}
FLAT = {name: FlatTokenizer(tokenizer.to_str()) for name, tokenizer in (KINDS | ODD).items()}
SCORES = [-0.1, -0.2, -0.3, -1.0, -12.5]


@pytest.mark.parametrize("name", FLAT)
def test_ids_equal_those_of_the_library(name: str) -> None:
    check((KINDS | ODD)[name], [*TEXTS, CODE], scanned=0.4, flat=FLAT[name])
    if name in KINDS:
        check(KINDS[name], made_of([part for part in PLAIN if part not in "\r\n"], 100), scanned=1, flat=FLAT[name])


@given(st.lists(st.text(max_size=20), max_size=5))
def test_any_text(texts: list[str]) -> None:
    for name, tokenizer in KINDS.items():
        check(tokenizer, texts, flat=FLAT[name])


def test_added_tokens_split_a_text() -> None:
    parts = [*PLAIN, "<|a|>", "<|a|>x", "x", "<", "[M]", "\uff1c", "é 9", "<mask>", "mask>", "\uff1cmask>", "\u200b"]
    for name in ("xlm-r, t5", "bge-m3", "ours", "mbart"):
        made = Tokenizer.from_str(KINDS[name].to_str())
        with_tokens(made, *SPECIAL, "<|a|>", "<|a|>x")
        check(made, made_of(parts, 150), scanned=0.3)
        with_tokens(made, AddedToken("[M]", lstrip=True, normalized=False), AddedToken("<mask>", normalized=True))
        check(made, made_of(parts, 150), scanned=0.1)


def test_words_learned_by_rowspace() -> None:
    made = train_tokenizer(iter(CODE.splitlines() * 4), TokenizerOptions("unigram", vocabulary_size=300))
    check(Tokenizer.from_str(made), TEXTS, scanned=0.4)


@given(
    st.lists(
        st.tuples(st.text("▁abé", min_size=1, max_size=3), st.sampled_from([-0.1, -0.2, -0.3, -1.0, -12.5])),
        max_size=15,
    ),
    st.sampled_from([None, 0, 1]),
    st.lists(st.text(" abéc", max_size=12), max_size=6),
)
def test_any_vocabulary(pieces: list[tuple[str, float]], unknown: int | None, texts: list[str]) -> None:
    # Few scores, so that sums are equal or differ by rounding only
    vocabulary = [("<unk>", 0.0), ("▁", -3.0), ("a", -2.0), ("b", -2.5), ("é", -2.0), *pieces]
    if unknown is None:
        vocabulary.append(("c", -0.5))
    tokenizer = Tokenizer(models.Unigram(vocabulary, unknown, byte_fallback=False))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    document = json.loads(tokenizer.to_str())
    scanner = recognize_unigram(document)
    assert scanner is not None
    expected = list(library_ids(tokenizer, texts))
    found, left = scanner.scan(TextBuffer.of(texts), 0, len(texts))
    assert not left.size
    assert found.ids.tolist() == [number for ids in expected for number in ids]
    assert np.diff(found.indptr).tolist() == [len(ids) for ids in expected]


def test_unknown_characters_next_to_each_other_are_one_token() -> None:
    pieces = [("<unk>", 0.0), ("▁", -1.0), ("a", -1.0), ("xy", -99.0)]
    tokenizer = Tokenizer(models.Unigram(pieces, 0, byte_fallback=False))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    check(tokenizer, ["xyz", "xy", "axya", "a<unk>☃a", "☃ ☃", "x<unk>", "<unk>", "a☃☃ ☃xa"], scanned=1)


def test_score_of_unknown_characters() -> None:
    # Two of them have 2 * (19 - 10): more than "bxy" has beyond "b", less than "axy" has beyond "a"
    pieces = [("<unk>", 19.0), ("▁", 19.0), ("a", 19.0), ("b", 19.0), ("axy", 38.0), ("bxy", 36.0)]
    tokenizer = Tokenizer(models.Unigram(pieces, 0, byte_fallback=False))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    assert FlatTokenizer(tokenizer.to_str()).encode(["axy", "bxy"]).ids.tolist() == [1, 4, 1, 3, 0]
    check(tokenizer, ["axy", "bxy"], scanned=1)


def test_text_without_ids_is_left_to_the_library() -> None:
    tokenizer = Tokenizer(models.Unigram([("a", -1.0)], None, byte_fallback=False))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace()
    scanner = recognize_unigram(json.loads(tokenizer.to_str()))
    assert scanner is not None
    assert scanner.scan(TextBuffer.of(["", "a", " ", "b"]), 0, 4)[1].tolist() == [1, 2, 3]
    with pytest.raises(Exception, match="unk_id"):
        FlatTokenizer(tokenizer.to_str()).encode(["b"])


@pytest.mark.large
def test_very_long_words() -> None:
    random = Random(1)
    letters = "".join(random.choices("thecat", k=50_000))
    texts = [
        letters,
        letters[:4096],
        letters[:4095],
        " " * 50_000,
        "é" * 2000,
        "ﷺ" * 1000,
        "日本語" * 2000,
        "a " * 20_000,
    ]
    for name in ("xlm-r, t5", "bge-m3", "metaspace"):
        check((KINDS | ODD)[name], texts, scanned=0.2, flat=FLAT[name])


@pytest.mark.large
@pytest.mark.long
def test_a_word_of_a_megabyte() -> None:
    check(KINDS["xlm-r, t5"], ["".join(Random(2).choices("thecat日", k=1_000_000)), " x" * 500_000])


def test_sampled_code_points() -> None:
    texts = every_code_point(step=293)
    for name in ("xlm-r, t5", "ours", "metaspace"):
        check((KINDS | ODD)[name], texts, flat=FLAT[name])


@pytest.mark.large
@pytest.mark.long
@pytest.mark.parametrize("name", ["xlm-r, t5", "bge-m3", "ours", "precompiled metaspace", "mbart"])
def test_every_code_point(name: str) -> None:
    # Those beyond are left to the library by all but the last kind
    texts = every_code_point(last=0x110000 if name == "mbart" else 0x20100)
    assert check_scanned((KINDS | ODD)[name], FLAT[name], texts) > 0.5


@pytest.mark.large
@pytest.mark.long
def test_characters_next_to_each_other() -> None:
    # Grapheme clusters of characters that are scanned: a letter of each script, and whatever joins with others
    characters = [chr(code) for code in range(0, 0x20000, 61) if not 0xD800 <= code < 0xE000]
    characters += [*"\r\n\u200d\u0301\u0e33ก각가각\u0600\u0d4eക्षकﾞｶ👍🏽🇩🇪\u20e3\ufe0f\uff1cﬁ"]
    random = Random(3)
    texts = ["".join(random.choices(characters, k=3)) for _ in range(60_000)]
    for name in ("xlm-r, t5", "ours"):
        assert check_scanned(KINDS[name], FLAT[name], texts) > 0.05


def test_threads_share_a_scanner() -> None:
    flat = FlatTokenizer(KINDS["bge-m3"].to_str())
    expected = flat.encode(TEXTS)
    with ThreadPoolExecutor(4) as threads:
        for found in threads.map(flat.encode, [TEXTS] * 8):
            assert np.array_equal(found.ids, expected.ids)


def test_a_pickled_scanner_gives_the_same_ids() -> None:
    scanner = recognize_unigram(json.loads(KINDS["xlm-r, t5"].to_str()))
    assert scanner is not None
    buffer = TextBuffer.of(["zero", "The cat's mat", "last"])
    expected = scanner.scan(buffer, 1, 2)[0]
    again = pickle.loads(pickle.dumps(scanner)).scan(buffer, 1, 2)[0]
    assert again.ids.tolist() == expected.ids.tolist()


def test_other_tokenizers_are_left_to_the_library() -> None:
    for name, step in (
        ("normalizer", normalizers.NFKD()),
        ("normalizer", sequence(normalizers.Strip(), precompiled())),
        ("normalizer", sequence(blanks(" {2,}", "▁"), normalizers.Strip())),
        ("normalizer", sequence(blanks(" {2,}", "_"))),
        ("normalizer", normalizers.Replace("``", '"')),
        ("pre_tokenizer", pre_tokenizers.Metaspace("▁", prepend_scheme="never")),
        ("pre_tokenizer", pre_tokenizers.Metaspace("▁", split=False)),
        ("pre_tokenizer", pre_tokenizers.WhitespaceSplit()),
        ("post_processor", processors.TemplateProcessing(single="$A $A", special_tokens=[])),
    ):
        tokenizer = Tokenizer.from_str(KINDS["mbart"].to_str())
        setattr(tokenizer, name, step)
        assert recognize_unigram(json.loads(tokenizer.to_str())) is None, step
    assert unigram_pieces()
    document = json.loads(KINDS["mbart"].to_str())
    assert recognize_unigram(document | {"model": document["model"] | {"unheard_of": 1}}) is None
    assert recognize_unigram(json.loads(with_tokens(unigram(), AddedToken("▁", normalized=True)).to_str())) is None


def test_parts_of_normalized_tokens_leave_texts() -> None:
    made = with_tokens(unigram(precompiled()), AddedToken("<x>", normalized=True))
    flat = FlatTokenizer(made.to_str())
    check(
        made,
        ["<x>", "\uff1cx>", "<\u200bx>", "a<x>b", "< x>", "x", *made_of([*PARTS, "<x>", "\uff1cx>"], 100)],
        flat=flat,
    )
