"""Encoding a corpus as ids, compared with tokenizers and a Counter, for any number of workers; and all errors."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, strategies as st
from tokenizers import Tokenizer

from rowspace.errors import CorpusError
from rowspace.text import ReplacedTextWarning, TextOptions, WordTokenizer, corpus_bytes, encode_corpus
from rowspace.text.corpus.open_corpus import open_corpus
from rowspace.text.corpus.reading import cut_pieces
from rowspace.text.ids.id_corpus import CORPUS_NAME, IDS_NAME, IdCorpus
from rowspace.text.ids.provisional_ids import scan_pieces
from rowspace.text.ids.renumber import renumber

pytestmark = pytest.mark.kernels

TEXT = "The cat sat.\nThe cat's mat, İn the HAT!\n\n\nthe\nrare\n"


def encode(corpus, folder, on_bytes=None, **options):
    options = TextOptions(**({"min_count": 1, "workers": 2} | options))
    return encode_corpus(corpus, folder, options=options, on_bytes=on_bytes)


def encode_in_blocks(pieces, folder, block_bytes, **options):
    """Encode pieces of text in small blocks, so that each worker gets some."""
    options = TextOptions(**({"min_count": 1, "workers": 2} | options))

    def write_ids(path):
        return scan_pieces(pieces, path, options, block_bytes=block_bytes)

    return renumber("text", folder, write_ids, min_count=options.min_count, max_vocabulary=None)[0]


def reference_encoding(texts, min_count):
    """Return (vocabulary, counts, ids) of texts with one sentence per line, from tokenizers and a Counter."""
    library = Tokenizer.from_str(WordTokenizer([]).to_json())
    lines = [library.normalizer.normalize_str(line) for text in texts for line in text.split("\n")]
    sentences = [[word for word, _ in library.pre_tokenizer.pre_tokenize_str(line)] for line in lines]
    counted = Counter(word for sentence in sentences for word in sentence).items()
    order = sorted((-count, word.encode()) for word, count in counted if count >= min_count)
    ids = {word.decode(): identity for identity, (_, word) in enumerate(order)}
    flat = []
    for sentence in sentences:
        known = [ids[word] for word in sentence if word in ids]
        flat += [*known, -1] if known else []
    return list(ids), [-count for count, _ in order], flat


@pytest.mark.parametrize("workers", [1, 2, 5])
@given(
    texts=st.lists(st.lists(st.sampled_from(["a", "B", "b", "c's", "É", "\n", " ", "👍", "-"])).map(" ".join),
                   min_size=1, max_size=8),
    min_count=st.integers(1, 3),
    block=st.integers(1, 40),
)  # fmt: skip
def test_ids_counts_and_vocabulary_equal_the_reference(texts, min_count, block, workers, tmp_path_factory):
    vocabulary, counts, ids = reference_encoding(texts, min_count)
    folder = tmp_path_factory.mktemp("ids")
    if not vocabulary:
        with pytest.raises(CorpusError):
            encode(iter(texts), folder, min_count=min_count, workers=workers)
        return
    pieces = open_corpus(iter(texts)).pieces
    found = encode_in_blocks(pieces, folder, block, min_count=min_count, workers=workers)

    assert found.vocabulary == vocabulary
    assert found.counts.tolist() == counts
    assert found.ids().tolist() == ids
    assert found.size == len(ids)


def test_saved_tokenizer_gives_the_same_ids(tmp_path):
    corpus = encode([TEXT], tmp_path)

    library = Tokenizer.from_str(corpus.tokenizer)  # Parity: tokenizers
    assert library.encode(TEXT).ids == [identity for identity in corpus.ids().tolist() if identity >= 0]
    assert corpus.vocabulary[0] == "the"
    assert corpus.counts[0] == 4


def test_cased_keeps_case(tmp_path):
    corpus = encode([TEXT], tmp_path, cased=True)

    assert {"The", "the", "HAT"} <= set(corpus.vocabulary)
    assert WordTokenizer.from_json(corpus.tokenizer).cased


def test_rare_words_are_dropped_but_count_as_words_read(tmp_path):
    corpus = encode([TEXT], tmp_path, min_count=2)

    assert corpus.vocabulary == ["the"]
    assert corpus.ids().tolist() == [0, -1, 0, 0, -1, 0, -1]
    assert corpus.words == 11


def test_max_vocabulary_keeps_the_most_frequent_words(tmp_path):
    corpus = encode(["b a c a b d"], tmp_path, max_vocabulary=3)

    assert corpus.vocabulary == ["a", "b", "c"]
    assert corpus.counts.tolist() == [2, 2, 1]


@pytest.mark.parametrize(
    ("sentences", "ends"), [("line", [1, 2, 3, 4]), ("paragraph", [2, 3, 4]), ("document", [3, 4])]
)
def test_sentences_option_sets_where_sentences_end(tmp_path, sentences, ends):
    corpus = encode(["a\nb\n\nc", "d"], tmp_path, sentences=sentences)

    found = np.flatnonzero(corpus.ids() == -1)
    assert (found - np.arange(len(found))).tolist() == ends  # words before each end


@pytest.mark.parametrize("size", [1, 7])
def test_block_boundaries_do_not_change_paragraphs(tmp_path, size):
    text = "a b" + " " * 30 + "\n" + " " * 30 + "\nc" + " " * 30 + "\n\nd" + " " * 30 + "\ne\n"
    expected = encode([text], tmp_path, sentences="paragraph").ids().tolist()

    chunks = (text[start : start + 5].encode() for start in range(0, len(text), 5))
    found = encode_in_blocks(cut_pieces(chunks), tmp_path, size, sentences="paragraph").ids().tolist()

    assert found == expected == [0, 1, -1, 2, -1, 3, 4, -1]


def test_end_of_file_ends_a_sentence(tmp_path):
    (tmp_path / "a").write_text("one two")
    (tmp_path / "b").write_text("three")
    reported = []

    corpus = encode([tmp_path / "a", tmp_path / "b"], tmp_path, on_bytes=reported.append)

    assert corpus.ids().tolist() == [0, 2, -1, 1, -1]
    assert sum(reported) == corpus_bytes([tmp_path / "a", tmp_path / "b"]) == 12


def test_json_records_are_documents(tmp_path):
    rows = [{"text": "one two"}, {"text": "two\nthree"}]
    (tmp_path / "rows").write_text("\n".join(map(json.dumps, rows)))

    corpus = encode(tmp_path / "rows", tmp_path, column="text", sentences="document")

    assert corpus.vocabulary == ["two", "one", "three"]
    assert corpus.ids().tolist() == [1, 0, -1, 0, 2, -1]


def test_token_lists_are_not_changed(tmp_path):
    lists = [["New York", "is", "Big"], [], ["is", "big", "is"]]

    corpus = encode(lists, tmp_path)

    assert corpus.vocabulary == ["is", "Big", "New York", "big"]
    assert corpus.counts.tolist() == [3, 1, 1, 1]
    assert corpus.ids().tolist() == [2, 0, 1, -1, 0, 3, 0, -1]
    assert Tokenizer.from_str(corpus.tokenizer).encode("is Big").ids == [0, 1]  # Parity: tokenizers


def test_token_lists_in_several_blocks_are_all_counted(tmp_path):
    lists = [[f"t{number // 10_000}", "x"] for number in range(25_000)]  # a block is 10,000 token lists

    corpus = encode(lists, tmp_path)

    assert corpus.vocabulary == ["x", "t0", "t1", "t2"]
    assert corpus.counts.tolist() == [25_000, 10_000, 10_000, 5_000]
    assert corpus.ids().tolist() == [i for first, _ in lists for i in (corpus.vocabulary.index(first), 0, -1)]


def test_invalid_utf8_is_replaced_and_counted_with_one_warning(tmp_path):
    (tmp_path / "latin").write_bytes("für élan\nfür\n".encode("latin-1"))

    with pytest.warns(ReplacedTextWarning, match="3 bad UTF-8 sequences of the corpus '.+latin'") as caught:
        corpus = encode(tmp_path / "latin", tmp_path)

    assert len(caught) == 1
    assert corpus.replaced == 3
    assert corpus.vocabulary == ["f", "r", "lan"]


def test_encoding_removes_the_previously_saved_corpus(tmp_path):
    encode(["a"], tmp_path).save()
    encode(["a b"], tmp_path)

    assert not (tmp_path / CORPUS_NAME).exists()


def test_saved_corpus_loads_with_equal_ids(tmp_path):
    corpus = encode([TEXT], tmp_path)
    corpus.save()

    assert IdCorpus.load(tmp_path).ids().tolist() == corpus.ids().tolist()


@pytest.mark.parametrize(
    ("corpus", "options", "message"),
    [
        (["..., !"], {}, "the corpus given holds no words"),
        (["a text"], {"pattern": "zzz"}, "nothing in the corpus matches the pattern 'zzz'"),
        ([[]], {}, "the corpus given holds no words"),
        ([[], []], {}, "the corpus given holds no words"),
        ("/dev/null", {}, "the corpus '/dev/null' holds no words"),
        (["a b a"], {"min_count": 3}, "as frequent as min_count=3: the most frequent one occurs 2 times; lower"),
        (["a", 3], {}, "item 1 of the corpus is int"),
        ([["a\ud800"]], {}, "half a surrogate pair"),
    ],
)  # fmt: skip
def test_refused_corpus_leaves_no_files(tmp_path, corpus, options, message):
    with pytest.raises(CorpusError, match=message):
        encode(corpus, tmp_path, **options)
    assert list(tmp_path.iterdir()) == []


def test_interrupted_encoding_keeps_the_previous_ids(tmp_path):
    encode(["a"], tmp_path)

    def texts():
        yield "b"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        encode(texts(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [IDS_NAME]
    assert Path(tmp_path, IDS_NAME).stat().st_size == 8


@pytest.mark.large
def test_invalid_utf8_is_counted_across_blocks_and_workers(tmp_path):
    data = (b"word \xff and \xf0\x9f more\n" + b"text " * 2000) * 400  # four blocks
    (tmp_path / "text").write_bytes(data)
    expected = data.decode(errors="replace").count("\ufffd")  # Python's decoder
    for workers in (1, 3):
        with pytest.warns(ReplacedTextWarning, match=f"^{expected} bad UTF-8 sequences"):
            found = encode_corpus(tmp_path / "text", tmp_path, options=TextOptions(workers=workers))
        assert found.replaced == expected


def test_tokens_between_white_space_keep_their_characters_and_case(tmp_path):
    text = "User-17 likes C++ :-)\n<tag>\u3000a.b User-17\n"
    corpus = encode([text], tmp_path, split="whitespace")
    assert corpus.counts[corpus.vocabulary.index("User-17")] == 2
    assert set(corpus.vocabulary) == {"User-17", "likes", "C++", ":-)", "<tag>", "a.b"}
    assert Tokenizer.from_str(corpus.tokenizer).encode(text).tokens == text.split()


def test_tokens_are_the_matches_of_a_pattern(tmp_path):
    texts = ["Ship #Big-News to user-17 now", "#big-news again, USER-17!"]
    options = TextOptions(min_count=1, pattern=r"#?[\p{L}\p{N}]+(?:-[\p{L}\p{N}]+)*")

    ids = encode_corpus(texts, tmp_path, options=options)

    assert ids.vocabulary == ["#big-news", "user-17", "again", "now", "ship", "to"]
    library = Tokenizer.from_str(ids.tokenizer)  # Parity: tokenizers
    assert library.encode(texts[0]).ids == [4, 0, 5, 1, 3]


def test_sentences_longer_than_a_piece_are_one_for_a_pattern(tmp_path):
    text = "word " * 400_000  # two megabytes without the end of a line
    ids = encode_corpus([text], tmp_path, options=TextOptions(min_count=1, pattern=r"\w+ \w+"))
    assert ids.vocabulary[0] == "word word"
    assert ids.counts[0] == pytest.approx(200_000, abs=8)
