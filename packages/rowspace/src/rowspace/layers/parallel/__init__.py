"""A vocabulary split over processes: each looks up its rows, computes its logits and updates its rows.

Read `vocabulary_parallel.py` first, then `shards.py` and `loss.py`; `exchange.py` has what the processes send.
"""

from rowspace.layers.parallel.vocabulary_parallel import vocabulary_parallel

__all__ = ["vocabulary_parallel"]
