"""Optimizers whose steps cost what the rows in use cost; needs `rowspace[torch]`.

| file | contents |
|---|---|
| `deferred_adamw.py` | `DeferredAdamW` |
| `deferred.py`, `hooks.py` | what deferred optimizers share; what modules do before their rows are read |
| `row_table.py`, `history.py`, `segments.py` | rows of one parameter, missed steps, rows of a gradient |
| `adam_rows.py`, `adam_kernels.py`, `adam_torch.py` | the rule of AdamW, as Numba kernels and in torch operations |
| `clip.py` | `clip_grad_norm_` |

Read next: `adam_kernels.py` for the mathematics, `adam_torch.py` for the shortest form of it.
"""

from rowspace.errors import MissingExtraError

try:
    import torch  # noqa: F401  everything in this folder needs it
except ImportError as error:
    raise MissingExtraError("rowspace.learn.optimizer needs PyTorch: pip install 'rowspace[torch]'") from error
