"""What training code does with tables and heads that exist.

| file | what it has |
|---|---|
| `resizing.py` | more or fewer rows of a model's tables: `resize`, `extend`, `shrink` |
| `rows_in_text.py` | rows from elsewhere between those of a text: `replace_rows`, `SoftPrompt` |
| `multi_token.py` | `MultiTokenPrediction` |
| `mup.py` | learning rates and scales that hold for any width: `mup_groups`, `mup_head_scale` |
"""

from rowspace.layers.training.multi_token import MultiTokenPrediction
from rowspace.layers.training.mup import mup_groups, mup_head_scale
from rowspace.layers.training.resizing import extend, resize, shrink
from rowspace.layers.training.rows_in_text import SoftPrompt, replace_rows

__all__ = [
    "MultiTokenPrediction",
    "SoftPrompt",
    "extend",
    "mup_groups",
    "mup_head_scale",
    "replace_rows",
    "resize",
    "shrink",
]
