"""Hidden states → logits → loss: tied and untied heads, and a cross entropy without the full logits.

Read `base_head.py` first, then `cross_entropy.py` and `chunked_loss.py`.
"""

from rowspace.layers.head.cross_entropy import cross_entropy
from rowspace.layers.head.heads import TiedHead, UntiedHead
from rowspace.layers.head.token_log_probs import TokenLogProbs
from rowspace.layers.head.tying import check_tied

__all__ = [
    "TiedHead",
    "TokenLogProbs",
    "UntiedHead",
    "check_tied",
    "cross_entropy",
]
