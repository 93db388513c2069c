"""The figures of lessons that need PyTorch, in a module per lesson."""
