"""Query an index with a new encoder, through a learned map from its vectors to those of the index.

| file | contents |
|---|---|
| `bridge.py` | `Bridge`: the map, its recall, its file, in the folder or object store of the index |
| `learn.py` | passages of an index and a new encoder → a bridge |
| `maps.py` | pairs of vectors → maps: orthogonal, linear, low-rank, MLP |

Source: Drift-Adapter (arXiv 2509.23471).
"""

from rowspace._base.lazy import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
