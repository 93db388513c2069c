"""`Executor`: runs a plan over texts, in pieces and by several threads."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import tokenizers
from numpy.typing import NDArray

from rowspace._base.parallel import map_ranges, split_range
from rowspace._base.validate import check_column, check_texts
from rowspace.encode.flat_tokenizer import FlatTokenizer
from rowspace.encode.modes import Plan
from rowspace.encode.options import EncodeOptions
from rowspace.encode.pooling import RowPooler, gather_used, no_rows, shares_of_counts, sif_weights, unit_length
from rowspace.encode.precision import quantize
from rowspace.encode.texts import FlatIds, TextBuffer
from rowspace.encode.unseen import UnseenWords, word_spans
from rowspace.encode.usage import Counters, NumbaSwitch, Report
from rowspace.errors import UsageError
from rowspace.table import Table
from rowspace.text.characters.utf8 import clean

__all__ = ["Executor", "TokenRows", "as_list", "cosine_shares", "token_spans"]

TEXTS_PER_PIECE = 512  # whose text, ids and vectors fit in a core's cache


class TokenRows(NamedTuple):
    """The rows whose mean (or sum) is the vector of a text before it is normalized.

    Attributes:
        spans: (n, 2) where each token begins and ends in the text, in characters.
        rows: (n, d) its row, with its weight where the pooling has weights.
    """

    spans: NDArray[np.int64]
    rows: NDArray[np.floating[Any]]


class Executor:
    """Texts and a plan → vectors, by compiled kernels or without them.

    Args:
        table: A table with a tokenizer or n-grams.
        options: The options of the encoder; a plan may change all but the columns and the weights.

    Attributes:
        tokenizer: The table's tokenizer, `None` if texts are split at white space.
        dim: The columns of a pooled vector.
    """

    def __init__(self, table: Table, options: EncodeOptions) -> None:
        self._table = table
        self.tokenizer: FlatTokenizer | None = None
        if table.tokenizer is not None:
            self.tokenizer = FlatTokenizer(table.tokenizer, source="the table's tokenizer")
        self.dim = options.dim or table.dim
        self._pooler = RowPooler(table.rows, _weights(table, options))
        self._no_rows = no_rows(self.dim)
        self._words = None if table.subwords is None else UnseenWords(table, table.subwords, self.dim)
        self._switch = NumbaSwitch()
        self._counters = Counters(5)

    @property
    def report(self) -> Report:
        """What was encoded so far."""
        texts, size, tokens, unknown, composed = self._counters.totals()
        if self.tokenizer is None:
            return Report(texts, tokens, unknown, composed, bytes=size)
        usage = self.tokenizer.usage
        size = usage.scanned_bytes + usage.library_bytes  # with texts of which only ids were requested
        return Report(texts, tokens, unknown, composed, usage.scanned_texts, usage.scanned_bytes, size)

    def plan_for(self, options: EncodeOptions) -> Plan:
        """Return the plan of options that differ in what a call may change."""
        if self.tokenizer is None:
            return Plan.of(options, self._table, None, None)
        return Plan.of(options, self._table, self.tokenizer.library, self.tokenizer.unknown_id)

    def warm_up(self, plan: Plan) -> None:
        """Prepare kernels and the scanner."""
        if self.tokenizer is not None:
            _ = self.tokenizer.scanner
        self.encode_piece(["a"], plan, self.empty(1, plan), compiled=True)

    def encode_ids(self, ids: FlatIds, plan: Plan) -> NDArray[Any]:
        """Return the vectors of texts whose ids are known: (n, d)."""
        out = self.empty(ids.indptr.size - 1, plan)
        self._pool(ids, self._no_rows, plan, out, compiled=self._switch.is_on(out.shape[0], ids.ids.size))
        return out

    def token_rows(self, text: str, plan: Plan) -> TokenRows:
        """Return the rows that a text's vector is pooled from, and where their tokens are."""
        rules = plan.rules
        text = rules.prompt + text[: rules.max_characters]
        flat, unseen, _ = self._ids([text], plan, compiled=self._switch.is_on_for([text]))
        spans = token_spans(text, None if self.tokenizer is None else self.tokenizer.library)
        if rules.max_tokens is not None and len(spans) > rules.max_tokens:
            flat = flat.cut(rules.max_tokens, keep_end=rules.keep_end)
            spans = spans[-rules.max_tokens :] if rules.keep_end else spans[: rules.max_tokens]
        used, rows = gather_used(self._pooler, flat.ids, unseen, plan.unknown, plan.rule, self.dim)
        return TokenRows(np.maximum(spans[used] - len(rules.prompt), 0), rows)

    def encode(self, texts: list[str], plan: Plan, counts: NDArray[np.int64] | None = None) -> NDArray[Any]:
        """Return the vectors of texts, and write their numbers of tokens to `counts`."""
        out = self.empty(len(texts), plan)
        try:
            compiled = self._switch.is_on_for(texts)
            if len(texts) <= TEXTS_PER_PIECE:
                self.encode_piece(texts, plan, out, counts, compiled=compiled)
                return out
            map_ranges(
                lambda first, last: self.encode_piece(
                    texts[first:last],
                    plan,
                    out[first:last],
                    None if counts is None else counts[first:last],
                    compiled=compiled,
                ),
                split_range(len(texts), pieces=-(-len(texts) // TEXTS_PER_PIECE)),
                threads=plan.options.workers,
            )
        except TypeError:
            check_texts(texts)
            raise
        return out

    def encode_piece(
        self,
        texts: list[str],
        plan: Plan,
        out: NDArray[Any],
        counts: NDArray[np.int64] | None = None,
        *,
        compiled: bool,
    ) -> None:
        """Write the vectors of a few texts to `out`, and their numbers of tokens to `counts`."""
        most = plan.rules.max_characters
        if most is not None:
            texts = [text[:most] for text in texts]
        if plan.rules.prompt:
            texts = [plan.rules.prompt + text for text in texts]
        flat, unseen, size = self._ids(texts, plan, compiled=compiled)
        if plan.rules.max_tokens is not None:
            flat = flat.cut(plan.rules.max_tokens, keep_end=plan.rules.keep_end)
        if counts is not None:
            counts[:] = np.diff(flat.indptr)
        unknown = self._pool(flat, unseen, plan, out, compiled=compiled)
        composed = int((flat.ids < 0).sum()) if len(unseen) else 0
        self._counters.add(len(texts), size, flat.ids.size, unknown, composed)

    def _ids(self, texts: list[str], plan: Plan, *, compiled: bool) -> tuple[FlatIds, NDArray[np.float32], int]:
        """Return the ids of texts, the rows of negative ids, and the bytes of the texts."""
        buffer = TextBuffer.of(texts)
        size = buffer.data.size
        if self.tokenizer is not None:
            flat = self.tokenizer.encode_range(buffer, 0, len(texts), scan=compiled)
            if self._words is None or not plan.composes:
                return flat, self._no_rows, size
            return *self._words.fill(flat, texts, self.tokenizer, compiled=compiled), size
        assert self._words is not None  # noqa: S101  # a table has a tokenizer or n-grams
        return *self._words.split(texts, compiled=compiled), size

    def _pool(
        self, flat: FlatIds, unseen: NDArray[np.float32], plan: Plan, out: NDArray[Any], *, compiled: bool
    ) -> int:
        """Write vectors in the dtype of `out`, and return how many tokens have no row."""
        pooled = out if plan.is_direct else np.empty((len(out), self.dim), np.float32)
        unknown = self._pooler.pool(flat, unseen, plan.unknown, plan.rule, pooled, compiled=compiled)
        if plan.rules.half:
            pooled = pooled.astype(np.float16).astype(np.float32)
            if plan.rules.normalize:
                pooled = unit_length(pooled).astype(np.float16).astype(np.float32)
        if pooled is not out:
            out[:] = quantize(pooled, plan.options.dtype)
        return unknown

    def empty(self, size: int, plan: Plan) -> NDArray[Any]:
        """Return an array for the vectors of texts."""
        width, dtype = plan.form
        return np.empty((size, width), dtype)


def as_list(texts: Iterable[str]) -> list[str]:
    """Return texts as a list; raise `UsageError` for one string, which would be split into characters."""
    if isinstance(texts, list):
        return texts
    if isinstance(texts, str) or not isinstance(texts, Iterable):
        raise UsageError(f"texts must be a list of texts, not {type(texts).__name__}; give a list of strings")
    check_column("texts", texts)
    return list(texts)


def _weights(table: Table, options: EncodeOptions) -> NDArray[np.float32] | None:
    """Return the weight of each row of a table (V,); None if rows are not weighted."""
    if options.pooling != "sif":
        return None
    if table.counts is None:
        raise UsageError(
            "pooling 'sif' needs how often each token occurs, and the table has no counts; use pooling 'mean', or make "
            "a table with counts: Table(table.vocabulary, table.rows, counts, tokenizer=table.tokenizer)"
        )
    return sif_weights(shares_of_counts(table.counts), options.sif_a).astype(np.float32)


def cosine_shares(query: NDArray[np.floating[Any]], rows: NDArray[np.floating[Any]]) -> NDArray[np.float64]:
    """Return what each row adds to the cosine of a query and the sum, or mean, of the rows.

    cos(q, Σ r) = Σ (q · r) / (|q| |Σ r|), so that the shares add up to the cosine.

    Args:
        query: (d,).
        rows: (n, d).

    Returns:
        (n,); zeros if the query or the sum of the rows is zero or not finite.

    >>> cosine_shares(np.array([1.0, 0.0]), np.array([[3.0, 0.0], [0.0, 4.0]]))
    array([0.6, 0. ])
    """
    wide, direction = np.asarray(rows, np.float64), np.asarray(query, np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        lengths = np.linalg.norm(direction) * np.linalg.norm(wide.sum(axis=0))
        if not (np.isfinite(lengths) and lengths > 0):
            return np.zeros(len(wide))
        shares: NDArray[np.float64] = wide @ direction / lengths
    return shares


def token_spans(text: str, library: tokenizers.Tokenizer | None) -> NDArray[np.int64]:
    """Return where each token of a text begins and ends, in characters: (n, 2).

    Args:
        text: The text.
        library: The tokenizer; None: the text is split at white space.

    >>> token_spans("a  cat", None).tolist()
    [[0, 1], [3, 6]]
    """
    if library is None:
        found = word_spans(clean(text))
    else:
        found = library.encode(clean(text), add_special_tokens=False).offsets
    return np.array(found, np.int64).reshape(-1, 2)
