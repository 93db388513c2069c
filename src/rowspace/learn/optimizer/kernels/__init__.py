"""The kernels of deferred optimizers: `adam.py`, `sgd.py`, `adagrad.py`, and the sum of a row's gradients."""
