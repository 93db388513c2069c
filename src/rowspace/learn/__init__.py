"""text → learned rows.

| where | what |
|---|---|
| `fit.py`, `options.py` | `rowspace.fit` and its options |
| `word2vec/` | skip-gram and CBOW: trainer, kernels, saved state |
| `run_directory.py`, `lock.py`, `interrupt.py`, `memory.py` | what every way to learn shares |
| `warm.py` | compiles the kernels at setup |

Read next: `fit.py`, then `word2vec/trainer.py` and `word2vec/kernels`.
"""

from rowspace.learn.fit import Reports, fit
from rowspace.learn.options import FitOptions
from rowspace.learn.run_directory import run_directory_of
from rowspace.learn.word2vec.trainer import Progress

__all__ = ["FitOptions", "Progress", "Reports", "fit", "run_directory_of"]
