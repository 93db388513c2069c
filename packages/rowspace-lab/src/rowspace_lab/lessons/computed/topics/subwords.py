"""The numbers of lesson 4: counts of words, merges of a text, pieces, and how far rare and frequent rows move."""

from collections import Counter
from collections.abc import Mapping
from functools import partial
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError
from rowspace.table import Table
from rowspace.text import cached_default_tokenizer, default_tokenizer, standard_library, truncate_vocabulary
from rowspace_lab.lessons.computed.written import picked
from rowspace_lab.lessons.question import Question, choice, number, slider
from rowspace_lab.pages.tokens.pairs import join_pair, pairs_figure
from rowspace_lab.pages.tokens.tradeoff import bpe_by_size, words_by_size
from rowspace_lab.tables.small_world import small_world_sentences

__all__ = ["counts", "doubled", "held_out", "merges", "moved", "next_pair", "rare_rows"]

TEXT = "the cat sat on the mat the cat"
PLAIN, CANAL, SHELLS = (
    "the rain in spain stays on the plain",
    "a man can plan a canal",
    "she sells sea shells by the sea",
)
STEPS = ((TEXT, 1), (PLAIN, 1), (SHELLS, 0), (CANAL, 2), (PLAIN, 2))
"""A text, and the number of merges that it has had."""
RARE = 10
FEWER = (RARE, 5, 20, 50, 100)
FEW, MANY = 2, 30  # counts of the rows that `moved` compares
DIM, STD, RATE = 16, 0.02, 0.1
WORDS = ("transformerization", "unhappiness", "internationalization", "misunderstanding", "reconfiguration")
FIRST_SIZE = 2048  # of the vocabulary that is doubled


def counts() -> Mapping[str, object]:
    """Return the counts of some words of the small world's sentences, and the share of the most and least frequent."""
    counted = Counter(word for sentence in small_world_sentences() for word in sentence.split())
    total, top = counted.total(), counted.most_common(10)
    rare = sum(count < RARE for count in counted.values())
    return {
        "the": counted["the"],
        "duck": counted["duck"],
        "unseen": counted["transformerization"],
        "words": total,
        "rows": len(counted),
        "top": len(top),
        "top_share": sum(count for _, count in top) / total,
        "rare": RARE,
        "rare_rows": rare,
        "rare_share": rare / len(counted),
    }


def moved() -> Mapping[str, object]:
    """Train rows to predict the next word in one pass over the small world's sentences, and measure how far they move.

    Rows start from a normal distribution; plain SGD moves the rows and a separate head, a sentence at a time.
    """
    sentences = [sentence.split() for sentence in small_world_sentences()]
    counted = Counter(word for sentence in sentences for word in sentence)
    ids = {word: id for id, word in enumerate(counted)}
    draw = np.random.default_rng(0)
    start, head = (draw.normal(0, STD, (len(ids), DIM)) for _ in range(2))
    rows = start.copy()
    for place in draw.permutation(len(sentences)):
        learn_sentence(rows, head, np.array([ids[word] for word in sentences[place]]))
    distances = np.linalg.norm(rows - start, axis=1)
    times = np.array(list(counted.values()))
    return {
        "start": float(np.median(np.linalg.norm(start, axis=1))),
        "few": FEW,
        "few_moved": float(np.median(distances[times <= FEW])),
        "many": MANY,
        "many_moved": float(np.median(distances[times >= MANY])),
    }


def learn_sentence(rows: NDArray[np.float64], head: NDArray[np.float64], ids: NDArray[np.int64]) -> None:
    """Take a step of SGD on the cross-entropy of each next word of a sentence."""
    inputs, targets = rows[ids[:-1]], ids[1:]
    chances = np.exp(inputs @ head.T)
    errors = chances / chances.sum(1, keepdims=True)
    errors[np.arange(len(targets)), targets] -= 1
    upstream = errors @ head
    head -= RATE * errors.T @ inputs
    np.subtract.at(rows, ids[:-1], RATE * upstream)


def merges() -> Mapping[str, object]:
    """Return the pairs and tokens of the text before and after the first merges, across spaces."""
    steps = [pairs_figure(text=TEXT, across=True, step=step) for step in range(5)]
    tokens = [list(TEXT)]
    for step in steps[:3]:
        tokens.append(join_pair(tokens[-1], step["pairs"][0]))
    return {
        "characters": steps[0]["num_tokens"],
        "pairs": steps[0]["num_pairs"],
        "most": int(steps[0]["counts"][0]),
        "tied": int(steps[0]["counts"][1]),
        "pairs_tied": int((steps[1]["counts"] == steps[1]["counts"][0]).sum()),
        "after": {name: step["num_tokens"] for name, step in zip(("at", "th", "the", "the_"), steps[1:], strict=True)},
        "th_before": tokens[2].count("th"),
        "th_after": tokens[3].count("th"),
    }


def held_out() -> Mapping[str, float]:
    """Return the share of a file's characters that words, pieces and bytes learned from other files cannot write."""
    texts = list(islice(standard_library(), 0, 80, 8))  # those of fewer files have too few words in Python 3.12
    corpus, size = (texts[1:], texts[:1]), 1000
    (words,), (bytes_alone, pieces) = words_by_size(corpus, [size]), bpe_by_size(corpus, [256, 512])
    if words is None or bytes_alone is None or pieces is None:
        raise UsageError("the standard library of this Python has too few words")
    shares = [1 - coverage.covered for coverage, _ in (words, bytes_alone, pieces)]
    return {"size": size, "words": shares[0], "bytes": shares[1], "pieces": shares[2]}


def next_pair(table: Table, seed: int) -> Question:
    """Ask which pair byte-pair encoding merges next; the options are pairs of the text at that step."""
    text, step = picked(seed, STEPS)
    found = pairs_figure(text=text, across=True, step=step)
    pairs = sorted(found["pairs"][:4])
    answer = partial(next_pair_figure, text=text, step=step)
    return choice(
        [f"{shown_token(left)} + {shown_token(right)}" for left, right in pairs], answer, text=text, step=step
    )


def next_pair_figure(*, text: str, step: int) -> Mapping[str, object]:
    """Return the place of the next pair among the four most frequent ones, sorted by their tokens, and its count."""
    found = pairs_figure(text=text, across=True, step=step)
    pairs, times = found["pairs"], found["counts"]
    return {
        "answer": sorted(pairs[:4]).index(pairs[0]),
        "count": int(times[0]),
        "tied": int((times == times[0]).sum()),
        "tokens": found["num_tokens"],
        "next": pairs_figure(text=text, across=True, step=step + 1)["num_tokens"],
    }


def shown_token(token: str) -> str:
    """Return a token with visible spaces."""
    return token.replace(" ", "␣")


def rare_rows(table: Table, seed: int) -> Question:
    """Ask which share of the table's rows was seen seldom in its training text."""
    if table.counts is None:
        raise UsageError("this table has no counts; choose another one, such as Small world")
    fewer = picked(seed, FEWER)
    answer = partial(rare_rows_figure, fewer=fewer)
    return slider((0, 100, 1), answer, tolerance=10, unit="%", fewer=fewer, rows=f"{len(table):,}")


def rare_rows_figure(table: Table, *, fewer: int) -> Mapping[str, object]:
    """Return the percentage of rows with a count below `fewer`, and the share of the text that the top tenth makes."""
    times = np.sort(np.array(table.counts))[::-1]
    top = times[: max(1, len(times) // 10)]
    return {
        "answer": round(float(100 * np.mean(times < fewer)), 1),
        "rare": f"{np.count_nonzero(times < fewer):,}",
        "top_share": round(float(100 * top.sum() / max(1, times.sum())), 1),
    }


def doubled(table: Table, seed: int) -> Question:
    """Ask how many pieces a word has when the vocabulary doubles."""
    cached = cached_default_tokenizer()
    if cached is None:
        raise UsageError("the tokenizer is not learned yet; the figure above learns it, then load this lesson again")
    sizes = [1 << power for power in range(9, 20) if 2 << power <= cached[0].get_vocab_size()]
    if FIRST_SIZE not in sizes:
        raise UsageError("the tokenizer of the standard library has too few tokens")
    word, size = picked(seed, WORDS), int(np.random.default_rng(seed).choice(sizes)) if seed else FIRST_SIZE
    answer = partial(doubled_figure, word=word, size=size)
    before = truncate_vocabulary(cached[0], size).encode(word).tokens
    named: dict[str, Any] = {"size": f"{size:,}", "larger": f"{2 * size:,}", "small": size, "large": 2 * size}
    return number(answer, word=word, pieces=len(before), cut="·".join(before), **named)


def doubled_figure(*, word: str, size: int) -> Mapping[str, object]:
    """Return the number of a word's pieces at twice the vocabulary size, and the pieces."""
    pieces = truncate_vocabulary(default_tokenizer()[0], 2 * size).encode(word).tokens
    return {"answer": len(pieces), "after": "·".join(pieces)}
