"""The functions that compute the numbers and the answers of each lesson, in `topics/` in a module per lesson.

Functions that need PyTorch are in `figures/`, in a module of the same name.
"""
