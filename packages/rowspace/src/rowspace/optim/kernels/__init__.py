"""The kernels of deferred optimizers: `adam.py`, `sgd.py`, `adagrad.py`, and what they share in `rows.py`."""
