"""text → learned rows: skip-gram and CBOW kernels, and the fit that drives them.

Start at fit.py, then trainer.py (who learns what when) and kernels.py (what one stretch of ids does to the rows).
"""

from rowspace.learn.fit import Reports, fit
from rowspace.learn.options import FitOptions
from rowspace.learn.run_directory import workplace_of
from rowspace.learn.word2vec.trainer import Progress

__all__ = ["FitOptions", "Progress", "Reports", "fit", "workplace_of"]
