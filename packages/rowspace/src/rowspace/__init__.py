"""rowspace: embedding layers, from text and pixels to vectors and back to logits.

`import rowspace as rs` has `rs.fit`, `rs.fit_graph`, `rs.fit_items`, `rs.train`, `rs.load`, `rs.compare`, `rs.merge`,
`rs.dedupe`, `rs.cluster_texts`, `rs.Table`, `rs.Encoder` and `rs.Classifier`. Modules are imported on first use, so
that the import is fast, and the command line can catch Ctrl-C before NumPy is loaded. Start reading at `table.py`.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rowspace.encode.encoder import Encoder
    from rowspace.errors import RowspaceError
    from rowspace.grouping.clusters import cluster_texts
    from rowspace.grouping.duplicates import dedupe
    from rowspace.learn.classifier.classifier import Classifier
    from rowspace.learn.fit import fit
    from rowspace.learn.graph.fit_graph import fit_graph
    from rowspace.learn.items.fit_items import fit_items
    from rowspace.learn.merging.compare import compare
    from rowspace.learn.merging.merge import merge
    from rowspace.store import load
    from rowspace.table import Table
    from rowspace_lab.experiments import train as train

__all__ = [
    "Classifier",
    "Encoder",
    "RowspaceError",
    "Table",
    "cluster_texts",
    "compare",
    "dedupe",
    "fit",
    "fit_graph",
    "fit_items",
    "load",
    "merge",
]

_MODULES = {
    "Classifier": "rowspace.learn.classifier.classifier",
    "Encoder": "rowspace.encode.encoder",
    "RowspaceError": "rowspace.errors",
    "Table": "rowspace.table",
    "cluster_texts": "rowspace.grouping.clusters",
    "compare": "rowspace.learn.merging.compare",
    "dedupe": "rowspace.grouping.duplicates",
    "fit": "rowspace.learn.fit",
    "fit_graph": "rowspace.learn.graph.fit_graph",
    "fit_items": "rowspace.learn.items.fit_items",
    "load": "rowspace.store",
    "merge": "rowspace.learn.merging.merge",
}


def __dir__() -> list[str]:
    """Return the public names and the modules that are loaded."""
    return sorted({*globals(), *__all__} - {"Any", "TYPE_CHECKING", "import_module", "_MODULES"})


def __getattr__(name: str) -> Any:
    """Import the module of a name when the name is first used."""
    if name == "__version__":
        return import_module("importlib.metadata").version("rowspace")
    if name == "scale":
        return import_module("rowspace.scale")
    if name == "train":
        from rowspace._base.lazy import import_workbench

        return import_workbench("experiments", name, "rowspace.train")
    if name not in _MODULES:
        raise AttributeError(f"module 'rowspace' has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)
