"""The cost of a model's input and head, computed from its config: parameters, bytes, operations; nothing is built.

Read `catalogue.py` first, which has the sizes of published models too, then `counts.py`.
"""

from rowspace.layers.cost.catalogue import CATALOGUE, PublishedModel, cost
from rowspace.layers.cost.counts import Cost, MappedBytes, TrainingBytes
from rowspace.layers.cost.patches import PatchCost, patch_cost

__all__ = [
    "CATALOGUE",
    "Cost",
    "MappedBytes",
    "PatchCost",
    "PublishedModel",
    "TrainingBytes",
    "cost",
    "patch_cost",
]
