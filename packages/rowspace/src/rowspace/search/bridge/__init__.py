"""Query an index with a new encoder, through a learned map from its vectors to those of the index.

| file | contents |
|---|---|
| `bridge.py` | `Bridge`: the map, its recall, its file |
| `learn.py` | passages of an index and a new encoder → a bridge |
| `maps.py` | pairs of vectors → maps: orthogonal, linear, low-rank, MLP |
| `storage.py` | the bridges of an index, in its folder or object store |

Source: Drift-Adapter (arXiv 2509.23471).
"""

from rowspace._base.lazy import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
