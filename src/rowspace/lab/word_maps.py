"""The map of the Words page: where all rows lie, how far to trust that, what colours them, and what is under a lasso.

Left out: the maps that take minutes (`word_jobs.py`), and drawing, which is the browser's.
"""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace.errors import UsageError
from rowspace.lab.query import Query
from rowspace.lab.reply import Reply
from rowspace.lab.state import Answer, Lab
from rowspace.lab.words import facts
from rowspace.table import Table

__all__ = ["ROUTES", "most_frequent"]

MOST_TOKENS = 1000


def pca(lab: Lab, _: Query) -> Reply:
    """The positions of all rows along their two principal components, (V, 2), and each one's share of the variance.

    A table of one dimension has one component, and positions (V, 1).
    """
    found = _pca(lab)
    code = f"{_pca_code(lab)}\npositions, share = projection.positions, projection.share"
    left_out = int(np.isnan(found.positions[:, 0]).sum())
    return Reply({"left_out": left_out, "code": code}, positions=found.positions, share=found.share)


def kept(lab: Lab, query: Query) -> Reply:
    """`k` → the share of rows' k nearest by cosine that are among their k nearest on the map of `pca`."""
    k = query.integer("k", 10, low=1, high=100)
    found = lab.once(("kept", k), lambda: space.neighbors_kept(lab.table.rows, _pca(lab).positions, k))
    code = f"{_pca_code(lab)}\nkept = space.neighbors_kept(table.rows, projection.positions, k={k}).share"
    meta = {"by_chance": found.by_chance, "k": found.k, "sample": len(found.sample), "code": code}
    return Reply(meta, kept=found.share)


def values(lab: Lab, query: Query) -> Reply:
    """`by`: "norm", "count" or "cluster", with `clusters` → a value for each row, (V,).

    Clusters come with the three most frequent tokens in each, which name it.
    """
    by = query.choice("by", ("norm", "count", "cluster"))
    if by == "norm":
        norms = lab.table.norms.astype(np.float32)
        return Reply({"by": by, "code": f"{lab.opening}\nvalues = table.norms"}, values=norms)
    if by == "count":
        if lab.table.counts is None:
            raise UsageError("this table came without counts: colour by norm or cluster, or fit one with rowspace fit")
        return Reply({"by": by, "code": f"{lab.opening}\nvalues = table.counts"}, values=lab.table.counts)
    return _clusters(lab, query.integer("clusters", 8, low=2, high=8))


def tokens(lab: Lab, query: Query) -> Reply:
    """`ids`, numbers with commas between → the token, count and norm of each."""
    ids = np.array(query.integers("ids", [0], low=0, high=len(lab.table) - 1, most=MOST_TOKENS))
    code = f"{lab.opening}\nids = {ids.tolist()}\ntokens = [table.vocabulary[id] for id in ids]"
    return Reply({"code": code, **facts(lab.table, ids)}, ids=ids)


def most_frequent(table: Table) -> tuple[NDArray[np.int64], str]:
    """The ids, the most frequent first (in id order where nobody counted), and the code that gives them."""
    if table.counts is None:
        return np.arange(len(table)), "np.arange(len(table))"
    return np.argsort(-table.counts, kind="stable"), 'np.argsort(-table.counts, kind="stable")'


def _clusters(lab: Lab, k: int) -> Reply:
    found = lab.once(("clusters", k), lambda: space.k_means(lab.table.rows, k))
    order, order_code = most_frequent(lab.table)
    firsts = [order[found.labels[order] == cluster][:3].tolist() for cluster in range(len(found.centers))]
    code = f"""{lab.opening}
import numpy as np
from rowspace import space

values = space.k_means(table.rows, {k}).labels
order = {order_code}
names = [[table.vocabulary[id] for id in order[values[order] == cluster][:3]] for cluster in range(values.max() + 1)]"""
    names = [[lab.table.vocabulary[id] for id in ids] for ids in firsts]
    sizes = np.bincount(found.labels[found.labels >= 0]).tolist()
    return Reply({"by": "cluster", "names": names, "sizes": sizes, "code": code}, values=found.labels)


def _pca(lab: Lab) -> space.Projection:
    return lab.once("pca", lambda: space.pca(lab.table.rows, min(2, lab.table.dim)))


def _pca_code(lab: Lab) -> str:
    k = "" if lab.table.dim > 1 else ", k=1"
    return f"{lab.opening}\nfrom rowspace import space\n\nprojection = space.pca(table.rows{k})"


ROUTES: Mapping[str, Answer] = {
    "words/pca": pca,
    "words/kept": kept,
    "words/values": values,
    "words/tokens": tokens,
}
