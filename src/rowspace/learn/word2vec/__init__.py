"""Skip-gram and CBOW with negative sampling: ids → learned rows.

Start at `trainer.py` (which worker learns which part of the text when), then `kernels` (what that does to the rows).
"""
