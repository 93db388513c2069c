"""What the workbench runs to show it: small language models, and input strategies compared.

| folder | contents |
|---|---|
| `language_model/` | `train`: a small decoder whose input rows are a table, its runs and events |
| `arena/` | `run_arena`: six ways to put an input into a model, on four tasks, with the same compute |
"""

from rowspace._base.lazy import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
