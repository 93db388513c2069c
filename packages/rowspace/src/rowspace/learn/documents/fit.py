"""`fit_documents`: texts → a row for each, by PV-DBOW."""

import dataclasses
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Unpack

import numpy as np

from rowspace._base.options import check_option_names, shows_options
from rowspace.encode import FlatTokenizer
from rowspace.errors import FitDiverged
from rowspace.learn.documents.documents import Documents
from rowspace.learn.documents.options import DocumentKeywords, DocumentOptions
from rowspace.learn.documents.passes import learn_rows
from rowspace.learn.documents.texts import count_words, tagged_texts, word_ids
from rowspace.table import Table

__all__ = ["fit_documents"]


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
