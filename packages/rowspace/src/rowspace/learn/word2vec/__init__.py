"""Skip-gram and CBOW with negative sampling: ids → learned rows.

Start at `trainer.py` (epochs, chunks and workers), then `kernels` (the updates of the rows).
"""
