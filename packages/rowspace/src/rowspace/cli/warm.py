"""Compile the kernels, so that the first use of each does not have to wait.

`scripts/setup` runs `python -m rowspace.cli.warm PART...`, and `rowspace compile` all parts; compiled code is cached on
disk (`rowspace._base.jit`), and all is fast if it is there.
"""

import sys
import tempfile
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from rowspace.errors import MissingExtraError

__all__ = [
    "PARTS",
    "warm_classifier",
    "warm_encode",
    "warm_fit",
    "warm_graph",
    "warm_items",
    "warm_learn",
    "warm_options",
    "warm_serve",
    "warm_space",
    "warm_store",
]


def warm_encode() -> None:
    """Run each scanner and each kernel of pooling once."""
    import numba  # noqa: F401  # so that the first text is scanned

    from rowspace.encode.flat_tokenizer import FlatTokenizer
    from rowspace.encode.pooling import warm_pooling
    from rowspace.text import WordTokenizer

    for text in (*_tokenizers(), WordTokenizer(["a", "中"], unspaced=["中"]).to_json()):
        FlatTokenizer(text).encode(["a ab, é"])
    warm_pooling()


def _tokenizers() -> list[str]:
    """Return small tokenizers like those of BERT, GPT-2 and Gemma, and a Unigram tokenizer."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    bert = Tokenizer(models.WordPiece({"[UNK]": 0, "a": 1, "##b": 2}, unk_token="[UNK]"))
    bert.normalizer = normalizers.BertNormalizer()
    bert.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    alphabet = [*sorted(pre_tokenizers.ByteLevel.alphabet()), "ab"]
    gpt2 = Tokenizer(models.BPE({token: number for number, token in enumerate(alphabet)}, [("a", "b")]))
    gpt2.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokens = [*(f"<0x{byte:02X}>" for byte in range(256)), *"▁ab", "ab"]
    vocabulary = {token: number for number, token in enumerate(tokens)}
    gemma = Tokenizer(models.BPE(vocabulary, [("a", "b")], byte_fallback=True))
    gemma.normalizer = normalizers.Replace(" ", "▁")
    unigram = Tokenizer(models.Unigram([("[UNK]", 0.0), ("▁", -1.0), ("a", -1.0)], 0, byte_fallback=False))
    unigram.pre_tokenizer = pre_tokenizers.Metaspace()
    return [tokenizer.to_str() for tokenizer in (bert, gpt2, gemma, unigram)]


def warm_store() -> None:
    """Run each kernel of the readers and writers once, on tables of two words."""
    from rowspace.store.kernels import has_odd_number
    from rowspace.store.model_formats import fasttext
    from rowspace.store.text_formats import tsv, word2vec, word2vec_text
    from rowspace.subwords.hashing import Subwords
    from rowspace.table import Table

    rows = np.eye(2, dtype=np.float32)
    table = Table(["a", "é"], rows)
    has_odd_number(np.zeros(4, np.uint8))  # of a row before a word that may be shifted
    with_ngrams = Table(["a", "é"], rows, subwords=Subwords(rows, rows, np.zeros(1, np.int32)))
    with tempfile.TemporaryDirectory() as folder:
        for kind, name in ((word2vec, "v.bin"), (word2vec_text, "v.vec"), (tsv, "vectors.tsv")):
            kind.save(table, Path(folder, name))
            kind.load(Path(folder, name))
        fasttext.save(with_ngrams, Path(folder, "m.bin"))
        fasttext.load(Path(folder, "m.bin"))


def warm_space() -> None:
    """Run the kernels of the neighbor search once."""
    from rowspace.space.neighbors import FEW_QUERIES, nearest

    single = np.eye(FEW_QUERIES + 1, 2, dtype=np.float32)
    for rows in (single, single.astype(np.float64)):
        mapped = rows.copy()
        mapped.setflags(write=False)  # rows of a saved table are read-only, which is another type for Numba
        for some in (rows, mapped):
            nearest(rows, some, 1)


def warm_serve() -> None:
    """Run the kernel of the server's replies once."""
    from rowspace.serve.embeddings.reply import json_arrays

    list(json_arrays(np.ones((1, 1), np.float32)))


def warm_learn() -> None:
    """Run each kernel of learning and of deferred optimizers once."""
    warm_fit()
    _warm_segmenter()
    warm_graph()
    warm_items()
    warm_classifier()
    _warm_optimizers()


def warm_fit(*, subwords: bool = True) -> None:
    """Run each kernel of `fit` once, on a few words.

    Args:
        subwords: Whether to include the kernels of n-grams.
    """
    from rowspace.learn.fit import fit

    many = " ".join(map(str, range(5000)))  # more words than a lexicon's initial capacity
    fit(["a small text for a start, é", many, many], dim=2, epochs=1, min_count=1, sample=0)
    if subwords:
        fit(["a small text for a start"], dim=2, epochs=1, min_count=1, sample=0, subwords=True, buckets=10)


def warm_options() -> None:
    """Run the kernels of less common options of `fit` once, and those of documents and phrases.

    They take as long as all others, so `scripts/setup` leaves them out.
    """
    from rowspace.learn.documents.documents import fit_documents
    from rowspace.learn.fit import fit

    texts = ["a small text for a start", "a b"] * 2
    few: dict[str, Any] = {"dim": 2, "epochs": 1, "min_count": 1, "sample": 0}
    old = fit(texts, **few)
    for deterministic in (False, True):
        fit([*texts, "a new text"], init=old, freeze="old", deterministic=deterministic, **few)
    fit(texts, deterministic=True, **few)
    fit_documents(texts, **few).infer(texts)
    fit(texts, phrases=3, **few)


def _warm_segmenter() -> None:
    """Run the kernels that learn words of scripts without spaces once."""
    from rowspace.learn.fit import fit

    fit(["我们学习中文", "中文我们学习"], dim=2, epochs=1, min_count=1, sample=0)


def warm_graph() -> None:
    """Run each kernel of `fit_graph` once, on a few nodes."""
    from rowspace.learn.graph.fit_graph import fit_graph

    fit_graph([("a", "b"), ("b", "c"), ("a", "c")], dim=2, epochs=1, walks=1, length=3, p=0.5, q=2)


def warm_items() -> None:
    """Run the kernels of alternating least squares and of CBOW once, on a few baskets."""
    from rowspace.learn.items.fit_items import fit_items

    fit_items([["a", "b", "c"], ["a", "b"]], model="als", dim=2, epochs=1)
    fit_items([["a", "b", "c"], ["a", "b"]], model="item2vec", dim=2, epochs=1)


def warm_classifier() -> None:
    """Run each kernel of `Classifier` once, on a few texts, if scikit-learn is installed."""
    try:
        from rowspace.learn.classifier.classifier import Classifier
    except MissingExtraError:
        return
    from rowspace.learn.classifier.rows.dictionary import count_dictionary, joined

    texts, labels = ["a text", "other words"] * 3, ["x", "y"] * 3
    for loss in ("softmax", "hierarchical"):
        Classifier(dim=2, epochs=1, buckets=100, loss=loss).fit(texts, labels).predict(texts)
    data, starts = joined(texts)
    count_dictionary(data, starts, min_count=1, threads=2, least=1)


def _warm_optimizers() -> None:
    """Run the kernels of deferred optimizers in both of their dtypes, if torch is installed."""
    try:
        import torch
    except ImportError:
        return
    from rowspace.layers import TokenEmbedding
    from rowspace.optim import DeferredAdamW, DeferredSGD, RowAdagrad

    for make, dtype in product((DeferredAdamW, DeferredSGD, RowAdagrad), (torch.float32, torch.float64)):
        table = TokenEmbedding(2, 2, sparse=True, dtype=dtype)
        optimizer = make(table)
        for ids in ([0, 1], [0], [0], [1]):
            table(torch.tensor(ids)).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
        optimizer.flush()


PARTS = {
    "encode": warm_encode,
    "store": warm_store,
    "space": warm_space,
    "serve": warm_serve,
    "learn": warm_learn,
    "options": warm_options,
}

if __name__ == "__main__":
    for name in sys.argv[1:]:
        PARTS[name]()
        print(f"kernels of {name} are compiled")
