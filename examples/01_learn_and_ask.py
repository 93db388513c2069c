"""Learn a table from text, query it, save it, and load it again.

The text is the reference of Python's `help()`, which every installation has.
"""

import tempfile
from pathlib import Path
from pydoc_data.topics import topics

import rowspace as rs

table = rs.fit(list(topics.values()), dim=50, epochs=10, workers=1)
print(table)
print("near 'list':", ", ".join(f"{token} {score:.2f}" for token, score in table.neighbors("list", k=5)))
print("'try' and 'except':", round(table.similarity("try", "except"), 2))
print("odd one out:", table.odd_one_out(["int", "float", "complex", "import"]))

with tempfile.TemporaryDirectory() as folder:
    table.save(Path(folder, "table"))
    again = rs.load(Path(folder, "table"))
    assert (again.rows == table.rows).all()
    print("saved and loaded:", again)
