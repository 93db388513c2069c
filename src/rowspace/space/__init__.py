"""Arrays (V, d) in, numbers out: how near rows are, which are nearest, and whether they mean anything.

| file | what it answers |
|---|---|
| `similarity.py` | how near two rows are: dot, cosine, Euclidean |
| `neighbors.py` | which k rows are nearest, exactly, for one query or a million |
| `analogy.py` | a is to b as c is to ... |
| `plane.py` | the plane that an analogy's parallelogram lies in |
| `sets.py` | which one does not belong, and how near two sets are |
| `pairs.py`, `correlation.py` | does similarity agree with people's judgment |
| `analogies.py` | how many analogies of a question file come out right |
| `projection.py` | the directions in which rows differ most, and where rows lie along them |
| `map_search.py` | the neighbors that t-SNE and UMAP are made from |
| `maps.py` | where rows lie in a plane that keeps neighborhoods: t-SNE, UMAP |
| `placing.py` | where the rows go that a map was not made of |
| `kept.py` | what share of the neighbors a map keeps |
| `clusters.py` | which rows have nearly the same direction |
| `representatives.py` | which words stand for a cluster, or for the whole table |
| `spelling.py` | which tokens are spelled nearly like this one |
| `windows.py` | what a part of a matrix looks like at the size of a picture |

No vocabulary lives here but where a file of words is read. Names load on first use (PEP 562): the kernels
behind `neighbors.py` bring numba, and `import rowspace` must stay light. Read next: `similarity.py`.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rowspace.space.analogies import AnalogyScores, SectionScore, evaluate_analogies
    from rowspace.space.analogy import cos_add, cos_mul
    from rowspace.space.clusters import Clusters, k_means
    from rowspace.space.correlation import Correlation, pearson, spearman
    from rowspace.space.kept import NeighborsKept, neighbors_kept
    from rowspace.space.map_search import MapNeighbors, map_neighbors
    from rowspace.space.maps import OnFrame, tsne, umap
    from rowspace.space.neighbors import nearest, nearest_reference
    from rowspace.space.pairs import PairScores, evaluate_pairs
    from rowspace.space.placing import place_others
    from rowspace.space.plane import Plane
    from rowspace.space.projection import Projection, pca
    from rowspace.space.representatives import central_words, representative_order, token_classes
    from rowspace.space.sets import mean_unit_row, odd_one_out, set_distance, set_similarity
    from rowspace.space.similarity import Metric, cosine, dot, euclidean, row_norms, score, unit_rows
    from rowspace.space.spelling import nearest_spellings
    from rowspace.space.windows import Window, matrix_window

__all__ = [
    "AnalogyScores",
    "Clusters",
    "Correlation",
    "MapNeighbors",
    "Metric",
    "NeighborsKept",
    "OnFrame",
    "PairScores",
    "Plane",
    "Projection",
    "SectionScore",
    "Window",
    "central_words",
    "cos_add",
    "cos_mul",
    "cosine",
    "dot",
    "euclidean",
    "evaluate_analogies",
    "evaluate_pairs",
    "k_means",
    "map_neighbors",
    "matrix_window",
    "mean_unit_row",
    "nearest",
    "nearest_reference",
    "nearest_spellings",
    "neighbors_kept",
    "odd_one_out",
    "pca",
    "pearson",
    "place_others",
    "representative_order",
    "row_norms",
    "score",
    "set_distance",
    "set_similarity",
    "spearman",
    "token_classes",
    "tsne",
    "umap",
    "unit_rows",
]

_FILES = {
    "similarity": ("Metric", "cosine", "dot", "euclidean", "row_norms", "score", "unit_rows"),
    "neighbors": ("nearest", "nearest_reference"),
    "analogy": ("cos_add", "cos_mul"),
    "plane": ("Plane",),
    "sets": ("mean_unit_row", "odd_one_out", "set_distance", "set_similarity"),
    "correlation": ("Correlation", "pearson", "spearman"),
    "pairs": ("PairScores", "evaluate_pairs"),
    "analogies": ("AnalogyScores", "SectionScore", "evaluate_analogies"),
    "projection": ("Projection", "pca"),
    "map_search": ("MapNeighbors", "map_neighbors"),
    "placing": ("place_others",),
    "maps": ("OnFrame", "tsne", "umap"),
    "kept": ("NeighborsKept", "neighbors_kept"),
    "clusters": ("Clusters", "k_means"),
    "representatives": ("central_words", "representative_order", "token_classes"),
    "spelling": ("nearest_spellings",),
    "windows": ("Window", "matrix_window"),
}
_FILE_OF = {name: file for file, names in _FILES.items() for name in names}


def __getattr__(name: str) -> object:
    """Import the file that defines `name`, on first use, and keep the result."""
    if name not in _FILE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_FILE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """Return the public names, loaded or not."""
    return sorted({*globals(), *__all__})
