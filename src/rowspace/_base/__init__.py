"""What every folder builds on: compiled kernels, threads, validation, messages, caches and atomic writes."""
