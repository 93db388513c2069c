"""Arrays (V, d) in, numbers out: how near rows are, which are nearest, and whether they mean anything.

| file | what it answers |
|---|---|
| `similarity.py` | how near two rows are: dot, cosine, Euclidean |
| `neighbors.py`, `kernels.py`, `select_numpy.py` | which k rows are nearest, exactly, for one query or a million |
| `analogy.py` | a is to b as c is to ... |
| `plane.py` | the plane of an analogy's parallelogram |
| `sets.py` | which one does not belong, and how near two sets are |
| `evaluation/` | how well rows do on files of word pairs and of analogies |
| `pca.py` | the directions in which rows differ most, and where rows lie along them |
| `map_search.py` | the neighbors that t-SNE and UMAP are computed from |
| `tsne_umap.py` | positions in a plane that keep neighborhoods: t-SNE, UMAP |
| `placement.py` | positions for rows that were left out of a map |
| `map_quality.py` | the share of neighbors that a map preserves |
| `kmeans.py` | which rows have nearly the same direction |
| `representatives.py` | which words represent a cluster, or the whole table |
| `spelling.py` | which tokens are spelled nearly like this one |
| `downsample.py` | a part of a matrix at the size of a picture |
| `warm.py` | compiles the kernel at setup |

Only `evaluation` and `spelling` know of words. Names load on first use (PEP 562), since the kernels of `neighbors.py`
bring numba and `import rowspace` must stay light. Read next: `similarity.py`.
"""

from typing import TYPE_CHECKING

from rowspace._base.lazy import lazy_exports

# Now, since a later import of the module would hide the function of the same name.
from rowspace.space.pca import Projection, pca

if TYPE_CHECKING:
    from rowspace.space.analogy import cos_add, cos_mul
    from rowspace.space.downsample import DownsampledMatrix, downsample_matrix
    from rowspace.space.evaluation.analogies import AnalogyScores, SectionScore, evaluate_analogies
    from rowspace.space.evaluation.correlation import Correlation, pearson, spearman
    from rowspace.space.evaluation.word_pairs import PairScores, evaluate_pairs
    from rowspace.space.kmeans import Clusters, k_means
    from rowspace.space.map_quality import NeighborhoodPreservation, neighborhood_preservation
    from rowspace.space.map_search import MapNeighbors, map_neighbors
    from rowspace.space.neighbors import nearest, nearest_reference
    from rowspace.space.placement import place_others
    from rowspace.space.plane import Plane
    from rowspace.space.representatives import central_words, representative_order, token_classes
    from rowspace.space.sets import mean_unit_row, odd_one_out, set_distance, set_similarity
    from rowspace.space.similarity import Metric, cosine, dot, euclidean, row_norms, score, unit_rows
    from rowspace.space.spelling import nearest_spellings
    from rowspace.space.tsne_umap import OnFrame, tsne, umap

__all__ = [
    "AnalogyScores",
    "Clusters",
    "Correlation",
    "DownsampledMatrix",
    "MapNeighbors",
    "Metric",
    "NeighborhoodPreservation",
    "OnFrame",
    "PairScores",
    "Plane",
    "Projection",
    "SectionScore",
    "central_words",
    "cos_add",
    "cos_mul",
    "cosine",
    "dot",
    "downsample_matrix",
    "euclidean",
    "evaluate_analogies",
    "evaluate_pairs",
    "k_means",
    "map_neighbors",
    "mean_unit_row",
    "nearest",
    "nearest_reference",
    "nearest_spellings",
    "neighborhood_preservation",
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

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "similarity": ("Metric", "cosine", "dot", "euclidean", "row_norms", "score", "unit_rows"),
        "neighbors": ("nearest", "nearest_reference"),
        "analogy": ("cos_add", "cos_mul"),
        "plane": ("Plane",),
        "sets": ("mean_unit_row", "odd_one_out", "set_distance", "set_similarity"),
        "evaluation.correlation": ("Correlation", "pearson", "spearman"),
        "evaluation.word_pairs": ("PairScores", "evaluate_pairs"),
        "evaluation.analogies": ("AnalogyScores", "SectionScore", "evaluate_analogies"),
        "map_search": ("MapNeighbors", "map_neighbors"),
        "placement": ("place_others",),
        "tsne_umap": ("OnFrame", "tsne", "umap"),
        "map_quality": ("NeighborhoodPreservation", "neighborhood_preservation"),
        "kmeans": ("Clusters", "k_means"),
        "representatives": ("central_words", "representative_order", "token_classes"),
        "spelling": ("nearest_spellings",),
        "downsample": ("DownsampledMatrix", "downsample_matrix"),
    },
)
