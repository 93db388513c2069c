"""text → learned rows: skip-gram and CBOW kernels, and the fit that drives them.

Start at fit.py, then trainer.py (who learns what when) and kernels.py (what one stretch of ids does to the rows).
"""

from rowspace.learn.fit import Reports, fit, workplace_of
from rowspace.learn.options import FitOptions
from rowspace.learn.trainer import Progress

__all__ = ["FitOptions", "Progress", "Reports", "fit", "workplace_of"]
