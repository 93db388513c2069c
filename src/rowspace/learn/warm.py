"""Compile every kernel that a first `fit` and its first questions need, so that neither has to wait.

`python -m rowspace.learn.warm` is what `scripts/setup` runs; compiled code is kept on disk (`rowspace._base.jit`).
"""

from rowspace.learn.fit import fit
from rowspace.table import Table

__all__ = ["warm"]


def warm() -> None:
    """Run each kernel once, on a few words; takes no time where all are compiled already."""
    many = " ".join(map(str, range(5000)))  # more words than a lexicon first has room for
    learned = fit(["a small text for a start, é", many, many], dim=2, epochs=1, min_count=1, sample=0)
    mapped = learned.rows.copy()
    mapped.setflags(write=False)  # as rows are that a saved table maps: another type to a kernel
    fit(["a small text for a start"], dim=2, epochs=1, min_count=1, sample=0, subwords=True, buckets=10)
    for table in (learned, Table(learned.vocabulary, mapped)):
        table.neighbors("a", k=1)
        table.analogy("a", "text", "small", k=1)


if __name__ == "__main__":
    warm()
    print("kernels are compiled")
