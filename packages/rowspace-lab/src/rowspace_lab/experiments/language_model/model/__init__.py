"""The decoder, and the same model as transformers writes it."""
