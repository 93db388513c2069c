"""The map of the Words page: where all rows lie, how far to trust that, what colors them, what is under a lasso."""

from collections.abc import Mapping

import numpy as np

from rowspace import space
from rowspace.errors import UsageError
from rowspace.lab.lab import Lab
from rowspace.lab.page import Answer
from rowspace.lab.pages.words.neighbors import facts, facts_code
from rowspace.lab.server.query import Query
from rowspace.lab.server.reply import Reply

__all__ = ["ROUTES"]

MOST_TOKENS = 1000


def pca(lab: Lab, _: Query) -> Reply:
    """The positions of all rows along their two principal components, (V, 2), and each one's share of the variance.

    A table of one dimension has one component, and positions (V, 1).
    """
    found = _pca(lab)
    code = f"{_pca_code(lab)}\npositions, share = projection.positions, projection.share"
    code += "\nleft_out = int(np.isnan(positions[:, 0]).sum())"
    code = code.replace("from rowspace import space", "import numpy as np\nfrom rowspace import space", 1)
    left_out = int(np.isnan(found.positions[:, 0]).sum())
    return Reply({"left_out": left_out, "code": code}, positions=found.positions, share=found.share)


def kept(lab: Lab, query: Query) -> Reply:
    """`k` → the share of rows' k nearest by cosine that are among their k nearest on the map of `pca`."""
    k = query.integer("k", 10, low=1, high=100)
    found = lab.cached(("kept", k), lambda: space.neighborhood_preservation(lab.table.rows, _pca(lab).positions, k))
    code = f"""{_pca_code(lab)}
found = space.neighborhood_preservation(table.rows, projection.positions, k={k})
kept, by_chance, k, sample = found.share, found.by_chance, found.k, len(found.sample)"""
    meta = {"by_chance": found.by_chance, "k": found.k, "sample": len(found.sample), "code": code}
    return Reply(meta, kept=found.share)


def values(lab: Lab, query: Query) -> Reply:
    """`by`: "norm", "count" or "cluster", with `clusters` → a value for each row, (V,).

    Clusters come with the three words nearest to the center of each, which name it.
    """
    by = query.choice("by", ("norm", "count", "cluster"))
    if by == "norm":
        norms = lab.table.norms.astype(np.float32)
        return Reply({"by": by, "code": f"{lab.load_code}\nvalues = table.norms"}, values=norms)
    if by == "count":
        if lab.table.counts is None:
            raise UsageError("this table has no counts; color by norm or cluster, or learn a table with rowspace fit")
        return Reply({"by": by, "code": f"{lab.load_code}\nvalues = table.counts"}, values=lab.table.counts)
    return _clusters(lab, query.integer("clusters", 8, low=2, high=8))


def tokens(lab: Lab, query: Query) -> Reply:
    """`ids`, numbers with commas between → the token, count and norm of each."""
    ids = np.array(query.integers("ids", [0], low=0, high=len(lab.table) - 1, most=MOST_TOKENS))
    code = f"{lab.load_code}\nids = {ids.tolist()}\n{facts_code(lab.table)}"
    return Reply({"code": code, **facts(lab.table, ids)}, ids=ids)


def order(lab: Lab, _: Query) -> Reply:
    """All ids, (V,), those first that deserve a label; `by` says why.

    "count": the most frequent first. "center", for a table without counts: words nearest to the centers of clusters
    first, pieces and special tokens last.
    """
    if lab.table.counts is not None:
        code = f'{lab.load_code}\nimport numpy as np\n\nids = np.argsort(-table.counts, kind="stable")'
        return Reply({"by": "count", "code": code}, ids=np.argsort(-lab.table.counts, kind="stable"))
    code = (
        f"{lab.load_code}\nfrom rowspace import space\n\nids = space.representative_order(table.rows, table.vocabulary)"
    )
    found = lab.cached("words/order", lambda: space.representative_order(lab.table.rows, lab.table.vocabulary))
    return Reply({"by": "center", "code": code}, ids=found)


def _clusters(lab: Lab, k: int) -> Reply:
    table = lab.table
    found = lab.cached(("clusters", k), lambda: space.k_means(table.rows, k))
    central = lab.cached(("clusters", k, "names"), lambda: space.central_words(table.rows, found, table.vocabulary))
    code = f"""{lab.load_code}
import numpy as np
from rowspace import space

clusters = space.k_means(table.rows, {k})
values, sizes = clusters.labels, np.bincount(clusters.labels[clusters.labels >= 0])
central = space.central_words(table.rows, clusters, table.vocabulary)  # nearest to the centers
names = [[table.vocabulary[id] for id in ids] for ids in central]"""
    names = [[table.vocabulary[id] for id in ids] for ids in central]
    sizes = np.bincount(found.labels[found.labels >= 0]).tolist()
    return Reply({"by": "cluster", "names": names, "sizes": sizes, "code": code}, values=found.labels)


def _pca(lab: Lab) -> space.Projection:
    return lab.cached("pca", lambda: space.pca(lab.table.rows, min(2, lab.table.dim)))


def _pca_code(lab: Lab) -> str:
    k = "" if lab.table.dim > 1 else ", k=1"
    return f"{lab.load_code}\nfrom rowspace import space\n\nprojection = space.pca(table.rows{k})"


ROUTES: Mapping[str, Answer] = {
    "words/pca": pca,
    "words/kept": kept,
    "words/values": values,
    "words/tokens": tokens,
    "words/order": order,
}
