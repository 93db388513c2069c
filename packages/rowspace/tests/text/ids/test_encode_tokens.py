"""Encoding a corpus with any tokenizer: ids equal the library's, and map back to the tokenizer's order."""

import os
from collections import Counter

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers

from rowspace.errors import CorpusError, FileFormatError, UsageError
from rowspace.text import (
    IdCorpus,
    ReplacedTextWarning,
    TextOptions,
    TokenizerOptions,
    corpus_bytes,
    encode_tokens,
)

pytestmark = pytest.mark.kernels

TEXT = "The lowest tower is lower.\n\nThe newest tower, slow\nand low\n" * 8
KINDS = ["bpe", "wordpiece", "unigram", "bytes", "chars"]


def encode(corpus, folder, tokens="bpe", *, on_bytes=None, workers=2, sentences="line", column=None, **more):
    return encode_tokens(
        corpus,
        folder,
        tokens=TokenizerOptions(tokens, **more),
        options=TextOptions(workers=workers, sentences=sentences, column=column),
        on_bytes=on_bytes,
    )


def library_ids(corpus, text):
    """Return the ids that the tokenizers library gives each line, with -1 after each line that has any."""
    library = Tokenizer.from_str(corpus.tokenizer)
    flat = []
    for line in text.split("\n"):
        ids = library.encode(line, add_special_tokens=False).ids
        flat += [*ids, -1] if ids else []
    return flat


def tokenizer_ids(corpus):
    """Return the ids of a corpus in the tokenizer's numbering."""
    return [-1 if new < 0 else int(corpus.token_ids[new]) for new in corpus.ids()]


@pytest.mark.parametrize("tokens", KINDS)
def test_ids_map_back_to_those_of_the_library(tokens, tmp_path):
    corpus = encode([TEXT], tmp_path, tokens)
    expected = library_ids(corpus, TEXT)
    assert tokenizer_ids(corpus) == expected
    counted = Counter(number for number in expected if number >= 0)
    assert dict(zip(corpus.token_ids.tolist(), corpus.counts.tolist(), strict=True)) == counted
    assert corpus.words == sum(counted.values())


def test_vocabulary_is_sorted_by_count_and_excludes_unseen_tokens(tmp_path):
    corpus = encode([TEXT], tmp_path)
    assert corpus.counts.tolist() == sorted(corpus.counts.tolist(), reverse=True)
    assert corpus.counts.min() > 0
    assert len(corpus.tokens()) > len(corpus.vocabulary)
    assert [corpus.tokens()[number] for number in corpus.token_ids] == corpus.vocabulary


def test_by_token_restores_the_tokenizers_order(tmp_path):
    corpus = encode(["abba"], tmp_path, "bytes")
    rows = corpus.by_token(np.array([[1.5, 2.0], [3.0, 4.0]], np.float32))
    assert rows.shape == (256, 2)
    assert rows[[97, 98, 99]].tolist() == [[1.5, 2.0], [3.0, 4.0], [0.0, 0.0]]
    assert corpus.by_token(corpus.counts).sum() == 4


def test_saved_corpus_keeps_its_tokenizer_and_token_ids(tmp_path):
    corpus = encode([TEXT], tmp_path)
    corpus.save()
    again = IdCorpus.load(tmp_path)
    assert again.tokenizer == corpus.tokenizer
    np.testing.assert_array_equal(again.token_ids, corpus.token_ids)
    assert again.tokens() == corpus.tokens()


@pytest.mark.parametrize("workers", [1, 3])
def test_ids_of_several_batches_equal_the_librarys(workers, tmp_path):
    line = "The lowest tower is lower than the newest tower. "
    text = "\n".join(line * 1000 + "and low" * number for number in range(15))  # 750,000 characters, 3 batches
    corpus = encode([text], tmp_path, "bytes", workers=workers)
    expected = library_ids(corpus, text)
    assert len(expected) > 2 * 2**18
    np.testing.assert_array_equal(np.where(corpus.ids() < 0, -1, corpus.token_ids[corpus.ids()]), expected)


@pytest.mark.parametrize(("sentences", "ends"), [("line", 24), ("paragraph", 9), ("document", 1)])
def test_sentences_option_sets_where_sentences_end(sentences, ends, tmp_path):
    corpus = encode([TEXT], tmp_path, sentences=sentences)
    assert int((corpus.ids() == -1).sum()) == ends
    assert corpus.ids()[-1] == -1


def test_files_are_read_twice_and_streams_are_spooled(tmp_path):
    (tmp_path / "text").write_text(TEXT)
    reported = []
    from_file = encode(tmp_path / "text", tmp_path, on_bytes=reported.append)
    assert sum(reported) == 2 * corpus_bytes(tmp_path / "text")
    ids = from_file.ids().tolist()
    from_stream = encode(iter([TEXT]), tmp_path)
    assert from_stream.ids().tolist() == ids
    assert from_stream.tokenizer == from_file.tokenizer
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ids.bin", "text"]


def test_documents_of_a_stream_stay_separate(tmp_path):
    corpus = encode(iter(["low low", "low low low", ""]), tmp_path, "chars", min_frequency=1)
    assert int((corpus.ids() == -1).sum()) == 2


@pytest.mark.parametrize("place", ["tokenizer.json", ""])
def test_tokenizer_json_is_used_without_truncation_or_padding(place, tmp_path):
    library = Tokenizer(models.WordLevel({"low": 0, "[UNK]": 1, "tower": 2, "never": 3}, unk_token="[UNK]"))
    library.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    library.enable_truncation(2)
    library.enable_padding(length=9)
    (tmp_path / "made").mkdir()
    library.save(str(tmp_path / "made" / "tokenizer.json"))
    corpus = encode(iter(["low low tower slow\nlow"]), tmp_path, tmp_path / "made" / place)
    assert tokenizer_ids(corpus) == [0, 0, 2, 1, -1, 0, -1]
    assert corpus.tokens() == ["low", "[UNK]", "tower", "never"]


def test_invalid_utf8_is_replaced_with_one_warning(tmp_path):
    (tmp_path / "latin").write_bytes("für élan\nfür\n".encode("latin-1"))
    with pytest.warns(ReplacedTextWarning, match="3 bad UTF-8 sequences of the corpus '.+latin'") as caught:
        corpus = encode(tmp_path / "latin", tmp_path, "chars", min_frequency=1)
    assert len(caught) == 1
    assert corpus.replaced == 3
    assert "\ufffd" in corpus.vocabulary


def assert_refused(tmp_path, corpus, tokens, error, message):
    with pytest.raises(error, match=message):
        encode(corpus, tmp_path, tokens)


@pytest.mark.parametrize("tokens", KINDS)
@pytest.mark.parametrize("corpus", [[""], ["\n\n \n"], "/dev/null"])
def test_corpus_without_text_is_refused(corpus, tokens, tmp_path):
    assert_refused(tmp_path, corpus, tokens, CorpusError, "holds no words")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("tokens", ["bpe", "bytes"])
@pytest.mark.parametrize(
    ("corpus", "error", "message"),
    [
        ([["a", "b"]], UsageError, "the corpus is token lists"),
        ("missing", UsageError, "there is no file or folder 'missing'"),
        (["a", 3], CorpusError, "item 1 of the corpus is int"),
        ([], CorpusError, "the corpus is empty"),
        (3, CorpusError, "not int"),
    ],
)
def test_unreadable_corpus_is_refused_as_for_words(tokens, corpus, error, message, tmp_path):
    assert_refused(tmp_path, corpus, tokens, error, message)
    assert list(tmp_path.iterdir()) == []


def test_tokenizer_that_fails_on_the_corpus_is_refused(tmp_path):
    Tokenizer(models.WordLevel({"low": 0}, unk_token="[UNK]")).save(str(tmp_path / "bad.json"))
    assert_refused(
        tmp_path, ["high"], tmp_path / "bad.json", UsageError, "the tokenizer fails on this corpus .*unknown token"
    )


@pytest.mark.parametrize("content", ["", "{}", "\ud800"])
def test_invalid_tokenizer_file_is_named_in_the_error(content, tmp_path):
    (tmp_path / "bad.json").write_text(content, errors="surrogatepass")
    assert_refused(
        tmp_path,
        ["high"],
        tmp_path / "bad.json",
        FileFormatError,
        "bad.json: (is not a supported|does not open as a) tokenizer",
    )
    assert_refused(tmp_path, ["high"], tmp_path, FileFormatError, f"{tmp_path.name}: has no supported tokenizer")


def test_ids_with_gaps_are_refused(tmp_path):
    Tokenizer(models.WordLevel({"low": 0, "[UNK]": 2}, unk_token="[UNK]")).save(str(tmp_path / "gap.json"))
    assert_refused(
        tmp_path, ["low"], tmp_path / "gap.json", FileFormatError, r"ids are not 0 to 1.* '\[UNK\]' has 2 where 1"
    )


@pytest.mark.parametrize(("workers", "several"), [(1, "false"), (2, "true")])
def test_training_uses_several_threads_only_with_several_workers(tmp_path, workers, several):
    seen = []

    def texts():
        seen.append(os.environ["TOKENIZERS_PARALLELISM"])
        yield TEXT

    encode(texts(), tmp_path, workers=workers, vocabulary_size=300)
    assert seen[0] == several
