"""A lock for imports of libraries that look for each other, which threads would otherwise run at the same time.

SciPy, which scikit-learn imports, looks for tensors of PyTorch in `sys.modules`; while another thread is still
importing PyTorch, it finds a module without `Tensor`, and its own import fails.
"""

from threading import RLock

__all__ = ["array_imports"]

array_imports = RLock()
"""Held while PyTorch or scikit-learn is imported in a process that may have other threads."""
