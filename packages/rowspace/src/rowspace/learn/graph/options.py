"""`GraphOptions`: how the nodes of a graph get rows, with the meanings of node2vec."""

import dataclasses
from typing import Annotated, TypedDict

from rowspace._base.options import Dim, Option, Seed, Workers, validate_options
from rowspace.errors import UsageError
from rowspace.learn.options import FitOptions

__all__ = ["GraphKeywords", "GraphOptions"]

# The defaults are a compromise over the graphs of docs/guides/graphs.md. Hidden links of 8 blocks of 60 nodes, and of
# the imports of the standard library, AUC: 0.69 and 0.75 by default; 0.63 for the blocks with five epochs at the rates
# of `fit`; 0.69 and 0.78 at half of alpha, but 0.59 and 0.74 at a quarter, where digits fall from 0.99 to 0.94; 0.71
# and 0.74 with a window of 3, 0.66 and 0.77 with one of 10; 0.72 and 0.78 with 2 negatives. Lengths of 20 to 80 with as
# many visits, 32 to 128 columns and exponents of 0 to 1 differ by less than 0.015 on both.


@dataclasses.dataclass(frozen=True, kw_only=True)
class GraphOptions:
    """How the edges are read, how random walks go over them, and how rows are learned from the walks.

    Attributes:
        dim: Length of a row.
        walks: Walks from each node in an epoch; each epoch has new ones.
        length: Nodes of a walk.
        p: A walk returns to its previous node with a bias of 1/p.
        q: A walk goes on to a node without an edge from the previous one with a bias of 1/q. With p=1 and q=1 the walk
            has no memory (DeepWalk).
        directed: Whether walks follow edges in one direction only. None: as a NetworkX graph says, and undirected
            otherwise.
        source_column, target_column: The columns of CSV, JSON lines or Parquet with the nodes of an edge.
        weight_column: The column with its weight, or the attribute of edges of a NetworkX graph; None for "weight", if
            there is one.
        epochs: Passes over all nodes.
        window: Maximum number of neighbors on each side of a node in a walk.
        shrink_windows: Draw each window's size from 1..window, so that near nodes have more weight.
        negatives: Negative samples per window.
        ns_exponent: Negatives are drawn in proportion to count ** ns_exponent.
        alpha, min_alpha: Learning rate at the start and at the end, linear in between. `alpha=None` is 0.025, or less
            where the fit would diverge, for example with very wide windows (`rowspace.learn.word2vec.rates`).
        workers: Threads; `None` uses all cores. Results of one worker are reproducible, those of several are only if
            the fit is deterministic.
        deterministic: Learn the same rows with any number of workers, as `fit` does.
        seed: Seed of the initial rows, the walks and all sampling.

    Raises:
        UsageError: A value is invalid; the message names it.

    >>> GraphOptions(p=0.5).q
    1.0
    """

    dim: Dim = 128
    walks: Annotated[int, Option("Walks from each node in an epoch.", minimum=1, maximum=100_000)] = 10
    length: Annotated[int, Option("Nodes of a walk.", minimum=2, maximum=4_096)] = 40
    p: Annotated[float, Option("Return to the previous node with a bias of 1/p.", minimum=1e-3, maximum=1e3)] = 1.0
    q: Annotated[float, Option("Leave its neighborhood with a bias of 1/q.", minimum=1e-3, maximum=1e3)] = 1.0
    directed: Annotated[
        bool | None,
        Option("Follow edges in one direction only.", default="undirected", flags="--directed/--undirected"),
    ] = None
    source_column: Annotated[str, Option("Column with the first node of an edge.")] = "source"
    target_column: Annotated[str, Option("Column with the second node.")] = "target"
    weight_column: Annotated[str | None, Option("Column with the weight.", default="weight, if there is one")] = None
    epochs: Annotated[int, Option("Passes over all nodes.", minimum=1, maximum=100_000)] = 1
    window: Annotated[int, Option("Maximum number of neighbors on each side.", minimum=1, maximum=1_000)] = 5
    shrink_windows: Annotated[
        bool,
        Option(
            "Draw each window's size, so that near nodes have more weight.",
            default="shrink",
            flags="--shrink-windows/--fixed-windows",
        ),
    ] = True
    negatives: Annotated[int, Option("Negative samples per window.", minimum=1, maximum=1_000)] = 5
    ns_exponent: Annotated[
        float, Option("Draw negatives in proportion to count to this power.", minimum=-10.0, maximum=10.0)
    ] = 0.75
    alpha: Annotated[
        float | None, Option("Learning rate at the start.", minimum=0.0, maximum=10.0, default="0.025")
    ] = None
    min_alpha: Annotated[float, Option("Learning rate at the end.", minimum=0.0, maximum=10.0)] = 0.0
    workers: Workers = None
    deterministic: Annotated[
        bool,
        Option("Learn the same rows with any number of workers.", default="depend on workers", flags="--deterministic"),
    ] = False
    seed: Seed = 1

    def __post_init__(self) -> None:
        validate_options(self)
        for name in ("source_column", "target_column", "weight_column"):
            value = getattr(self, name)
            if not (isinstance(value, str) and value) and (name, value) != ("weight_column", None):
                raise UsageError(f"{name} must be the name of a column, not {value!r}")
        self.for_learning()

    def for_learning(self) -> FitOptions:
        """Return the options that the kernels read; walks are not downsampled."""
        shared = {field.name for field in dataclasses.fields(FitOptions)}
        own = {name: value for name, value in dataclasses.asdict(self).items() if name in shared}
        return FitOptions(**own, model="skipgram", sample=0.0)


class GraphKeywords(TypedDict, total=False):
    """The options of `fit_graph`, for type checkers; `shows_options` lists them at run time."""

    dim: int
    walks: int
    length: int
    p: float
    q: float
    directed: bool | None
    source_column: str
    target_column: str
    weight_column: str | None
    epochs: int
    window: int
    shrink_windows: bool
    negatives: int
    ns_exponent: float
    alpha: float | None
    min_alpha: float
    workers: int | None
    deterministic: bool
    seed: int
