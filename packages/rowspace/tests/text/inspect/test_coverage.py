import math
import tracemalloc
from collections import Counter
from functools import cache
from pathlib import Path
from pydoc_data.topics import topics

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers, trainers

from rowspace import text as rowspace_text
from rowspace.errors import UsageError
from rowspace.text import WordTokenizer, measure_coverage
from rowspace.text.tokenizers.sentencepiece_reader import open_sentencepiece
from rowspace.text.tokenizers.tiktoken_reader import open_ranks
from rowspace.text.words.word_tokenizer import WORD_PATTERN

TEXTS = [
    "",
    "a",
    " ",
    "the class doesn't __init__ snake_case, 'quoted'!",
    "🙂🙂 👩‍👩‍👧 class🙂x",
    "안녕하세요 세계 class",
    "e\u0301 é naïve \u3000 x\xa0y",
    "a\0b \0",
    "line\nline\r\n\nclass\n",
    "statement" * 500,
]

UNKNOWN = {"unk_token": "[UNK]"}


@cache
def tokenizer(kind: str) -> Tokenizer:
    """Return a tokenizer of this kind, trained by the `tokenizers` library."""
    if kind == "ours":
        return Tokenizer.from_str(WordTokenizer(["the", "class", "doesn't", "never"]).to_json())
    options = {"vocab_size": 500, "show_progress": False, "special_tokens": ["[UNK]", "[MASK]"]}
    model, trainer = {
        "bytes": (models.BPE(), trainers.BpeTrainer(initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), **options)),
        "bpe": (models.BPE(), trainers.BpeTrainer(**options)),
        "wordpiece": (models.WordPiece(**UNKNOWN), trainers.WordPieceTrainer(**options)),
        "unigram": (models.Unigram(), trainers.UnigramTrainer(**UNKNOWN, **options)),
    }[kind]
    library = Tokenizer(model)
    library.normalizer = normalizers.Lowercase() if kind == "wordpiece" else None
    library.pre_tokenizer = {
        "bytes": pre_tokenizers.ByteLevel(add_prefix_space=False),
        "unigram": pre_tokenizers.Metaspace(),
    }.get(kind, pre_tokenizers.BertPreTokenizer())
    library.train_from_iterator("\n".join(topics.values()).split("\n")[::2], trainer)
    return library


KINDS = ["ours", "bytes", "bpe", "wordpiece", "unigram"]


def reference_counts(library: Tokenizer, texts: list[str]) -> dict[str, int]:
    """Compute the counts character by character; words come from the library's regex engine."""
    words_of = pre_tokenizers.Split(Regex(WORD_PATTERN.split("|(?=")[0]), "removed", invert=True)  # without emoji
    unknown = library.token_to_id("[UNK]")
    sums = Counter[str]()
    for text in texts:
        encoding = library.encode(text, add_special_tokens=False)
        spans = [set(range(*span)) for span in encoding.offsets]
        known = [number != unknown for number in encoding.ids]
        for _, (start, end) in words_of.pre_tokenize_str(text):
            word = set(range(start, end))
            touching = [number for number, span in enumerate(spans) if span & word]
            sums["words"] += 1
            sums["word_pieces"] += len(touching)
            sums["words_in_one_piece"] += len(touching) == 1 and known[touching[0]]
        for place in (place for place, character in enumerate(text) if not character.isspace()):
            sums["characters"] += 1
            sums["dropped_characters"] += not any(place in span for span in spans)
            sums["unknown_characters"] += any(
                place in span and not is_known for span, is_known in zip(spans, known, strict=True)
            )
        sums["bytes"] += len(text.encode())
        sums["all_characters"] += len(text)
        sums["tokens"] += len(spans)
        sums["unknown_tokens"] += known.count(False)
    return sums


@pytest.mark.parametrize("kind", KINDS)
def test_counts_equal_the_reference(kind: str) -> None:
    coverage = measure_coverage(tokenizer(kind), TEXTS)
    for name, value in reference_counts(tokenizer(kind), TEXTS).items():
        assert getattr(coverage, name) == value, name


@pytest.mark.parametrize("kind", KINDS)
@given(text=st.text(st.sampled_from("theclas'_’ \n.é🙂안Ａ\u0301א\"\u200d"), max_size=60) | st.text(max_size=20))
def test_counts_of_random_text_equal_the_reference(kind: str, text: str) -> None:
    coverage = measure_coverage(tokenizer(kind), iter([text]))  # a list with the name of a file is refused
    for name, value in reference_counts(tokenizer(kind), [text]).items():
        assert getattr(coverage, name) == value, name


def test_hand_computed_example() -> None:
    library = Tokenizer(models.WordPiece({"[UNK]": 0, "the": 1, "cat": 2, "##s": 3, ".": 4, "dog": 5}))
    library.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    coverage = measure_coverage(library, ["the cats.\n", "the bird"])
    assert (coverage.tokens, coverage.words, coverage.word_pieces) == (6, 4, 5)
    assert coverage.tokens_per_word == 5 / 4
    assert coverage.one_piece == 2 / 4  # cats has two, bird is unknown
    assert (coverage.bytes, coverage.bytes_per_token, coverage.characters_per_token) == (18, 3.0, 3.0)
    assert (coverage.characters, coverage.unknown_characters, coverage.covered) == (15, 4, 11 / 15)
    assert coverage.unused.tolist() == [5]
    assert coverage.most_frequent(2) == [("the", 2), ("[UNK]", 1)]
    assert coverage.vocabulary == ["[UNK]", "the", "cat", "##s", ".", "dog"]
    assert coverage.counts.tolist() == [1, 2, 1, 1, 1, 0]


def test_word_tokenizer_drops_non_word_characters() -> None:
    coverage = measure_coverage(tokenizer("ours"), ["the class, and"])
    assert (coverage.dropped_characters, coverage.unknown_characters, coverage.unknown_tokens) == (1, 3, 1)
    assert [coverage.vocabulary[number] for number in coverage.unused] == ["doesn't", "never"]


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_corpus_read_in_runs_counts_like_the_full_text(kind: str, english: Path) -> None:
    # Each run is encoded separately, so a tokenizer that looks across lines can differ by a token at each start.
    library = tokenizer(kind)
    coverage = measure_coverage(library, english)
    text = english.read_text(encoding="utf-8")
    assert coverage.bytes == len(text.encode()) > 6 * (1 << 16)
    assert abs(coverage.tokens - len(library.encode(text, add_special_tokens=False).ids)) <= 8
    assert coverage.words == len(WordTokenizer(["a"], cased=True).split(text))


def test_long_line_is_counted_completely() -> None:
    text = " ".join(["class", "the", "naïve"] * 100_000)
    coverage = measure_coverage(tokenizer("wordpiece"), [text])
    assert (coverage.words, coverage.bytes) == (300_000, len(text.encode()))


@pytest.mark.long
def test_memory_does_not_grow_with_the_corpus() -> None:
    def peak(texts: int) -> int:
        tracemalloc.start()
        measure_coverage(tokenizer("ours"), (f"{number} the class\n" * 20_000 for number in range(texts)))
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        return most

    peak(1)  # builds the character tables
    assert peak(16) < 1.2 * peak(5)


def test_invalid_utf8_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "latin"
    path.write_bytes("naïve class".encode("latin-1"))
    coverage = measure_coverage(tokenizer("bpe"), path)
    assert (coverage.words, coverage.all_characters) == (3, 11)


def test_token_lists_are_accepted() -> None:
    assert measure_coverage(tokenizer("ours"), [["the", "class"], ["the"]]).most_frequent(1) == [("the", 2)]


def test_on_bytes_reports_the_bytes_read(english: Path) -> None:
    reported = list[int]()
    measure_coverage(tokenizer("ours"), english, on_bytes=reported.append)
    assert sum(reported) == english.stat().st_size


def test_field_selects_the_text_of_json_lines(tmp_path: Path) -> None:
    path = tmp_path / "lines.jsonl"
    path.write_text('{"text": "the class"}\n{"text": "the"}\n')
    assert measure_coverage(tokenizer("ours"), path, column="text").most_frequent(1) == [("the", 2)]


def test_ratios_of_an_empty_corpus_are_nan() -> None:
    coverage = measure_coverage(tokenizer("bytes"), [""])
    assert coverage.tokens == coverage.words == 0
    assert all(
        map(math.isnan, (coverage.tokens_per_word, coverage.one_piece, coverage.covered, coverage.bytes_per_token))
    )
    assert coverage.most_frequent() == []


def test_truncation_and_padding_are_ignored() -> None:
    library = Tokenizer.from_str(tokenizer("bpe").to_str())
    library.enable_truncation(1)
    library.enable_padding(length=7)
    assert measure_coverage(library, ["the class"]).tokens == measure_coverage(tokenizer("bpe"), ["the class"]).tokens
    assert library.truncation is not None  # the argument is not modified


def test_ids_without_a_token_are_not_listed_as_unused() -> None:
    library = Tokenizer(models.WordLevel({"a": 0, "b": 3, "[UNK]": 5}, **UNKNOWN))
    coverage = measure_coverage(library, ["a"])
    assert (len(coverage.vocabulary), coverage.unused.tolist()) == (6, [3])


def test_tokenizer_without_an_unknown_token_is_refused_on_unknown_text() -> None:
    with pytest.raises(UsageError, match="give it an unknown token"):
        measure_coverage(Tokenizer(models.WordLevel({"a": 0}, **UNKNOWN)), ["b"])


def test_missing_corpus_is_refused() -> None:
    with pytest.raises(UsageError, match="there is no file"):
        measure_coverage(tokenizer("ours"), "no-such-file")


@pytest.mark.parametrize("kind", ["tiktoken", "sentencepiece"])
def test_counts_of_other_tokenizers_equal_those_of_their_ids(
    kind: str, english: Path, ranks_file: bytes, bpe_model: bytes
) -> None:
    tokenizer: rowspace_text.Tokenizer = (
        open_ranks(ranks_file, "x", pattern="gpt2") if kind == "tiktoken" else open_sentencepiece(bpe_model, "x")
    )
    texts = [line for line in english.read_text(encoding="utf-8").split("\n")[:200] if line.strip()]
    coverage = measure_coverage(tokenizer, iter([*texts, "naïve 안녕 🙂"]))
    ids = np.concatenate(tokenizer.encode_batch([*texts, "naïve 안녕 🙂"]))
    assert coverage.counts.tolist() == np.bincount(ids, minlength=len(tokenizer)).tolist()
    assert coverage.covered == 1.0  # both have a token for every byte
    assert coverage.unknown_tokens == 0
    assert not set(coverage.unused.tolist()) & {*ids.tolist(), *tokenizer.special_ids}
    assert 1 < coverage.tokens_per_word < 4


def test_byte_tokens_of_one_character_belong_to_its_word(ranks_file: bytes, bpe_model: bytes) -> None:
    for tokenizer in (open_ranks(ranks_file, "x", pattern="gpt2"), open_sentencepiece(bpe_model, "x")):
        assert measure_coverage(tokenizer, ["鿿"]).word_pieces == 3  # the three bytes of one character


def test_unknown_pieces_of_sentencepiece_are_counted(unigram_model: bytes) -> None:
    coverage = measure_coverage(open_sentencepiece(unigram_model, "x"), ["the 안녕"])
    assert (coverage.unknown_characters, coverage.unknown_tokens) == (2, 1)
    assert coverage.words_in_one_piece == 1
