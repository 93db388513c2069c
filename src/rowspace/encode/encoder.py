"""`Encoder`: texts → one vector each, pooled from the rows of their tokens."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rowspace._base.parallel import map_ranges, split_range
from rowspace.encode.fingerprint import fingerprint_of
from rowspace.encode.flat_tokenizer import FlatTokenizer
from rowspace.encode.modes import check_modules
from rowspace.encode.options import DType, EncodeOptions, Mode, options_from
from rowspace.encode.plan import Plan
from rowspace.encode.pooling import RowPooler, no_rows, sif_weights, unit_length
from rowspace.encode.precision import quantize, stored_form
from rowspace.encode.stream import StreamResult, TextSource, encode_to
from rowspace.encode.texts import FlatIds, TextBuffer
from rowspace.encode.unseen import UnseenWords
from rowspace.encode.usage import Counters, NumbaSwitch, Report
from rowspace.errors import UsageError
from rowspace.store import format_of, load
from rowspace.table import Table

__all__ = ["Encoder"]

TEXTS_PER_PIECE = 512  # whose text, ids and vectors fit in a core's cache
LIBRARIES = ("model2vec", "sentence-transformers")  # formats that are also modes
MOST_PLANS = 64


class Encoder:
    """Texts → vectors, by the rules of a mode; several threads may use one encoder, and it pickles with its table.

    The first texts of a process go through the `tokenizers` library and NumPy. From about 1,000 sentences on, or if
    numba is already imported, they go through compiled kernels and, if there is one for this kind of tokenizer, a
    scanner. The ids are the same.

    Args:
        table: A table with a tokenizer; or with n-grams, when texts are split at white space (fastText).
        **options: The fields of `EncodeOptions`: mode="rowspace", pooling="mean", dim=None, normalize=None,
            max_tokens=None, dtype="float32", workers=None, sif_a=1e-3.

    Attributes:
        table: The table.
        options: The options.
        tokenizer: The tokenizer, `None` if texts are split at white space.

    Raises:
        UsageError: The table has neither a tokenizer nor n-grams, or an option is invalid.

    >>> from rowspace.text import whitespace_json
    >>> words = ["the", "cat"]
    >>> table = Table(words, np.eye(2, dtype=np.float32), tokenizer=whitespace_json(words))
    >>> Encoder(table).encode(["the cat", "a cat", ""])
    array([[0.5, 0.5],
           [0. , 1. ],
           [0. , 0. ]], dtype=float32)
    """

    def __init__(self, table: Table, **options: Any) -> None:
        self.table = table
        self.options: EncodeOptions = options_from(options)
        if table.tokenizer is None and table.subwords is None:
            raise UsageError(
                "this table has no tokenizer, so texts have no ids; open one that has a tokenizer.json, or, if its "
                "tokens are words, give it one that splits at white space: Table(table.vocabulary, table.rows, "
                "table.counts, tokenizer=rowspace.text.whitespace_json(table.vocabulary))"
            )
        if (self.options.dim or 0) > table.dim:
            raise UsageError(f"dim must be at most the table's {table.dim}, not {self.options.dim}")
        self.tokenizer: FlatTokenizer | None = None
        if table.tokenizer is not None:
            self.tokenizer = FlatTokenizer(table.tokenizer, source="the table's tokenizer")
        weights = sif_weights(table.counts, self.options.sif_a) if self.options.pooling == "sif" else None
        self._pooler = RowPooler(table.rows, weights)
        self._no_rows = no_rows(self.dim)
        self._words = None if table.subwords is None else UnseenWords(table, table.subwords, self.dim)
        self._switch = NumbaSwitch()
        self._counters = Counters(5)
        self._plan = self._make_plan(self.options)
        self._plans: dict[tuple[object, ...], Plan] = {}

    @classmethod
    def load(cls, path: str | Path, **options: Any) -> "Encoder":
        """Open the table at `path`, in any format of `rowspace.load`, for texts.

        Args:
            path: A folder or a file.
            **options: As for `Encoder`. The default mode is that of the library that wrote the folder, model2vec or
                sentence-transformers, else "rowspace".

        Raises:
            UsageError: The model has modules that an encoder cannot run, and as `Encoder` and `rowspace.load` raise.
            FileFormatError: What is at `path` is damaged.
        """
        name = format_of(path).name
        mode = options.setdefault("mode", name if name in LIBRARIES else "rowspace")
        if mode == "sentence-transformers":
            check_modules(Path(path))
        return cls(load(path), **options)

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.table, asdict(self.options))

    def __repr__(self) -> str:
        defaults = asdict(EncodeOptions())
        changed = [f"{name}={value!r}" for name, value in asdict(self.options).items() if value != defaults[name]]
        return f"Encoder({', '.join([repr(self.table), *changed])})"

    @property
    def dim(self) -> int:
        """The number of columns of a vector, before bits are packed."""
        return self.options.dim or self.table.dim

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all that decides the vectors: rows, tokenizer and options; computed once."""
        return fingerprint_of(self.table, self.options)

    @property
    def report(self) -> Report:
        """What was encoded so far: texts, tokens, how many of them unknown, and the share of a scanner."""
        texts, size, tokens, unknown, composed = self._counters.totals()
        if self.tokenizer is None:
            return Report(texts, tokens, unknown, composed, bytes=size)
        usage = self.tokenizer.usage
        size = usage.scanned_bytes + usage.library_bytes  # with those of encode_tokens, which a scanner reads too
        return Report(texts, tokens, unknown, composed, usage.scanned_texts, usage.scanned_bytes, size)

    def encode(
        self,
        texts: str | Iterable[str],
        *,
        mode: Mode | None = None,
        max_tokens: int | None = None,
        normalize: bool | None = None,
        dtype: DType | None = None,
        workers: int | None = None,
    ) -> NDArray[Any]:
        """Return the vectors of texts. The other arguments replace options of the encoder for this call.

        Args:
            texts: A text, or n texts.
            mode: As in `EncodeOptions`.
            max_tokens: As in `EncodeOptions`.
            normalize: As in `EncodeOptions`.
            dtype: As in `EncodeOptions`.
            workers: As in `EncodeOptions`.

        Returns:
            (d,) of a text, or (n, d), float32 or what `dtype` says. A text without tokens is zeros.

        Raises:
            UsageError: A text is not a string, or an option is invalid.
        """
        given = (mode, max_tokens, normalize, dtype, workers)
        plan = self._plan if given == (None, None, None, None, None) else self._plan_for(given)
        if isinstance(texts, str):
            vector: NDArray[Any] = self._encode_all([texts], plan)[0]
            return vector
        return self._encode_all(_as_list(texts), plan)

    def encode_and_count(self, texts: Iterable[str]) -> tuple[NDArray[Any], NDArray[np.int64]]:
        """Return the vectors of texts, and how many tokens each text has after the mode has cut it.

        Args:
            texts: n texts.

        Returns:
            The vectors (n, d) as `encode` returns them, and the numbers of tokens (n,), those without a row included.

        Raises:
            UsageError: A text is not a string.

        >>> from rowspace.text import whitespace_json
        >>> table = Table(["cat"], np.ones((1, 1), np.float32), tokenizer=whitespace_json(["cat"]))
        >>> Encoder(table).encode_and_count(["a cat", ""])[1]
        array([2, 0])
        """
        listed = texts if isinstance(texts, list) else list(texts)
        counts = np.zeros(len(listed), np.int64)
        return self._encode_all(listed, self._plan, counts), counts

    def encode_tokens(self, texts: Iterable[str]) -> FlatIds:
        """Return the ids of texts as two flat arrays, before a mode cuts texts or leaves ids out.

        Args:
            texts: n texts.

        Returns:
            `ids` int32, and `indptr` (n + 1,): the ids of text i are ids[indptr[i]:indptr[i + 1]].

        Raises:
            UsageError: The table has no tokenizer, or a text is not a string.
        """
        if self.tokenizer is None:
            raise UsageError("this table has no tokenizer, so texts have no ids; encode() works without one")
        listed = _as_list(texts)
        try:
            return self.tokenizer.encode(listed, workers=self.options.workers)
        except TypeError:
            _check_texts(listed)
            raise

    def encode_ids(self, ids: FlatIds | Sequence[Sequence[int]]) -> NDArray[Any]:
        """Return the vectors of texts whose ids are known: (n, d), as `encode` returns them.

        Args:
            ids: The ids of n texts, as lists or flat arrays. Those that have no row are treated as the mode says.
        """
        flat = ids if isinstance(ids, FlatIds) else FlatIds.of(ids)
        if flat.ids.size and flat.ids.min() < 0:
            raise UsageError(f"ids must not be negative, and one is {flat.ids.min()}; check the tokenizer")
        out = self._empty(flat.indptr.size - 1, self._plan)
        self._pool(flat, self._no_rows, self._plan, out, compiled=self._switch.is_on(out.shape[0], flat.ids.size))
        return out

    def encode_to(self, source: TextSource, out: str | Path, **options: Any) -> StreamResult:
        """Encode the texts of a source into a file with bounded memory; see `rowspace.encode.encode_to`."""
        return encode_to(self, source, out, **options)

    def warm_up(self) -> "Encoder":
        """Prepare kernels and the scanner now, so that no later call waits for them; return the encoder itself."""
        if self.tokenizer is not None:
            _ = self.tokenizer.scanner
        self._encode_piece(["a"], self._plan, self._empty(1, self._plan), compiled=True)
        return self

    def _encode_all(self, texts: list[str], plan: Plan, counts: NDArray[np.int64] | None = None) -> NDArray[Any]:
        """Return the vectors of texts, and write their numbers of tokens to `counts`."""
        out = self._empty(len(texts), plan)
        try:
            compiled = self._switch.is_on(len(texts), sum(map(len, texts)))
            if len(texts) <= TEXTS_PER_PIECE:
                self._encode_piece(texts, plan, out, counts, compiled=compiled)
                return out
            map_ranges(
                lambda first, last: self._encode_piece(
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
            _check_texts(texts)
            raise
        return out

    def _encode_piece(
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
        unknown = self._pooler.pool(flat, unseen, plan.unknown, plan.pool_code, pooled, compiled=compiled)
        if plan.rules.half:
            pooled = pooled.astype(np.float16).astype(np.float32)
            if plan.rules.normalize:
                pooled = unit_length(pooled).astype(np.float16).astype(np.float32)
        if pooled is not out:
            out[:] = quantize(pooled, plan.dtype)
        return unknown

    def _empty(self, size: int, plan: Plan) -> NDArray[Any]:
        width, dtype = stored_form(self.dim, plan.dtype)
        return np.empty((size, width), dtype)

    def _plan_for(self, given: tuple[Any, ...]) -> Plan:
        """Return the plan for options that a call gives, made once."""
        plan = self._plans.get(given)
        if plan is None:
            names = ("mode", "max_tokens", "normalize", "dtype", "workers")
            changed = {name: value for name, value in zip(names, given, strict=True) if value is not None}
            plan = self._make_plan(replace(self.options, **changed))
            if len(self._plans) < MOST_PLANS:
                self._plans[given] = plan
        return plan

    def _make_plan(self, options: EncodeOptions) -> Plan:
        if self.tokenizer is None:
            return Plan.of(options, self.table, None, None)
        return Plan.of(options, self.table, self.tokenizer.library, self.tokenizer.unknown_id)


def _restore(table: Table, options: dict[str, Any]) -> Encoder:
    """Unpickle an encoder."""
    return Encoder(table, **options)


def _as_list(texts: Iterable[str]) -> list[str]:
    if isinstance(texts, list):
        return texts
    if not isinstance(texts, Iterable):
        raise UsageError(f"texts must be a text or several, not {type(texts).__name__}; give a list of strings")
    return list(texts)


def _check_texts(texts: Sequence[object]) -> None:
    """Raise `UsageError` for the first text that is not a string."""
    for place, text in enumerate(texts):
        if not isinstance(text, str):
            raise UsageError(
                f"texts must be strings, but text {place} is a {type(text).__name__}; leave it out or convert it"
            )
