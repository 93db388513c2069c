"""The split into blocks depends on the text only, and no byte is lost."""

import numpy as np
import pytest
from tokenizers import Tokenizer

from rowspace.errors import CorpusError, UsageError
from rowspace_lab.experiments.language_model.data import read_corpora, write_corpora
from rowspace_lab.experiments.language_model.options import TokenOptions

BYTES = TokenOptions("bytes")


def encode(corpus, folder, tokens=BYTES, context=8, **options):
    folder.mkdir()
    return write_corpora(corpus, folder, tokens=tokens, context=context, **options)


def test_all_bytes_are_in_one_of_the_parts(tmp_path, text):
    corpora = encode(text, tmp_path / "data")
    whole = "".join(f"{topic.removesuffix(chr(10))}\n" for topic in text).encode()
    assert corpora.text_bytes == len(whole) == len(corpora.train) + corpora.held_out_bytes
    assert len(corpora.held_out) == 1 + corpora.held_out_bytes  # a newline first
    assert corpora.held_out[0] == Tokenizer.from_str(corpora.tokenizer).token_to_id("Ċ")
    pieces = [bytes(part.astype(np.uint8)) for part in np.split(corpora.held_out[1:], np.cumsum(corpora.blocks[:, 0]))]
    alphabet = Tokenizer.from_str(corpora.tokenizer)
    for piece in filter(None, pieces):
        assert alphabet.decode(list(piece)).encode() in whole
    assert 0.02 < corpora.held_out_bytes / corpora.text_bytes < 0.08


@pytest.mark.parametrize("kind", ["bpe", "wordpiece", "unigram", "chars"])
def test_held_out_bytes_are_the_same_for_all_tokens(kind, tmp_path, text):
    corpora = encode(text, tmp_path / "data", TokenOptions(kind, vocabulary_size=300))
    assert corpora.blocks[:, 1].tolist() == encode(text, tmp_path / "bytes").blocks[:, 1].tolist()
    assert corpora.blocks[:, 0].sum() == len(corpora.held_out) - 1
    assert corpora.counts.sum() == len(corpora.train)
    assert corpora.unigram_bits_per_byte < 8


@pytest.mark.parametrize(("line", "is_held_out"), [(303, False), (304, True), (319, True), (320, False)])
def test_tokens_are_trained_on_the_other_part_only(line, is_held_out, tmp_path):
    lines = [f"the line is {number:03}" for number in range(1000)]  # 16 characters, so that 16 lines are a block
    lines[line] = "the line is not"
    corpora = encode(["\n".join(lines)], tmp_path / "data", TokenOptions("chars", min_frequency=1))
    assert ("o" not in Tokenizer.from_str(corpora.tokenizer).get_vocab()) == is_held_out
    assert corpora.held_out_unknown == is_held_out


def test_the_ids_are_mapped_when_they_are_read_again(tmp_path, text):
    written = encode(text, tmp_path / "data")
    again = read_corpora(tmp_path / "data")
    assert isinstance(again.train, np.memmap)
    assert again.tokenizer == written.tokenizer
    assert all(np.array_equal(getattr(again, name), getattr(written, name)) for name in ("train", "held_out", "counts"))
    assert not (tmp_path / "data" / "text").exists()


def test_a_part_of_the_held_out_text_is_whole_blocks(tmp_path, text):
    corpora = encode(text, tmp_path / "data")
    part = corpora.part_of_held_out(300)
    number = int(np.searchsorted(np.cumsum(corpora.blocks[:, 0]), 300)) + 1
    assert (len(part.ids) - 1, part.text_bytes) == tuple(corpora.blocks[:number].sum(axis=0))
    assert corpora.part_of_held_out(10**9).text_bytes == corpora.held_out_bytes


def test_unigram_baseline_is_that_of_the_counts(tmp_path, text, assert_close):
    corpora = encode(text, tmp_path / "data")
    shares = (corpora.counts + 1) / (corpora.counts + 1).sum()
    assert_close(corpora.unigram_bits_per_byte, -np.log2(shares[corpora.held_out[1:]]).mean())


@pytest.mark.parametrize(
    ("corpus", "tokens", "options", "error", "message"),
    [
        (["short"], BYTES, {}, CorpusError, "the text has 6 tokens to learn from, but a context of 8 needs 9"),
        (["a short text"], BYTES, {}, CorpusError, "too short to hold out a part of it: it has 13 tokens"),
        ([["a", "list"]], BYTES, {}, UsageError, "the corpus is token lists"),
        (
            ["ab " * 9000],
            TokenOptions(),
            {"required_size": 4096},
            UsageError,
            r"supports only \d+ tokens, fewer than voc",
        ),
    ],
)
def test_a_text_that_does_not_do_is_refused(corpus, tokens, options, error, message, tmp_path):
    with pytest.raises(error, match=message):
        encode(corpus, tmp_path / "data", tokens, **options)
    assert not (tmp_path / "data" / "text").exists()


def test_one_very_long_line_is_divided(tmp_path):
    corpora = encode(["ab " * 9000], tmp_path / "data")
    assert len(corpora.blocks) == 9000 * 3 // 256 // 20


def test_words_are_refused():
    with pytest.raises(UsageError, match="leave out white space, punctuation"):
        TokenOptions("words")
