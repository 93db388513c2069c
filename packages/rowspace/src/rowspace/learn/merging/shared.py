"""The tokens that compared tables share, the checks of the tables, and the tokens and counts of a merged table."""

import json
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace._base.plural import plural
from rowspace.errors import UsageError
from rowspace.files.tokenizer_json import word_level_ids
from rowspace.table import Table

__all__ = ["SharedTokens", "check_tables", "merged_counts", "merged_tokenizer", "merged_vocabulary", "shared_tokens"]

Ids = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class SharedTokens:
    """The tokens that are compared.

    Attributes:
        ids: For each table, the two that are compared and those of the null, the ids of the tokens, (n,) each.
        counts: (n,) the lowest count of each token in a table; None unless all tables have counts.
        left_out: The number of tokens that both tables have but that are not compared, by the reason: "zeros" (or NaN,
            in a table), "rare" (below the lowest count), "not_in_null".
        only_before: The number of tokens of the first table that the second one does not have.
        same_tokenizer: Whether the tokens of all tables are parts of text in the same way.
    """

    ids: list[Ids]
    counts: Ids | None
    left_out: dict[str, int]
    only_before: int
    same_tokenizer: bool

    @property
    def number(self) -> int:
        """Return the number of tokens that both tables have."""
        return len(self.ids[0]) + sum(self.left_out.values())


def check_tables(*tables: object) -> None:
    """Raise `UsageError` for what is no table, such as a path, and for a table without tokens."""
    for table in tables:
        if not isinstance(table, Table):
            raise UsageError(f"{table!r:.80} is not a table; open a path with rowspace.load")
        if not len(table):
            raise UsageError("a table has no tokens; give tables with at least one")


def shared_tokens(before: Table, after: Table, null: Sequence[Table], min_count: int) -> SharedTokens:
    """Return the tokens that all tables have, with rows that have a direction, and frequent enough.

    Warns if the tables have tokenizers by which the same token is something else.

    Raises:
        UsageError: There are fewer than three such tokens.
    """
    tables = [before, after, *null]
    same_tokenizer = len(set(map(_kind, tables))) == 1
    if not same_tokenizer:
        warnings.warn(
            "the tables have different tokenizers, so the same token may stand for other pieces of text in each; "
            "compare tables of one tokenizer",
            stacklevel=3,
        )
    ids = _found(before, tables)
    both = ids[1] >= 0
    if not both.any():
        raise UsageError(
            f"the tables share no token (the first has {before.vocabulary[0]!r}, the other {after.vocabulary[0]!r}); "
            "give tables with tokens of the same kind"
        )
    in_all = np.logical_and.reduce([each >= 0 for each in ids])
    has_rows = in_all & np.logical_and.reduce(
        [_has_direction(table)[each] for table, each in zip(tables, ids, strict=True)]
    )
    counts = _counts(tables, ids)
    used = has_rows if counts is None else has_rows & (counts >= min_count)
    left_out = {"not_in_null": int((both & ~in_all).sum()), "zeros": int((in_all & ~has_rows).sum())}
    left_out["rare"] = int((has_rows & ~used).sum())
    _check_number(int(used.sum()), left_out, min_count)
    counts = None if counts is None else counts[used]
    return SharedTokens([each[used] for each in ids], counts, left_out, int((~both).sum()), same_tokenizer)


def _found(before: Table, tables: Sequence[Table]) -> list[Ids]:
    """Return the ids of the first table's tokens in each table, -1 where it has none."""
    same = {id(before): np.arange(len(before), dtype=np.int64)}
    for table in tables:
        if id(table) not in same:
            same[id(table)] = table.find(before.vocabulary)
    return [same[id(table)] for table in tables]


def _has_direction(table: Table) -> NDArray[np.bool_]:
    """Return which rows are finite and not zero, (V,)."""
    return np.isfinite(table.norms) & (table.norms > 0)


def _counts(tables: Sequence[Table], ids: Sequence[Ids]) -> Ids | None:
    """Return the lowest count of each token over the tables, None if one has no counts."""
    known = [table.counts[each] for table, each in zip(tables, ids, strict=True) if table.counts is not None]
    return np.minimum.reduce(known).astype(np.int64) if len(known) == len(tables) else None


def _check_number(number: int, left_out: dict[str, int], min_count: int) -> None:
    """Raise `UsageError` unless at least three tokens are left, the fewest that have neighbors to compare."""
    if number >= 3:
        return
    reasons = {
        "zeros": "rows of zeros or not finite",
        "rare": f"a count below {min_count:,}",
        "not_in_null": "no row in a table of the null",
    }
    found = [f"{plural(left_out[name], 'has', 'have')} {reason}" for name, reason in reasons.items() if left_out[name]]
    raise UsageError(
        f"only {plural(number, 'token')} of the tables can be compared, and at least 3 are needed"
        + (f" (of the others that they share, {', '.join(found)})" if found else "")
        + ("; give a lower min_count" if left_out["rare"] else "; give tables with more tokens in common")
    )


def _kind(table: Table) -> str:
    """Return what decides the meaning of a table's tokens; nothing for whole words or without a tokenizer."""
    if table.tokenizer is None:
        return ""
    document = json.loads(table.tokenizer)
    return "" if without_words(document) is not None else json.dumps(document.get("model"), sort_keys=True)


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
