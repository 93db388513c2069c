"""Learn rows from text.

| file | contents |
|---|---|
| `fit.py`, `options.py` | `rowspace.fit` and its options |
| `word2vec/` | skip-gram and CBOW: trainer, kernels, saved state |
| `optimizer/` | PyTorch optimizers that defer the updates of unused rows |
| `run_directory.py`, `lock.py`, `interrupt.py`, `memory.py` | shared by all learning methods |
| `warm.py` | compiles the kernels at setup |

Read next: `fit.py`, then `word2vec/trainer.py` and `word2vec/kernels`.
"""

from typing import TYPE_CHECKING

from rowspace._base.lazy import lazy_exports

if TYPE_CHECKING:
    from rowspace.learn.fit import Reports
    from rowspace.learn.optimizer.clip import clip_grad_norm_
    from rowspace.learn.optimizer.deferred import DenseGradientWarning
    from rowspace.learn.optimizer.deferred_adamw import DeferredAdamW
    from rowspace.learn.optimizer.deferred_sgd import DeferredSGD
    from rowspace.learn.optimizer.lora import LoraTable
    from rowspace.learn.optimizer.row_adagrad import RowAdagrad
    from rowspace.learn.optimizer.trainable_rows import TrainableRows, add_rows
    from rowspace.learn.options import FitOptions
    from rowspace.learn.run_directory import run_directory_of
    from rowspace.learn.word2vec.trainer import Progress

__all__ = [
    "DeferredAdamW",
    "DeferredSGD",
    "DenseGradientWarning",
    "FitOptions",
    "LoraTable",
    "Progress",
    "Reports",
    "RowAdagrad",
    "TrainableRows",
    "add_rows",
    "clip_grad_norm_",
    "run_directory_of",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "fit": ("Reports",),
        "optimizer.clip": ("clip_grad_norm_",),
        "optimizer.deferred": ("DenseGradientWarning",),
        "optimizer.deferred_adamw": ("DeferredAdamW",),
        "optimizer.deferred_sgd": ("DeferredSGD",),
        "optimizer.lora": ("LoraTable",),
        "optimizer.row_adagrad": ("RowAdagrad",),
        "optimizer.trainable_rows": ("TrainableRows", "add_rows"),
        "options": ("FitOptions",),
        "run_directory": ("run_directory_of",),
        "word2vec.trainer": ("Progress",),
    },
)
