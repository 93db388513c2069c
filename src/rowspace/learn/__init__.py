"""Learn rows from text.

| file | contents |
|---|---|
| `fit.py`, `options.py` | `rowspace.fit` and its options |
| `word2vec/` | skip-gram and CBOW: trainer, kernels, saved state |
| `arena/` | input strategies compared on four tasks |
| `run_directory.py`, `lock.py`, `interrupt.py`, `memory.py` | shared by all learning methods |
| `warm.py` | compiles the kernels at setup |

Read next: `fit.py`, then `word2vec/trainer.py` and `word2vec/kernels`.
"""

from typing import TYPE_CHECKING

from rowspace._base.lazy import lazy_exports

if TYPE_CHECKING:
    from rowspace.learn.arena.options import ArenaOptions
    from rowspace.learn.arena.run import run_arena
    from rowspace.learn.fit import Reports
    from rowspace.learn.options import FitOptions
    from rowspace.learn.run_directory import run_directory_of
    from rowspace.learn.word2vec.trainer import Progress

__all__ = ["ArenaOptions", "FitOptions", "Progress", "Reports", "run_arena", "run_directory_of"]

__getattr__, __dir__ = lazy_exports(
    __name__,
    {
        "arena.options": ("ArenaOptions",),
        "arena.run": ("run_arena",),
        "fit": ("Reports",),
        "options": ("FitOptions",),
        "run_directory": ("run_directory_of",),
        "word2vec.trainer": ("Progress",),
    },
)
