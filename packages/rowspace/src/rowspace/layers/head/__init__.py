"""Hidden states → logits → loss: tied and untied heads, and a cross entropy without the full logits.

Read `heads.py` first, then `cross_entropy.py` and `chunked_loss.py`.
"""

from rowspace.layers.head.cross_entropy import cross_entropy
from rowspace.layers.head.heads import TiedHead, UntiedHead
from rowspace.layers.head.tying import check_tied

__all__ = [
    "TiedHead",
    "UntiedHead",
    "check_tied",
    "cross_entropy",
]
