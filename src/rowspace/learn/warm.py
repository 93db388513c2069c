"""Compile every kernel that a first `fit` needs, so that it does not have to wait.

`python -m rowspace.learn.warm` is what `scripts/setup` runs; compiled code is kept on disk (`rowspace._base.jit`).
"""

from rowspace.learn.fit import fit

__all__ = ["warm"]


def warm(*, subwords: bool = True) -> None:
    """Run each kernel once, on a few words; takes no time where all are compiled already.

    Args:
        subwords: whether the kernels of n-grams are needed too.
    """
    many = " ".join(map(str, range(5000)))  # more words than a lexicon first has room for
    fit(["a small text for a start, é", many, many], dim=2, epochs=1, min_count=1, sample=0)
    if subwords:
        fit(["a small text for a start"], dim=2, epochs=1, min_count=1, sample=0, subwords=True, buckets=10)


if __name__ == "__main__":
    warm()
    print("kernels of learning are compiled")
