"""The cost of a model's input and head, computed from its config: parameters, bytes, operations; nothing is built.

Read `from_config.py` first, then `counts.py` and `families.py`; `catalogue.py` has the sizes of published models.
"""

from rowspace.layers.cost.catalogue import CATALOGUE, PublishedModel
from rowspace.layers.cost.counts import Cost, TrainingBytes
from rowspace.layers.cost.from_config import cost
from rowspace.layers.cost.patches import PatchCost, patch_cost

__all__ = [
    "CATALOGUE",
    "Cost",
    "PatchCost",
    "PublishedModel",
    "TrainingBytes",
    "cost",
    "patch_cost",
]
