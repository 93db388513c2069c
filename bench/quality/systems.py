"""The compared systems: each indexes a corpus, and returns functions from a query to files.

A system is a function of a `Corpus`; it returns searches by name, and the megabytes of its index on disk. A search
returns the files of the 50 best passages, best first, so that a file may come several times.
"""

import heapq
import os
import re
from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import lancedb
import numpy as np
from model2vec import StaticModel
from sentence_transformers import SentenceTransformer

from rowspace.cli.default_table import index_table_path, open_default_table
from rowspace.learn.default_table import encoder_folder
from rowspace.search import Index
from rowspace.search.storage.vectors import passage_text, unit_vectors
from tasks import import_peers

import_peers()
import bm25s  # noqa: E402  # after the line that makes the peers importable
from semble import ContentType, SembleIndex  # noqa: E402  # likewise
from semble.cache import save_index_to_cache  # noqa: E402  # likewise

DEPTH = 50
RRF = 60  # the constant of reciprocal rank fusion
PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_a-zA-Z]+")
UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]")  # Thai, Chinese and Japanese
WORDS = re.compile(r"[\w\u0e31\u0e34-\u0e3a\u0e47-\u0e4e]+")  # with the vowels and tones of Thai
STOP_WORDS = frozenset(bm25s.tokenization.STOPWORDS_EN)
MINILM = ("html",)  # the corpora whose passages the transformer encodes, in minutes


class Corpus(NamedTuple):
    """Files, and the passages of rowspace's index of them; `place` is a folder for indexes."""

    name: str
    folder: Path
    place: Path
    paths: list[str]
    texts: list[str]

    @classmethod
    def read(cls, name, folder, place):
        """Return a corpus with its passages, each with the names of its function or headings."""
        Index.build(folder, stdlib_table(), place / "passages")
        table = lancedb.connect(place / "passages").open_table("chunks").to_arrow()
        rows = table.select(["path", "name", "text"]).to_pylist()
        return cls(name, folder, place, [r["path"] for r in rows], [passage_text(r["name"], r["text"]) for r in rows])


def distilled_table():
    """Return the path of the default table of an index."""
    return index_table_path()


def stdlib_table():
    """Return the path of the table learned from the standard library, the default without the sentence encoder."""
    return open_default_table()[1]


def by_rowspace(corpus, title, table):
    place = corpus.place / f"rowspace {title}"
    index = Index.build(corpus.folder, table, place)

    def search(query, mode):
        return [hit.path for hit in index.search(query, k=DEPTH, mode=mode)]

    modes = {mode: lambda query, mode=mode: search(query, mode) for mode in ("hybrid", "dense", "lexical")}
    return {f"rowspace, {title}, {mode}": each for mode, each in modes.items()}, megabytes(place)


def by_encoder(corpus):
    """Index with the sentence encoder itself, which takes a core some 20 minutes for each corpus."""
    return by_rowspace(corpus, "encoder", encoder_folder())


def by_reranked(corpus):
    """Index with the default table, and let the sentence encoder order the best 50 passages of each query."""
    place = corpus.place / "rowspace reranked"
    Index.build(corpus.folder, distilled_table(), place)
    index = Index.open(place, distilled_table(), reranker=encoder_folder())
    return {"rowspace, distilled, reranked": lambda query: [hit.path for hit in index.search(query, k=DEPTH)]}, (
        megabytes(place)
    )


def bm25(texts, words, place):
    """Return a search of numbers of texts by bm25s; the index is saved without the texts."""
    index = bm25s.BM25()
    index.index([words(text) for text in texts], show_progress=False)
    index.save(place)

    def search(query):
        found, scores = index.retrieve([words(query)], k=min(DEPTH, len(texts)), show_progress=False)
        return found[0][scores[0] > 0].tolist()

    return search


def by_bm25s(corpus, title, words):
    search = bm25(corpus.texts, words, corpus.place / title)
    return {title: lambda query: [corpus.paths[row] for row in search(query)]}, megabytes(corpus.place / title)


def by_bm25s_of_files(corpus, title):
    files = {path: [str(Path(path).relative_to(corpus.folder).with_suffix(""))] for path in corpus.paths}
    for path, text in zip(corpus.paths, corpus.texts, strict=True):
        files[path].append(text)
    whole = corpus._replace(paths=list(files), texts=["\n".join(texts) for texts in files.values()])
    return by_bm25s(whole, title, split_words)


def plain_words(text):
    """Return words as in the documentation of bm25s, with its English stop words."""
    return bm25s.tokenize(text, stopwords="en", return_ids=False, show_progress=False)[0]


def split_words(text):
    """Return words and the parts of identifiers, of Thai, Chinese and Japanese pairs of characters.

    On the tuning set, a stemmer did not help.
    """
    words = []
    for word in WORDS.findall(text):
        parts = list(map("".join, pairwise(word))) if UNSPACED.search(word) else PARTS.findall(word)
        words += [word.lower(), *(part.lower() for part in parts if len(parts) > 1)]
    return [word for word in words if word not in STOP_WORDS]


def by_counts(corpus):
    """Rank passages by how many words of the query they have, and then by how often."""
    places = defaultdict(Counter)
    for row, text in enumerate(corpus.texts):
        for word in split_words(text):
            places[word][row] += 1

    def search(query):
        distinct, often = Counter(), Counter()
        for word in set(split_words(query)):
            distinct.update(places[word].keys() if word in places else ())
            often.update(places.get(word, {}))
        best = heapq.nsmallest(DEPTH, distinct, key=lambda row: (-distinct[row], -often[row], row))
        return [corpus.paths[row] for row in best]

    return {"counts of words": search}, 0


def dense(texts, encode):
    """Return a search of numbers of texts by the cosine of their vectors, and the vectors."""
    vectors = unit_vectors(encode(texts))

    def search(query):
        return np.argsort(-(vectors @ unit_vectors(encode([query]))[0]), kind="stable")[:DEPTH].tolist()

    return search, vectors


def by_model2vec(corpus):
    model = StaticModel.from_pretrained(distilled_table())
    nearest, vectors = dense(corpus.texts, model.encode)
    best = bm25(corpus.texts, split_words, corpus.place / "with vectors")

    def hybrid(query):
        scores = {}
        for ranking in (nearest(query), best(query)):
            for rank, row in enumerate(ranking, 1):
                scores[row] = scores.get(row, 0) + 1 / (RRF + rank)
        return sorted(scores, key=scores.get, reverse=True)[:DEPTH]

    searches = {"model2vec + bm25s, split": hybrid, "model2vec, dense": nearest}
    files = {
        name: lambda query, search=search: [corpus.paths[row] for row in search(query)]
        for name, search in searches.items()
    }
    return files, megabytes(corpus.place / "with vectors") + vectors.nbytes / 1e6


def by_minilm(corpus):
    if corpus.name not in MINILM:
        return {}, 0
    model = SentenceTransformer(str(encoder_folder()), device="cpu")
    nearest, vectors = dense(corpus.texts, lambda texts: model.encode(texts, show_progress_bar=False))
    return {"MiniLM, dense": lambda query: [corpus.paths[row] for row in nearest(query)]}, vectors.nbytes / 1e6


def by_semble(corpus):
    """Index as its documentation advises: a local model, and the content that the files are."""
    os.environ |= {"SEMBLE_CACHE_LOCATION": str(corpus.place / "semble"), "HF_HUB_OFFLINE": "1"}
    content = ContentType.CODE if corpus.name in ("stdlib", "code") else ContentType.DOCS
    index = SembleIndex.from_path(corpus.folder, content, model_path=distilled_table())
    save_index_to_cache(index, str(corpus.folder))

    def search(query):
        return [str(corpus.folder / hit.chunk.file_path) for hit in index.search(query, top_k=DEPTH)]

    return {"semble": search}, megabytes(corpus.place / "semble")


def megabytes(place):
    return sum(path.stat().st_size for path in place.rglob("*") if path.is_file()) / 1e6


SYSTEMS = {
    "rowspace": lambda corpus: by_rowspace(corpus, "distilled", distilled_table()),
    "rowspace, stdlib": lambda corpus: by_rowspace(corpus, "learned from stdlib", stdlib_table()),
    "reranked": by_reranked,
    "encoder": by_encoder,
    "bm25s, split": lambda corpus: by_bm25s(corpus, "bm25s, split", split_words),
    "bm25s, files": lambda corpus: by_bm25s_of_files(corpus, "bm25s, split, whole files"),
    "bm25s": lambda corpus: by_bm25s(corpus, "bm25s", plain_words),
    "counts": by_counts,
    "model2vec": by_model2vec,
    "semble": by_semble,
    "MiniLM": by_minilm,
}
HALVES = {
    **{
        f"rowspace, {table}, hybrid": [f"rowspace, {table}, {mode}" for mode in ("dense", "lexical")]
        for table in ("distilled", "learned from stdlib", "encoder")
    },
    "model2vec + bm25s, split": ["model2vec, dense", "bm25s, split"],
}
