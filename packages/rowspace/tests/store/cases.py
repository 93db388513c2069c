"""One case for each way to save a table, used by `test_contract.py` and by `tests/fuzz`."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer, models

from rowspace import store
from rowspace.subwords.hashing import Subwords
from rowspace.table import Table

__all__ = ["CASES", "Case", "table_of", "tokenizer_of"]

AWKWARD = (
    "",
    " ",
    "New York",
    "\t",
    "\u00a0",
    "\u2028",
    '"',
    "\\",
    "\x1f",
    "e\u0301",
    "👩‍👩‍👧",
    "한국어",
    "7",
    "-1.5",
    "\u3000x",
)
FLOATS = (np.float16, np.float32, np.float64)


@dataclass(frozen=True)
class Case:
    """A format, the file name to save to, and what the format stores."""

    format: str
    name: str
    dtypes: tuple[type, ...] = FLOATS
    has_counts: bool = False
    has_tokenizer: bool = False
    has_unknown: bool = False  # adds a row for [UNK], as the library that owns the format expects
    is_mapped: bool = True
    with_ngrams: bool = False
    forbidden: str = ""  # characters that tokens cannot contain

    @property
    def label(self) -> str:
        """The test id."""
        return f"{self.format}{'-n-grams' if self.with_ngrams else ''}{Path(self.name).suffix}"

    @property
    def is_folder(self) -> bool:
        """Whether the format is a folder."""
        return next(known.is_folder for known in store.FORMATS if known.name == self.format)

    def save(self, table: Table, folder: Path) -> Path:
        """Save `table` in `folder`, which must exist, and return its path."""
        path = folder / self.name
        store.save(table, path, format=self.format)
        return path


CASES = (
    Case("native", "t", has_counts=True, has_tokenizer=True),
    Case("native", "t", (np.float32,), has_counts=True, with_ngrams=True),
    Case("model2vec", "t", has_tokenizer=True, has_unknown=True),
    Case("sentence-transformers", "t", has_tokenizer=True, has_unknown=True),
    Case("safetensors", "t.safetensors", has_tokenizer=True, has_unknown=True),
    Case("fasttext", "t.bin", (np.float32,), has_counts=True, forbidden="\0"),
    Case("fasttext", "t.bin", (np.float32,), has_counts=True, with_ngrams=True, is_mapped=False, forbidden="\0"),
    Case("npz", "t.npz", has_counts=True),
    Case("npy", "t.npy", forbidden="\n"),
    Case("parquet", "t.parquet", has_counts=True, is_mapped=False),
    Case("parquet", "t.arrow", has_counts=True),
    Case("tsv", "t.tsv", (np.float32,), has_counts=True, is_mapped=False, forbidden="\t\n"),
    Case("word2vec", "t.bin", (np.float32,), is_mapped=False, forbidden=" \n"),
    Case("word2vec-text", "t.vec", (np.float32,), is_mapped=False, forbidden=" \n\0"),
    Case("glove", "t.txt", (np.float32,), is_mapped=False, forbidden="\n\0"),
)


def table_of(case: Case, tokens: Iterable[str] = ("[UNK]", "cat", "né"), dtype: type = np.float32) -> Table:
    """Return a table that `case` can store; `tokens` should include [UNK] for formats that add it."""
    vocabulary = list(tokens)
    rows = np.random.default_rng(1).normal(size=(len(vocabulary), 4)).astype(dtype)
    counts = np.arange(len(vocabulary), 0, -1) * 2**40 if case.has_counts else None
    subwords = None
    if case.with_ngrams:
        subwords = Subwords(np.ones((2, 4), np.float32), rows, np.array([0, 1, 0], np.int32), 2, 3)
    return Table(vocabulary, rows, counts, subwords=subwords)


def tokenizer_of(tokens: Iterable[str]) -> str:
    """Return the text of a word-level tokenizer.json."""
    ids = {token: number for number, token in enumerate(tokens)}
    return str(Tokenizer(models.WordLevel(ids, unk_token="[UNK]")).to_str())


def storable_tokens(case: Case) -> list[str]:
    """Return unusual tokens that `case` must be able to store."""
    ends_in_number = ("7", "-1.5") if case.format == "glove" else ()  # they make the number of columns ambiguous
    storable = (token for token in AWKWARD if not any(character in token for character in case.forbidden))
    return ["[UNK]", "cat", *(token for token in storable if token not in ends_in_number)]
