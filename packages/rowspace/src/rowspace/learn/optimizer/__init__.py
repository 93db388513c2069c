"""Optimizers whose steps cost what the rows in use cost; needs `rowspace[torch]`.

| file | contents |
|---|---|
| `deferred_adamw.py`, `deferred_sgd.py`, `row_adagrad.py` | `DeferredAdamW`, `DeferredSGD`, `RowAdagrad` |
| `deferred.py` | what deferred optimizers share |
| `rows/` | a parameter whose rows may be behind, missed steps, sorted ids, threads, processes |
| `rules/` | the rule of each optimizer for rows that missed steps, and AdamW's in torch operations |
| `kernels/` | Numba kernels |
| `clip.py` | `clip_grad_norm_` |
| `partial/` | tables of which a part learns: `TrainableRows`, `add_rows`, `LoraTable` |

Read next: `kernels/adam.py` for the mathematics, `rules/adam_torch.py` for the shortest form of it.
"""

from rowspace.errors import MissingExtraError

try:
    import torch  # noqa: F401  # only to see whether it is installed
except ImportError as error:
    raise MissingExtraError("rowspace.learn.optimizer needs PyTorch: pip install 'rowspace[torch]'") from error
