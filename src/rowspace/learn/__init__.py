"""Learn rows from text.

| file | contents |
|---|---|
| `fit.py`, `options.py` | `rowspace.fit` and its options |
| `language_model/` | `rowspace.train`: a small decoder, its runs and events, probes |
| `word2vec/` | skip-gram and CBOW: trainer, kernels, saved state |
| `run_directory.py`, `lock.py`, `interrupt.py`, `memory.py` | shared by all learning methods |
| `warm.py` | compiles the kernels at setup |

Read next: `fit.py`, then `word2vec/trainer.py` and `word2vec/kernels`.
"""

from typing import TYPE_CHECKING

from rowspace._base.lazy import lazy_exports

if TYPE_CHECKING:
    from rowspace.learn.fit import Reports
    from rowspace.learn.language_model.contextual import ContextualRows, contextual_rows
    from rowspace.learn.language_model.events import Events, read_events
    from rowspace.learn.language_model.loaded_run import LoadedRun, load_run
    from rowspace.learn.language_model.options import ModelOptions, TokenOptions, TrainingOptions
    from rowspace.learn.language_model.probes import ProbeScore, probe, probe_layers
    from rowspace.learn.language_model.train import TrainedRun, TrainReports
    from rowspace.learn.language_model.trainer import TrainProgress
    from rowspace.learn.options import FitOptions
    from rowspace.learn.run_directory import run_directory_of
    from rowspace.learn.word2vec.trainer import Progress

__all__ = [
    "ContextualRows",
    "Events",
    "FitOptions",
    "LoadedRun",
    "ModelOptions",
    "ProbeScore",
    "Progress",
    "Reports",
    "TokenOptions",
    "TrainProgress",
    "TrainReports",
    "TrainedRun",
    "TrainingOptions",
    "contextual_rows",
    "load_run",
    "probe",
    "probe_layers",
    "read_events",
    "run_directory_of",
]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "fit": ("Reports",),
        "language_model.contextual": ("ContextualRows", "contextual_rows"),
        "language_model.events": ("Events", "read_events"),
        "language_model.loaded_run": ("LoadedRun", "load_run"),
        "language_model.options": ("ModelOptions", "TokenOptions", "TrainingOptions"),
        "language_model.probes": ("ProbeScore", "probe", "probe_layers"),
        "language_model.train": ("TrainReports", "TrainedRun"),
        "language_model.trainer": ("TrainProgress",),
        "options": ("FitOptions",),
        "run_directory": ("run_directory_of",),
        "word2vec.trainer": ("Progress",),
    },
)
