"""Compile the kernels of learning, so that a first fit or training does not have to wait.

`scripts/setup` runs `python -m rowspace.learn.warm`; compiled code is cached on disk (`rowspace._base.jit`).
"""

from itertools import product

from rowspace.errors import MissingExtraError
from rowspace.learn.fit import fit
from rowspace.learn.graph.fit_graph import fit_graph
from rowspace.learn.items.fit_items import fit_items

__all__ = ["warm", "warm_classifier", "warm_fit", "warm_graph", "warm_items"]


def warm() -> None:
    """Run each kernel of learning and of deferred optimizers once."""
    warm_fit()
    warm_graph()
    warm_items()
    warm_classifier()
    _warm_optimizers()


def warm_fit(*, subwords: bool = True) -> None:
    """Run each kernel of `fit` once, on a few words; this is fast if all kernels are compiled.

    Args:
        subwords: Whether to include the kernels of n-grams.
    """
    many = " ".join(map(str, range(5000)))  # more words than a lexicon's initial capacity
    fit(["a small text for a start, é", many, many], dim=2, epochs=1, min_count=1, sample=0)
    if subwords:
        fit(["a small text for a start"], dim=2, epochs=1, min_count=1, sample=0, subwords=True, buckets=10)


def warm_graph() -> None:
    """Run each kernel of `fit_graph` once, on a few nodes."""
    fit_graph([("a", "b"), ("b", "c"), ("a", "c")], dim=2, epochs=1, walks=1, length=3, p=0.5, q=2)


def warm_items() -> None:
    """Run the kernels of alternating least squares and of CBOW once, on a few baskets."""
    fit_items([["a", "b", "c"], ["a", "b"]], model="als", dim=2, epochs=1)
    fit_items([["a", "b", "c"], ["a", "b"]], model="item2vec", dim=2, epochs=1)


def warm_classifier() -> None:
    """Run each kernel of `Classifier` once, on a few texts, if scikit-learn is installed."""
    try:
        from rowspace.learn.classifier.classifier import Classifier
    except MissingExtraError:
        return
    texts, labels = ["a text", "other words"] * 3, ["x", "y"] * 3
    for loss in ("softmax", "hierarchical"):
        Classifier(dim=2, epochs=1, buckets=100, loss=loss).fit(texts, labels).predict(texts)


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


if __name__ == "__main__":
    warm()
    print("kernels of learning are compiled")
