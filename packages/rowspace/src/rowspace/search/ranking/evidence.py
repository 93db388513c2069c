"""Why a passage was found: the share of each of its words in the cosine, and of each query word in its BM25 score."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rowspace.encode.encoder import Encoder
from rowspace.encode.executor import cosine_shares
from rowspace.search.ranking.scores import Hit
from rowspace.search.ranking.search import key_filter, score_passages
from rowspace.search.storage.store import ChunkStore
from rowspace.search.storage.vectors import CONTEXT_WEIGHT, Passage, passages_of, unit_vectors
from rowspace.search.storage.words import shown_term, terms_of, with_parts

__all__ = ["Evidence", "explain_hits", "query_terms"]

_WORD = re.compile(r"[^\W_]+")
_MAX_TERMS = 40
"""Terms of a query that get a separate score; each needs a search."""


@lru_cache(maxsize=100_000)
def _terms(word: str) -> list[str]:
    return terms_of(with_parts(word))


class Evidence(NamedTuple):
    """Why a passage was found.

    Attributes:
        text: The passage's name, if it has one, and its text. Places are characters of it.
        spans: (n, 2) where each word and each other token begins and ends.
        shares: (n,) what each adds to the cosine.
        title, opening: What the title, and the opening of the file, add to the cosine.
        matches: (m, 3) where a word, or a part of one, begins and ends that is a term of the query, and the number of
            that term.
        scores: (q,) what each term of the query adds to the BM25 score of the passage's words; the sum is the score.
    """

    text: str
    spans: NDArray[np.int64]
    shares: NDArray[np.float64]
    title: float
    opening: float
    matches: NDArray[np.int64]
    scores: NDArray[np.float64]

    @property
    def cosine(self) -> float:
        """The cosine of the query and the passage."""
        return float(self.shares.sum()) + self.title + self.opening

    def words(self) -> list[tuple[str, float]]:
        """Return each word with what it adds to the cosine, the largest share first."""
        order = np.argsort(-self.shares, kind="stable").tolist()
        return [(self.text[slice(*self.spans[number])], float(self.shares[number])) for number in order]


def query_terms(query: str) -> list[str]:
    """Return the terms of a query whose BM25 scores are added up, each once.

    >>> query_terms("parse the parse_header")
    ['parse', 'the', 'header', 'parseheader']
    """
    return [shown_term(term) for term in _query_terms(query)]


def _query_terms(query: str) -> list[str]:
    """Return the terms as they are in the index."""
    return list(dict.fromkeys(terms_of(with_parts(query))))[:_MAX_TERMS]


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
    if not hits:
        return []
    all_terms, terms = terms_of(with_parts(query)), _query_terms(query)
    scores = np.zeros((len(hits), len(terms)))
    keys = [(hit.path, hit.chunk) for hit in hits]
    for number, term in enumerate(terms):
        found = score_passages(store, term, keys)
        scores[:, number] = [all_terms.count(term) * found.get(key, 0.0) for key in keys]
    rows = store.read(columns=["path", "chunk", "name", "title", "text"], filter=key_filter(keys))
    places = zip(rows["path"].to_pylist(), rows["chunk"].to_pylist(), strict=True)
    passages = dict(zip(places, passages_of(store, rows), strict=True))
    return [
        _evidence(encoder, vector, passages[key], hit, terms, own)
        for key, hit, own in zip(keys, hits, scores, strict=True)
    ]


def _evidence(
    encoder: Encoder,
    vector: NDArray[np.float32],
    passage: Passage,
    hit: Hit,
    terms: Sequence[str],
    scores: NDArray[np.float64],
) -> Evidence:
    text, title, opening = unit_vectors(encoder.encode(list(passage))).astype(np.float64)
    length = float(np.linalg.norm(text + CONTEXT_WEIGHT * (title + opening))) or 1.0
    found = encoder.token_rows(passage.text)
    spans, shares = _by_word(passage.text, found.spans, cosine_shares(vector, found.rows) / length)
    matches = [
        (begin, end, terms.index(term))
        for match in _WORD.finditer(passage.text, len(passage.text) - len(hit.text))  # names are words of the title
        for term, begin, end in _found_terms(match, terms)
    ]
    return Evidence(
        passage.text,
        spans,
        shares,
        CONTEXT_WEIGHT * float(title @ vector) / length,
        CONTEXT_WEIGHT * float(opening @ vector) / length,
        np.array(matches, np.int64).reshape(-1, 3),
        scores,
    )


def _found_terms(match: re.Match[str], terms: Sequence[str]) -> list[tuple[str, int, int]]:
    """Return the terms of a word that are the query's, and where they are; those inside of another one are left out."""
    lower, found, end = match[0].lower(), list[tuple[str, int, int]](), 0
    for term in _terms(match[0]):
        shown = shown_term(term)
        place = lower.find(shown, end)
        if term in terms and (place >= 0 or not found):
            begin = max(place, 0)
            end = begin + len(shown) if place >= 0 else len(lower)
            found.append((term, match.start() + begin, match.start() + end))
    return found


def _by_word(
    text: str, spans: NDArray[np.int64], shares: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Add up the shares of the tokens of each word; other tokens stay, without the space before them."""
    of_text = spans[:, 1] > 0  # unlike those of a default prompt
    spans, shares = spans[of_text], shares[of_text]
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
