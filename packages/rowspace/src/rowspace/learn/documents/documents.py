"""`fit_documents`: texts → `Documents`: a row for each, and rows of other documents by inference (PV-DBOW)."""

import dataclasses
import json
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from rowspace._base.atomic import StrPath, atomic_folder, check_folder_target
from rowspace._base.options import check_option_names, shows_options
from rowspace.encode import FlatTokenizer
from rowspace.errors import FileFormatError, FitDiverged, UsageError
from rowspace.files.strict_json import read_object, sealed, unsealed
from rowspace.learn.documents.options import DocumentKeywords, DocumentOptions
from rowspace.learn.documents.passes import infer_rows, learn_rows
from rowspace.learn.documents.texts import count_words, tagged_texts, word_ids
from rowspace.store import load, save
from rowspace.table import Table

__all__ = ["Documents", "fit_documents"]

JSON, ROWS, WORDS = "documents.json", "documents", "words"
REMEDY = "learn it again with fit_documents"


class Documents:
    """Rows of documents, learned by PV-DBOW.

    Attributes:
        table: The rows of the documents, (n, dim), by tag, with the number of words of each as counts.
        words: The output rows of the words, (V, dim), against which rows are learned; they are no rows of words that
            resemble each other.
        options: How they were learned.

    Example:
        >>> from rowspace.learn import fit_documents
        >>> texts = {"a": "a cat and a dog", "b": "a dog and a cat", "c": "add the sum of two", "d": "the sum of two"}
        >>> documents = fit_documents(texts, dim=8, epochs=200, min_count=1, workers=1)
        >>> documents.table.neighbors("a", k=1)[0][0]
        'b'
        >>> documents.infer(["cat and dog", "sum of two"]).shape
        (2, 8)
    """

    def __init__(self, table: Table, words: Table, options: DocumentOptions) -> None:
        self.table = table
        self.words = words
        self.options = options

    def __repr__(self) -> str:
        return f"Documents({len(self.table):,} × {self.table.dim}, {len(self.words):,} words)"

    @cached_property
    def _tokenizer(self) -> FlatTokenizer:
        return FlatTokenizer(self.words.tokenizer or "")

    def infer(
        self, texts: Iterable[str], *, epochs: int | None = None, workers: int | None = None
    ) -> NDArray[np.float32]:
        """Return rows of documents that were not learned.

        The output rows are fixed, so that a row depends on its text only: the same text gives the same bits, with other
        texts or alone, and with any number of threads. A text without a known word has a row of zeros.

        Args:
            texts: The texts.
            epochs: Passes over each text; by default as many as were learned.
            workers: Threads; by default one per core.

        Returns:
            (n, dim) float32.

        Raises:
            UsageError: `texts` is one string or holds something else than strings, or an option is invalid.
        """
        if isinstance(texts, str):
            raise UsageError("texts must be a list of texts, not one string")
        texts = list(texts)
        for number, text in enumerate(texts):
            if not isinstance(text, str):
                raise UsageError(f"text {number} must be a string, not {type(text).__name__}")
        options = dataclasses.replace(
            self.options, epochs=self.options.epochs if epochs is None else epochs, workers=workers
        )
        counts = self.words.counts
        ids = word_ids(texts, self._tokenizer, len(self.words), workers=workers)
        return infer_rows(ids, np.asarray(counts, np.int64), np.asarray(self.words.rows, np.float32), options)

    def save(self, path: StrPath) -> None:
        """Write both tables to the folder `path`, atomically.

        Raises:
            UsageError: `path` cannot be replaced.
            RowspaceError: The system refuses (disk full, no permission).
        """
        with atomic_folder(path, marker=JSON, contents=(JSON, ROWS, WORDS)) as folder:
            save(self.table, folder / ROWS, format="native")
            save(self.words, folder / WORDS, format="native")
            document = sealed({"version": 1, "options": dataclasses.asdict(self.options)})
            (folder / JSON).write_text(json.dumps(document, indent=1))

    @staticmethod
    def check_target(path: StrPath) -> None:
        """Raise the errors that `save` would raise about `path`; call it before long work."""
        check_folder_target(path, marker=JSON, contents=(JSON, ROWS, WORDS))

    @classmethod
    def load(cls, path: StrPath) -> "Documents":
        """Open what `save` wrote; rows are mapped.

        Raises:
            FileFormatError: `save` cannot have written this.
        """
        source = Path(path) / JSON
        document = unsealed(read_object(source, remedy=REMEDY), str(source), remedy=REMEDY)
        options = document.get("options")
        if document.get("version") != 1 or not isinstance(options, Mapping):
            raise FileFormatError(f"{source}: not written by this version of rowspace; {REMEDY}")
        check_option_names(str(source), options, DocumentOptions)
        table, words = load(Path(path) / ROWS), load(Path(path) / WORDS)
        if words.counts is None or words.tokenizer is None or table.dim != words.dim:
            raise FileFormatError(f"{Path(path) / WORDS}: not the words of the documents next to it; {REMEDY}")
        return cls(table, words, DocumentOptions(**options))


@shows_options(DocumentOptions)
def fit_documents(
    documents: Iterable[str] | Mapping[str, str],
    *,
    on_epoch: Callable[[int, float], None] | None = None,
    **options: Unpack[DocumentKeywords],
) -> Documents:
    """Learn a row for each document: PV-DBOW, in which the row of a document predicts its words.

    The ids of all words are kept in memory, four bytes each. Source: Le & Mikolov (2014), "Distributed Representations
    of Sentences and Documents".

    Args:
        documents: Texts, or a mapping from tags to texts.
        on_epoch: Called after each epoch with its number, from 1, and its mean loss.
        **options: The fields of `DocumentOptions`: dim=100, epochs=20, ...

    Returns:
        The rows of the documents, from which `infer` computes those of other texts. A document without a known word
        has a row of zeros.

    Raises:
        UsageError: An option is unknown or invalid, a document is not a string, or there are fewer than two.
        CorpusError: The documents have too few words.
        FitDiverged: The learning rate was too high.
    """
    check_option_names("fit_documents", options, DocumentOptions)
    chosen = DocumentOptions(**options)
    tags, texts = tagged_texts(documents)
    words = count_words(texts, cased=chosen.cased, min_count=chosen.min_count, workers=chosen.workers)
    ids = word_ids(texts, FlatTokenizer(words.tokenizer), len(words.vocabulary), workers=chosen.workers)
    rows, outputs, losses = learn_rows(ids, words.counts, chosen, on_epoch)
    if not np.isfinite(rows).all():
        raise FitDiverged(f"learning diverged: its rows are not finite; alpha={chosen.alpha:g} is too high")
    rows[np.diff(ids.indptr) == 0] = 0  # documents without a known word
    settings: dict[str, Any] = {"kind": "document"} | dataclasses.asdict(chosen) | {"losses": losses}
    table = Table(tags, rows, np.diff(ids.indptr), settings=settings)
    output_rows = Table(
        words.vocabulary, outputs, words.counts, tokenizer=words.tokenizer, settings={"tokens": "words"}
    )
    return Documents(table, output_rows, chosen)
