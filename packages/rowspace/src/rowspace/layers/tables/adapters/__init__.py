"""Tables of which a part learns: chosen rows, or a change of low rank.

| file | contents |
|---|---|
| `trainable_rows.py` | `TrainableRows` |
| `lora.py` | `LoraTable`, and what both need of the table that does not learn |
"""

from rowspace.layers.tables.adapters.lora import LoraTable
from rowspace.layers.tables.adapters.trainable_rows import TrainableRows

__all__ = ["LoraTable", "TrainableRows"]
