"""The tokens, counts and tokenizer of a merged table."""

import json
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace.errors import UsageError
from rowspace.files.tokenizer_json import word_level_ids
from rowspace.table import Table

__all__ = ["merged_counts", "merged_tokenizer", "merged_vocabulary", "without_words"]


def merged_vocabulary(tables: Sequence[Table], *, drop: bool = False) -> list[str]:
    """Return the tokens of all tables, or with `drop` those that all tables have.

    If all tables have counts, and not all have the same tokens, tokens are sorted by decreasing sum of counts;
    otherwise those of the first table come first, then the others of the second, and so on.
    """
    kept = list(dict.fromkeys(chain.from_iterable(table.vocabulary for table in tables)))
    if drop:
        kept = [token for token in kept if all(token in table for table in tables)]
    counts = merged_counts(tables, kept)
    is_same = all(list(table.vocabulary) == kept for table in tables)
    if is_same or counts is None or any(table.counts is None for table in tables):
        return kept
    return [kept[row] for row in np.argsort(-counts, kind="stable")]


def merged_counts(tables: Sequence[Table], vocabulary: Sequence[str]) -> NDArray[np.int64] | None:
    """Return the sum of the counts of each token over the tables that have counts, (V,); None if none has."""
    total = np.zeros(len(vocabulary), np.int64)
    known = [table for table in tables if table.counts is not None]
    for table in known:
        ids = table.find(vocabulary)
        total += np.where(ids >= 0, np.asarray(table.counts)[ids], 0)
    return total if known else None


def merged_tokenizer(tables: Sequence[Table], vocabulary: Sequence[str]) -> str | None:
    """Return the tokenizer.json of a merged table, None if no table has one.

    Tables with the same tokenizer keep it. Tokenizers of whole words that differ only in their words become one with
    the merged words; tables without a tokenizer count as tables of words.

    Raises:
        UsageError: The tokenizers differ in another way.
    """
    texts = [table.tokenizer for table in tables]
    documents = [json.loads(text) for text in texts if text is not None]
    if not documents:
        return None
    first = documents[0]
    has_all_words = all(list(table.vocabulary) == list(vocabulary) for table in tables)
    if has_all_words and len(documents) == len(tables) and all(document == first for document in documents):
        return texts[0]
    rest = [without_words(document) for document in documents]
    if rest[0] is None or any(each != rest[0] for each in rest):
        raise UsageError(
            f"the tables have different tokenizers ({_kinds(texts)}), and a merged table can have only one; give "
            "tables of one tokenizer, or tables without: Table(table.vocabulary, table.rows, table.counts)"
        )
    first["model"]["vocab"] = word_level_ids(vocabulary)
    return json.dumps(first, ensure_ascii=False, separators=(",", ":"))


def without_words(document: dict[str, Any]) -> dict[str, Any] | None:
    """Return a tokenizer of whole words without its words; None for another tokenizer, or one with added tokens."""
    model = document.get("model", {})
    if model.get("type") != "WordLevel" or document.get("added_tokens"):
        return None
    return document | {"model": {name: value for name, value in model.items() if name != "vocab"}}


def _kinds(texts: Sequence[str | None]) -> str:
    """Return the kinds of tokenizers: "BPE, WordLevel, none"."""
    kinds = ("none" if text is None else str(json.loads(text).get("model", {}).get("type")) for text in texts)
    return ", ".join(kinds)
