"""Optimizers whose steps update only the rows in use; needs `rowspace[torch]`.

| file | contents |
|---|---|
| `deferred_adamw.py`, `deferred_sgd.py`, `row_adagrad.py` | `DeferredAdamW`, `DeferredSGD`, `RowAdagrad` |
| `deferred.py` | what deferred optimizers share |
| `rows/` | parameters with rows that are not up to date, their missed steps, sorted ids, threads, processes |
| `rules/` | the rule of each optimizer for rows that missed steps, and AdamW's in torch operations |
| `kernels/` | Numba kernels |
| `clip.py` | `clip_grad_norm_` |

Read next: `kernels/adam.py` for the mathematics, `rules/adam_torch.py` for the shortest form of it.
"""

from rowspace.errors import MissingExtraError

try:
    import torch  # noqa: F401  # only to see whether it is installed
except ImportError as error:
    raise MissingExtraError("rowspace.optim needs PyTorch: pip install 'rowspace[torch]'") from error

from rowspace.optim.clip import clip_grad_norm_
from rowspace.optim.deferred import DenseGradientWarning
from rowspace.optim.deferred_adamw import DeferredAdamW
from rowspace.optim.deferred_sgd import DeferredSGD
from rowspace.optim.row_adagrad import RowAdagrad

__all__ = ["DeferredAdamW", "DeferredSGD", "DenseGradientWarning", "RowAdagrad", "clip_grad_norm_"]
