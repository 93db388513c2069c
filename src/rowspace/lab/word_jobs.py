"""The maps that take minutes, t-SNE and UMAP, as jobs: where the points are while they move, and what was kept.

A table of more than 20 000 rows is mapped by its 20 000 most frequent. Left out: the maps themselves (`space/maps.py`).
"""

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace.amounts import amount
from rowspace.lab.kinds import Kind, Progress
from rowspace.lab.query import Query
from rowspace.lab.reply import Reply
from rowspace.lab.state import Lab
from rowspace.lab.told import told_by
from rowspace.lab.word_maps import most_frequent

__all__ = ["KINDS"]

MOST_ROWS = 20_000
PAUSE = 0.3  # seconds between frames, at the least
Frame = tuple[int, int, NDArray[np.float32]]


def tsne(rows: NDArray[Any], ids: NDArray[Any], *, perplexity: int, code: str) -> Iterator[Progress | Reply]:
    """The frames of `space.tsne` over `rows` (n, d), which stand at `ids` (n,) in their table."""
    return _frames(lambda on_frame: space.tsne(rows, perplexity=perplexity, on_frame=on_frame), rows, ids, code)


def umap(rows: NDArray[Any], ids: NDArray[Any], *, num_neighbors: int, code: str) -> Iterator[Progress | Reply]:
    """The frames of `space.umap`, as those of `tsne`."""
    return _frames(lambda on_frame: space.umap(rows, num_neighbors=num_neighbors, on_frame=on_frame), rows, ids, code)


def _frames(
    make: Callable[[space.OnFrame], NDArray[np.float32]], rows: NDArray[Any], ids: NDArray[Any], code: str
) -> Iterator[Progress | Reply]:
    """Each frame with its progress; with the last one the share of neighbours that it keeps."""
    yield Progress(0, f"finding the nearest of each of {amount(len(rows), 'row')}")
    for step, steps, positions in _told(make):
        if step < steps:
            yield Progress(0.95 * step / steps, f"step {step} of {steps}")
            yield Reply({"step": step, "steps": steps}, positions=positions, ids=ids)
    yield Progress(0.95, f"counting the neighbours kept after {steps} steps")
    kept = space.neighbors_kept(rows, positions)
    facts = {"kept": kept.share, "by_chance": kept.by_chance, "k": kept.k, "sample": len(kept.sample), "code": code}
    yield Reply({"step": steps, "steps": steps, **facts}, positions=positions, ids=ids)


def _told(make: Callable[[space.OnFrame], NDArray[np.float32]]) -> Iterator[Frame]:
    """What `make` tells while it works, the last frame always, the others not more often than is seen."""

    def work(tell: Callable[[Frame], None]) -> None:
        make(lambda *frame: tell(frame))

    last = 0.0
    for frame in told_by(work):
        if frame[0] == frame[1] or time.monotonic() - last > PAUSE:
            yield frame
            last = time.monotonic()


def _arrays(lab: Lab, **_: Any) -> Mapping[str, NDArray[Any]]:
    """The rows that are mapped, and their ids, rising."""
    ids = np.sort(most_frequent(lab.table)[0][:MOST_ROWS])
    return {"rows": lab.table.rows[ids], "ids": ids}


def _code(lab: Lab, call: str) -> str:
    """What gives the last frame: `call` with the table's rows, or those of them that are mapped, as `{rows}`."""
    chosen, rows = "", "table.rows"
    if len(lab.table) > MOST_ROWS:
        chosen, rows = f"\nids = np.sort({most_frequent(lab.table)[1]}[:{MOST_ROWS}])", "table.rows[ids]"
    return f"""{lab.opening}
import numpy as np
from rowspace import space
{chosen}
positions = {call.format(rows=rows)}
kept = space.neighbors_kept({rows}, positions).share"""


def _read_tsne(lab: Lab, query: Query) -> Mapping[str, Any]:
    perplexity = query.integer("perplexity", 30, low=2, high=100)
    return {"perplexity": perplexity, "code": _code(lab, f"space.tsne({{rows}}, perplexity={perplexity})")}


def _read_umap(lab: Lab, query: Query) -> Mapping[str, Any]:
    num_neighbors = query.integer("num_neighbors", 15, low=2, high=100)
    return {"num_neighbors": num_neighbors, "code": _code(lab, f"space.umap({{rows}}, num_neighbors={num_neighbors})")}


KINDS = {
    "tsne": Kind(run=tsne, read=_read_tsne, arrays=_arrays),
    "umap": Kind(run=umap, read=_read_umap, arrays=_arrays),
}
"""How they are asked for: `POST /api/jobs` with the kind and what `_read_tsne` or `_read_umap` reads."""
