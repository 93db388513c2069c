"""Learn rows from text.

| file | contents |
|---|---|
| `fit.py`, `options.py` | `rowspace.fit` and its options |
| `word2vec/` | skip-gram and CBOW: trainer, kernels, saved state |
| `optimizer/` | PyTorch optimizers that defer the updates of unused rows |
| `run_directory.py`, `lock.py`, `interrupt.py`, `memory.py` | shared by all learning methods |
| `warm.py` | compiles the kernels at setup |
| `language_model/` | `rowspace.train`: a small decoder, its runs and events, probes |
| `arena/` | input strategies compared on four tasks |

Read next: `fit.py`, then `word2vec/trainer.py` and `word2vec/kernels`.
"""

from typing import TYPE_CHECKING

from rowspace._base.lazy import lazy_exports

if TYPE_CHECKING:
    from rowspace.learn.arena.options import ArenaOptions
    from rowspace.learn.arena.run import run_arena
    from rowspace.learn.arena.runs.saved import read_arena
    from rowspace.learn.fit import Reports
    from rowspace.learn.language_model.inspect.contextual import ContextualRows, contextual_rows
    from rowspace.learn.language_model.inspect.probes import ProbeScore, probe, probe_layers
    from rowspace.learn.language_model.options import ModelOptions, TokenOptions, TrainingOptions
    from rowspace.learn.language_model.run_folder.loaded_run import LoadedRun, load_run
    from rowspace.learn.language_model.telemetry.events import Events, read_events
    from rowspace.learn.language_model.train import TrainedRun, TrainReports
    from rowspace.learn.language_model.trainer import TrainProgress
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
    "ArenaOptions",
    "ContextualRows",
    "DeferredAdamW",
    "DeferredSGD",
    "DenseGradientWarning",
    "Events",
    "FitOptions",
    "LoadedRun",
    "LoraTable",
    "ModelOptions",
    "ProbeScore",
    "Progress",
    "Reports",
    "RowAdagrad",
    "TokenOptions",
    "TrainProgress",
    "TrainReports",
    "TrainableRows",
    "TrainedRun",
    "TrainingOptions",
    "add_rows",
    "clip_grad_norm_",
    "contextual_rows",
    "load_run",
    "probe",
    "probe_layers",
    "read_arena",
    "read_events",
    "run_arena",
    "run_directory_of",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "arena.options": ("ArenaOptions",),
        "arena.run": ("run_arena",),
        "arena.runs.saved": ("read_arena",),
        "fit": ("Reports",),
        "language_model.inspect.contextual": ("ContextualRows", "contextual_rows"),
        "language_model.telemetry.events": ("Events", "read_events"),
        "language_model.run_folder.loaded_run": ("LoadedRun", "load_run"),
        "language_model.options": ("ModelOptions", "TokenOptions", "TrainingOptions"),
        "language_model.inspect.probes": ("ProbeScore", "probe", "probe_layers"),
        "language_model.train": ("TrainReports", "TrainedRun"),
        "language_model.trainer": ("TrainProgress",),
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
