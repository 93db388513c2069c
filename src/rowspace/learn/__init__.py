"""text → learned rows: skip-gram and CBOW kernels, and the fit that drives them.

Start at fit.py, then trainer.py (who learns what when) and kernels.py (what one stretch of ids does to the rows).
"""

from rowspace.learn.fit import Reports, fit
from rowspace.learn.options import FitOptions
from rowspace.learn.trainer import Progress
from rowspace.learn.workplace import workplace_of

__all__ = ["FitOptions", "Progress", "Reports", "fit", "workplace_of"]
