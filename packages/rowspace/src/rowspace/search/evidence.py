"""Why a passage was found: the share of each of its words in the cosine, and of each query word in its BM25 score."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.encoder import Encoder
from rowspace.encode.token_rows import cosine_shares
from rowspace.search.dataset import import_lance
from rowspace.search.search import Hit, score_passages
from rowspace.search.store import ChunkStore

__all__ = ["Evidence", "QueryWord", "encoded_text", "explain_hits", "query_words", "term_of"]

_WORD = re.compile(r"[^\W_]+")
_MAX_WORDS = 40
"""Words of a query that get a separate score; each needs a search."""


class QueryWord(NamedTuple):
    """A word of a query.

    Attributes:
        word: The word.
        term: What the full-text index has for it: in lower case and stemmed; None for a stop word.
    """

    word: str
    term: str | None


class Evidence(NamedTuple):
    """Why a passage was found.

    Attributes:
        text: What was encoded: the passage's name, if it has one, and its text. Places are characters of it.
        spans: (n, 2) where each word and each other token begins and ends.
        shares: (n,) what each adds to the cosine; the sum is the cosine.
        matches: (m, 3) where a word begins and ends whose term is one of the query's, and the number of that term.
        scores: (q,) what each term of the query adds to the BM25 score; the sum is the score.
    """

    text: str
    spans: NDArray[np.int64]
    shares: NDArray[np.float64]
    matches: NDArray[np.int64]
    scores: NDArray[np.float64]

    def words(self) -> list[tuple[str, float]]:
        """Return each word with what it adds to the cosine, the largest share first."""
        order = np.argsort(-self.shares, kind="stable").tolist()
        return [(self.text[slice(*self.spans[number])], float(self.shares[number])) for number in order]


def encoded_text(hit: Hit) -> str:
    """Return what is encoded for a passage: its name, if it has one, and its text."""
    return f"{hit.name}\n{hit.text}" if hit.name else hit.text


def query_words(query: str) -> list[QueryWord]:
    """Return the words of a query with their terms, of which BM25 adds up the scores.

    >>> [(word.word, word.term) for word in query_words("the Exceptions")]
    [('the', None), ('Exceptions', 'except')]
    """
    return [QueryWord(word, term_of(word)) for word in _WORD.findall(query)[:_MAX_WORDS]]


@lru_cache(maxsize=100_000)
def term_of(word: str) -> str | None:
    """Return the term of the full-text index for a word; None for a stop word.

    >>> term_of("Naïve") == term_of("naive")
    True
    """
    tokens = import_lance().tokenize(word)
    return str(tokens[0].text) if tokens else None


def explain_hits(
    store: ChunkStore, encoder: Encoder, query: str, vector: NDArray[np.float32], hits: Sequence[Hit]
) -> list[Evidence]:
    """Return why each passage was found.

    Args:
        store: The index.
        encoder: Its encoder.
        query: The query.
        vector: (d,) that of the query.
        hits: Passages of the index.
    """
    words = query_words(query)
    terms = list(dict.fromkeys(word.term for word in words if word.term is not None))
    counts = [sum(word.term == term for word in words) for term in terms]
    scores = np.zeros((len(hits), len(terms)))
    keys = [(hit.path, hit.chunk) for hit in hits]
    for number, (term, count) in enumerate(zip(terms, counts, strict=True)):
        word = next(word.word for word in words if word.term == term)
        found = score_passages(store, word, keys)
        scores[:, number] = [count * found.get(key, 0.0) for key in keys]
    return [
        _evidence(encoder, vector, encoded_text(hit), hit, terms, own) for hit, own in zip(hits, scores, strict=True)
    ]


def _evidence(
    encoder: Encoder,
    vector: NDArray[np.float32],
    text: str,
    hit: Hit,
    terms: Sequence[str],
    scores: NDArray[np.float64],
) -> Evidence:
    found = encoder.token_rows(text)
    spans, shares = _by_word(text, found.spans, cosine_shares(vector, found.rows))
    matches = [
        (match.start(), match.end(), terms.index(term))
        for match in _WORD.finditer(text, len(text) - len(hit.text))  # names are not in the full-text index
        if (term := term_of(match[0])) in terms
    ]
    return Evidence(text, spans, shares, np.array(matches, np.int64).reshape(-1, 3), scores)


def _by_word(
    text: str, spans: NDArray[np.int64], shares: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Add up the shares of the tokens of each word; other tokens stay, without the space before them."""
    if not len(spans):
        return spans, shares
    begins_at = [begin + len(part) - len(part.lstrip()) for begin, part in ((a, text[a:b]) for a, b in spans.tolist())]
    spans = np.stack([np.minimum(begins_at, spans[:, 1]), spans[:, 1]], axis=1)
    word = np.full(len(text) + 1, -1, np.int64)
    for number, match in enumerate(_WORD.finditer(text)):
        word[match.start() : match.end()] = number
    own = word[spans[:, 0]]
    begins = np.ones(len(spans), np.bool_)
    begins[1:] = (own[1:] != own[:-1]) | (own[1:] < 0)
    firsts = np.flatnonzero(begins)
    lasts = np.append(firsts[1:], len(spans)) - 1
    joined = np.stack([spans[firsts, 0], spans[lasts, 1]], axis=1)
    return joined, np.add.reduceat(shares, firsts)
