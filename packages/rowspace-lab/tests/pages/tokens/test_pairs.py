"""All pairs of adjacent tokens at each merge, within words and across spaces."""

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

TEXT = "the cat sat on the mat the cat"


def lesson(ask, lab, **parameters: object) -> tuple[dict[tuple[str, str], int], int]:
    reply = ask(lab, "tokens/pairs", text=TEXT, **parameters)
    counts = reply.arrays["counts"].tolist()
    assert reply.meta["num_pairs"] == sum(counts)
    return dict(zip(map(tuple, reply.meta["pairs"]), counts, strict=True)), reply.meta["num_tokens"]


def test_all_pairs_across_spaces(lab, ask) -> None:
    # Counted by hand: 30 characters have 29 pairs.
    pairs, characters = lesson(ask, lab, across="true")
    assert (characters, sum(pairs.values())) == (30, 29)
    assert next(iter(pairs.items())) == (("a", "t"), 4)
    assert {pair for pair, count in pairs.items() if count == 3} == {("t", "h"), ("h", "e"), ("e", " "), ("t", " ")}
    assert {pair for pair, count in pairs.items() if count == 2} == {(" ", "c"), ("c", "a"), (" ", "t")}
    assert sum(count == 1 for count in pairs.values()) == 7


def test_merges_across_spaces_shorten_the_text(lab, ask) -> None:
    found = [lesson(ask, lab, across="true", step=step) for step in range(5)]
    assert [next(iter(pairs)) for pairs, _ in found[:4]] == [("a", "t"), ("t", "h"), ("th", "e"), ("the", " ")]
    assert [num_tokens for _, num_tokens in found] == [30, 26, 23, 20, 17]


def test_no_pair_crosses_a_space_by_default(lab, ask) -> None:
    for step in range(9):
        pairs, _ = lesson(ask, lab, step=step)
        assert not any(" " in token for pair in pairs for token in pair)


@pytest.mark.parametrize("across", [False, True])
def test_the_first_pair_is_the_next_merge(lab, ask, check_code, across: bool) -> None:
    merges = check_code(lab, "tokens/merges", text=TEXT, across=str(across).lower()).meta["merges"]
    for step, merge in enumerate(merges):
        pairs, _ = lesson(ask, lab, step=step, across=str(across).lower())
        assert list(next(iter(pairs))) == merge[:2]
    after = check_code(lab, "tokens/pairs", text=TEXT, step=1000, across=str(across).lower())
    assert after.meta["step"] == len(merges)
    assert max(after.arrays["counts"], default=0) < 2


def test_steps_equal_the_library_without_a_pre_tokenizer(lab, ask) -> None:
    # The `tokenizers` library, trained on a text without ties between its first three pairs.
    text = "aaab aaab ab ab ab ac"
    library = Tokenizer(models.BPE())
    library.train_from_iterator([text], trainers.BpeTrainer(vocab_size=4 + 3, show_progress=False))
    assert ask(lab, "tokens/pairs", text=text, across="true", step=3).meta["num_tokens"] == len(
        library.encode(text).tokens
    )
    library.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    library.train_from_iterator([text], trainers.BpeTrainer(vocab_size=3 + 2, show_progress=False))
    assert ask(lab, "tokens/pairs", text=text, step=2).meta["num_tokens"] == len(library.encode(text).tokens)


@pytest.mark.parametrize("text", ["", " ", "a", "aaaa", "🙂🙂 안녕 안녕", "\ud800x \ud800x", "a\0b a\0b"])
def test_unusual_text(lab, check_code, text: str) -> None:
    for across in ("false", "true"):
        reply = check_code(lab, "tokens/pairs", text=text, across=across, step=1)
        check_code(lab, "tokens/merges", text=text, across=across)
        assert len(reply.meta["pairs"]) == len(reply.arrays["counts"])
