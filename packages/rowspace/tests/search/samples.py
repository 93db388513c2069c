"""A folder of files, and a table with a row for each of their words."""

import re

import numpy as np
from tokenizers import Tokenizer, models, pre_tokenizers

from rowspace.table import Table

FILES = {
    "garden.txt": "Roses need water.\n\nTulips grow from bulbs in spring.\n",
    "guide.md": "# Guide\n\nHow to begin.\n\n## Install\n\nInstall the package with pip.\n",
    "src/parse.py": 'def parse_header(line):\n    """Split a header at the colon."""\n    return line.split(":")\n',
    "src/deep/run.js": "export function run() { return 'tulips' }\n",
    "page.html": "<h1>Bulbs</h1><p>Plant bulbs in autumn.</p>",
}


def write_files(folder, files=FILES):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def make_table(seed=0, dim=256):
    """Return a table of the words of FILES, each with a random row."""
    words = ["[UNK]", *sorted(set(re.findall(r"\w+", " ".join(FILES.values()))))]
    rows = np.random.default_rng(seed).standard_normal((len(words), dim)).astype(np.float32)
    tokenizer = Tokenizer(models.WordLevel(dict(zip(words, range(len(words)), strict=True)), unk_token=words[0]))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return Table(words, rows, tokenizer=tokenizer.to_str())


def contents(index):
    """Return every row of an index without the times of files."""
    table = index._store.dataset.to_table().drop_columns(["mtime_ns"])
    return sorted(table.to_pylist(), key=lambda row: (row["path"], row["chunk"]))
