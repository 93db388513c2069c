"""Do rows that were learned before help a small language model? Held-out loss with and without them."""

import tempfile
from pathlib import Path
from pydoc_data.topics import topics

import rowspace as rs

texts = list(topics.values())  # the reference of the Python language
few, many = texts[:12], texts[12:]  # what the model reads, and what only the table has read

with tempfile.TemporaryDirectory() as folder:
    pieces = Path(folder, "pieces")
    rs.fit(many, tokens="bpe", vocabulary_size=1000, dim=64, epochs=10, workers=1, output=pieces)
    shape = {"layers": 2, "heads": 2, "context": 64, "batch_size": 8, "steps": 80, "workers": 1}
    for name, rows in [("random rows", {"tokens": pieces, "dim": 64}), ("rows of the table", {"init": pieces})]:
        run = rs.train(few, Path(folder, "run"), **rows, **shape)
        print(f"{name}: {run.bits_per_byte:.2f} bits per byte of held-out text")
