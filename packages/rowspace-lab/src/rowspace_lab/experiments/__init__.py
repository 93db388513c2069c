"""What the workbench runs to show it: small language models, input strategies compared, merges, maps.

| folder | contents |
|---|---|
| `language_model/` | `train`: a small decoder whose input rows are a table, its runs and events |
| `arena/` | `run_arena`: six ways to put an input into a model, on four tasks, with the same compute |
| `traces/` | `trace_training`, `trace_encoding`: byte-pair encoding, merge by merge |
| `placement.py` | `place_others`: positions for rows that are not part of a map's sample |
"""

from rowspace._base.lazy import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
