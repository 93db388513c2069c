"""Similarity, neighbors, maps and evaluation of rows (V, d).

| file | contents |
|---|---|
| `similarity.py` | similarity of two rows: dot, cosine, Euclidean |
| `neighbors.py`, `kernels.py`, `select_numpy.py` | exact search for the k nearest rows of one query or a million |
| `alignment.py` | the rotation of rows onto other rows |
| `cross_domain.py` | neighbors between two spaces, and pairs of mutual ones |
| `analogy.py` | a is to b as c is to ... |
| `plane.py` | the plane of an analogy's parallelogram |
| `sets.py` | the odd one out, and the similarity of two sets |
| `evaluation/` | evaluation on files of word pairs, analogies and translations |
| `pca.py` | principal components and the rows' coordinates along them |
| `map_search.py` | the neighbors that t-SNE and UMAP are computed from, and the share that a map preserves |
| `tsne_umap.py` | maps that preserve neighborhoods: t-SNE, UMAP |
| `kmeans.py` | groups of rows with similar directions |
| `quantize.py` | rows in fewer bits, and the neighbors that they keep |
| `representatives.py` | words that represent a cluster, or the table |
| `spelling.py` | tokens with a similar spelling |
| `downsample.py` | a part of a matrix, downsampled for display |
| `warm.py` | compiles the kernel at setup |

Only `evaluation`, `representatives` and `spelling` use words. Numba and the libraries of maps and clusters are imported
when they are needed. Read next: `similarity.py`.
"""

from rowspace.space.alignment import Alignment, align
from rowspace.space.analogy import cos_add, cos_mul
from rowspace.space.cross_domain import MutualPairs, csls, mutual_neighbors
from rowspace.space.downsample import DownsampledMatrix, downsample_matrix
from rowspace.space.evaluation.analogies import (
    AnalogyScores,
    AnsweredAnalogies,
    SectionScore,
    answer_analogies,
    evaluate_analogies,
)
from rowspace.space.evaluation.correlation import Correlation, pearson, spearman
from rowspace.space.evaluation.translations import TranslationScores, evaluate_translations, read_dictionary
from rowspace.space.evaluation.word_pairs import PairScores, evaluate_pairs
from rowspace.space.kmeans import Clusters, k_means
from rowspace.space.map_search import MapNeighbors, NeighborhoodPreservation, map_neighbors, neighborhood_preservation
from rowspace.space.neighbors import nearest, nearest_reference
from rowspace.space.pca import Projection, pca
from rowspace.space.plane import Plane
from rowspace.space.quantize import QUANTIZATIONS, Quantization, neighbors_kept, quantize
from rowspace.space.representatives import central_words, representative_order, token_classes
from rowspace.space.sets import mean_unit_row, odd_one_out, set_distance, set_similarity
from rowspace.space.similarity import Metric, cosine, dot, euclidean, row_norms, score, unit_rows
from rowspace.space.spelling import nearest_spellings
from rowspace.space.tsne_umap import OnFrame, tsne, umap

__all__ = [
    "QUANTIZATIONS",
    "Alignment",
    "AnalogyScores",
    "AnsweredAnalogies",
    "Clusters",
    "Correlation",
    "DownsampledMatrix",
    "MapNeighbors",
    "Metric",
    "MutualPairs",
    "NeighborhoodPreservation",
    "OnFrame",
    "PairScores",
    "Plane",
    "Projection",
    "Quantization",
    "SectionScore",
    "TranslationScores",
    "align",
    "answer_analogies",
    "central_words",
    "cos_add",
    "cos_mul",
    "cosine",
    "csls",
    "dot",
    "downsample_matrix",
    "euclidean",
    "evaluate_analogies",
    "evaluate_pairs",
    "evaluate_translations",
    "k_means",
    "map_neighbors",
    "mean_unit_row",
    "mutual_neighbors",
    "nearest",
    "nearest_reference",
    "nearest_spellings",
    "neighborhood_preservation",
    "neighbors_kept",
    "odd_one_out",
    "pca",
    "pearson",
    "quantize",
    "read_dictionary",
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
