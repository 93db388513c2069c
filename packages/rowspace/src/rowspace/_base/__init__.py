"""Shared helpers: compiled kernels, threads, validation, plurals in messages, the cache directory, atomic writes."""
