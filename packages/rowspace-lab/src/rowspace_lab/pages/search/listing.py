"""The code that the page shows."""

from rowspace.search import Index
from rowspace.search.ranking.scores import Mode
from rowspace_lab.lab import Lab
from rowspace_lab.pages.search.source import IndexPlace, is_of_a_sentence_encoder

__all__ = ["build_code", "map_code", "open_code", "search_code"]


def build_code(lab: Lab, place: IndexPlace) -> str:
    """Return the code that indexes the same files."""
    roots = place.roots[0] if len(place.roots) == 1 else list(place.roots)
    return f"{_encoder(lab)}\nindex = Index.build({roots!r}, encoder, 'my-index')"


def open_code(lab: Lab, index: Index) -> str:
    """Return the code that opens an index."""
    return f"{_encoder(lab)}\nindex = Index.open({index.path!r}, encoder)"


def search_code(lab: Lab, index: Index, query: str, *, k: int, path: str | None, mode: Mode) -> str:
    """Return the code that gives the results of a question, and the shares of their words."""
    options = f"k={k}" + ("" if path is None else f", path={path!r}") + f", mode={mode!r}"
    return "\n".join(
        [
            open_code(lab, index),
            f"hits = index.search({query!r}, {options})",
            f"for hit, why in zip(hits, index.evidence({query!r}, hits)):",
            "    cosine, bm25 = why.cosine, why.scores.sum()",
            "    print(hit.location, hit.dense_rank, hit.lexical_rank, round(cosine, 3), round(bm25, 3))",
        ]
    )


def map_code(lab: Lab, index: Index, limit: int) -> str:
    """Return the code that computes the map."""
    lines = _encoder(lab).replace("import Index", "import Index\nfrom rowspace.space import pca", 1)
    encoder = f"import numpy as np\n{lines}"
    return "\n".join(
        [
            encoder,
            f"index = Index.open({index.path!r}, encoder)",
            f"vectors = index.vectors(limit={limit}).vectors",
            "projection = pca(np.where(vectors.any(axis=1, keepdims=True), vectors, np.nan))",
            "positions, share = projection.positions, projection.share",
        ]
    )


def _encoder(lab: Lab) -> str:
    """Return the lines that make the encoder."""
    imports = "import rowspace as rs\nfrom rowspace.search import Index"
    if lab.code is None:
        mode = ", mode='rowspace'" if is_of_a_sentence_encoder(lab) else ""  # the mean of the rows alone
        return f"{imports}\n\nencoder = rs.Encoder.load({lab.path!r}{mode})"
    lines, table = lab.code.split("\n\n", 1)
    extra = [line for line in lines.split("\n") if line not in imports.split("\n")]
    return "\n".join([imports, *extra, "", table, "encoder = rs.Encoder(table)"])
