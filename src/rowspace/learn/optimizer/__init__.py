"""Optimizers whose steps cost what the rows in use cost; needs `rowspace[torch]`.

| file | contents |
|---|---|
| `deferred_adamw.py`, `deferred_sgd.py`, `row_adagrad.py` | `DeferredAdamW`, `DeferredSGD`, `RowAdagrad` |
| `deferred.py`, `hooks.py` | what deferred optimizers share; what modules do before their rows are read |
| `row_slot.py`, `row_reader.py` | the parameters that hooks know; how `TokenEmbedding` reads deferred rows |
| `row_table.py`, `history.py`, `segments.py`, `threads.py` | rows of one parameter, missed steps, sorted ids, threads |
| `adam_rows.py`, `adam_torch.py`, `linear_rows.py` | the rule of each optimizer, and the same in torch operations |
| `kernels/` | Numba kernels |
| `clip.py` | `clip_grad_norm_` |
| `trainable_rows.py`, `lora.py` | tables of which a part learns: `TrainableRows`, `add_rows`, `LoraTable` |

Read next: `kernels/adam.py` for the mathematics, `adam_torch.py` for the shortest form of it.
"""

from rowspace.errors import MissingExtraError

try:
    import torch  # noqa: F401  # only to see whether it is installed
except ImportError as error:
    raise MissingExtraError("rowspace.learn.optimizer needs PyTorch: pip install 'rowspace[torch]'") from error
