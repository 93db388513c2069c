"""The words that share a piece, and what the vocabulary size changes."""

from collections import Counter
from itertools import islice

import numpy as np
import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from rowspace.text import default_tokenizer, standard_library
from rowspace_lab.pages.tokens.corpus import sample_corpus


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory):
    """A cache with a tokenizer learned quickly from part of the standard library."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        default_tokenizer(texts=islice(standard_library(), 20))
        yield


@pytest.mark.long
def test_pieces_name_the_frequent_words_that_contain_them(lab, check_code) -> None:
    reply = check_code(lab, "tokens/words", text="unbelievable self", tokenizer="default", sizes="256,1024")
    split = check_code(lab, "tokens/split", text="unbelievable self", tokenizer="default", sizes="256,1024")
    tokenizer, _ = default_tokenizer()
    tokens = [token for each in split.meta["splits"] for token in each["tokens"]]
    for token, words, count in zip(tokens, reply.meta["words"], reply.arrays["num_words"], strict=True):
        assert len(words) == min(5, count)
        assert not {"unbelievable", "self"} & set(words)
        for word in words:  # encoded by the `tokenizers` library at the full size, or spelled with the token
            assert token.removeprefix("Ġ") in word
    full = check_code(
        lab, "tokens/words", text="unbelievable", tokenizer="default", sizes=str(tokenizer.get_vocab_size())
    )
    for token, words in zip(tokenizer.encode("unbelievable").tokens, full.meta["words"], strict=True):
        assert all(token in tokenizer.encode(f" {word}").tokens + tokenizer.encode(word).tokens for word in words)


def test_words_are_ordered_by_frequency(lab, ask) -> None:
    words = ask(lab, "tokens/words", text="z", tokenizer="default", sizes="256").meta["words"][0]
    texts = [text for part in sample_corpus() for text in part]
    counts = [sum(text.count(word) for text in texts) for word in words]
    assert counts[0] > counts[-1]


def test_unknown_tokens_share_no_words(bert_lab, ask) -> None:
    reply = ask(bert_lab, "tokens/words", text="猫 the")
    splits = ask(bert_lab, "tokens/split", text="猫 the").meta["splits"]
    kinds = [kind for split in splits for kind in split["kinds"]]
    assert all(not words for words, kind in zip(reply.meta["words"], kinds, strict=True) if kind == "unknown")
    assert any(reply.meta["words"])


@pytest.mark.long
def test_measurements_equal_an_independent_count(lab, check_code) -> None:
    reply = check_code(lab, "tokens/tradeoff")
    train, held_out = sample_corpus()
    assert reply.meta["train_bytes"] == len("".join(train).encode())
    sizes = reply.arrays["sizes"].tolist()
    assert reply.arrays["table_bytes"].tolist() == [size * lab.table.dim * 4 for size in sizes]
    # Words: those among the most frequent of the training text, by the pre-tokenizer of the `tokenizers` library.
    split = pre_tokenizers.Whitespace().pre_tokenize_str
    counts = Counter(word for text in train for word, _ in split(text))
    held = [word for text in held_out for word, _ in split(text)]
    ranked = sorted(counts.values(), reverse=True)
    for place, size in enumerate(sizes):
        if size > len(counts):
            assert np.isnan(reply.arrays["unwritten"][1, place])
            continue
        least = ranked[size - 2]
        unwritten = sum(len(word) for word in held if counts[word] < least) / sum(map(len, held))
        above = sum(len(word) for word in held if counts[word] <= least) / sum(map(len, held))
        assert unwritten - 1e-9 <= reply.arrays["unwritten"][1, place] <= above + 1e-9  # ties at the border
        assert reply.arrays["median_counts"][1, place] == pytest.approx(
            np.median([sum(ranked[size - 1 :]), *ranked[: size - 1]])
        )


@pytest.mark.long
def test_bpe_writes_everything_with_fewer_tokens_at_larger_sizes(lab, ask) -> None:
    reply = ask(lab, "tokens/tradeoff")
    per_word = reply.arrays["tokens_per_word"][0]
    assert (np.diff(per_word[np.isfinite(per_word)]) < 0).all()
    assert not reply.arrays["unwritten"][0, 0]
    assert (np.diff(reply.arrays["unwritten"][1][:4]) < 0).all()
    np.testing.assert_allclose(reply.arrays["scores"], (1000 * reply.arrays["tokens_per_word"]) ** 2)
    # At 256 tokens there are no merges: the counts are those of the bytes.
    train, _ = sample_corpus()
    assert reply.arrays["median_counts"][0, 0] == np.median(
        np.bincount(np.frombuffer("".join(train).encode(), np.uint8), minlength=256)
    )


@pytest.mark.long
def test_bpe_of_one_size_equals_training_to_that_size(lab, ask) -> None:
    # The `tokenizers` library, trained to 1,024 tokens instead of truncated.
    train, _ = sample_corpus()
    library = Tokenizer(models.BPE())
    library.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=1024, min_frequency=2, initial_alphabet=alphabet, show_progress=False)
    library.train_from_iterator(train, trainer)
    counts = np.zeros(1024)
    for text in train:
        np.add.at(counts, library.encode(text).ids, 1)
    reply = ask(lab, "tokens/tradeoff")
    assert reply.arrays["median_counts"][0, reply.arrays["sizes"].tolist().index(1024)] == np.median(counts)
