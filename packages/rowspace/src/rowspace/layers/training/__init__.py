"""What training code does with tables and heads that exist: more or fewer rows of a model's tables.

| file | what it has |
|---|---|
| `resizing.py` | `resize`, `extend`, `shrink` |
"""

from rowspace.layers.training.resizing import extend, resize, shrink

__all__ = ["extend", "resize", "shrink"]
