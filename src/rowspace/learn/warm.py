"""Compile every kernel that a first `fit` and its first questions need, so that neither has to wait.

`python -m rowspace.learn.warm` is what `scripts/setup` runs; compiled code is kept on disk (`rowspace.jit`).
"""

from rowspace.learn.fit import fit

__all__ = ["warm"]


def warm() -> None:
    """Run each kernel once, on a few words; takes no time where all are compiled already."""
    table = fit(["a small text for a start, é", "a text and a start"], dim=2, epochs=1, min_count=1)
    table.neighbors(["a", "text"], k=1)
    table.analogy("a", "text", "small", k=1)


if __name__ == "__main__":
    warm()
    print("kernels are compiled")
