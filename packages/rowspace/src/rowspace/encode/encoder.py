"""`Encoder`: texts → one vector each, pooled from the rows of their tokens."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Unpack, overload

import numpy as np
from numpy.typing import NDArray

from rowspace._base.options import shows_options
from rowspace._base.validate import check_texts
from rowspace.encode.contextual_encoder import ContextualEncoder
from rowspace.encode.executor import Executor, TokenRows, as_list
from rowspace.encode.fingerprint import fingerprint_of
from rowspace.encode.flat_tokenizer import FlatTokenizer
from rowspace.encode.modes import Plan, check_modules, check_rows_alone, check_static, mode_at, with_cut, with_names
from rowspace.encode.options import DType, EncodeKeywords, EncodeOptions, Mode, options_from
from rowspace.encode.stream import StreamOptions, StreamProgress, StreamResult, TextSource, encode_to
from rowspace.encode.texts import FlatIds
from rowspace.encode.usage import Report
from rowspace.errors import UsageError
from rowspace.files.hub import local_path
from rowspace.files.remote import is_url
from rowspace.store import load
from rowspace.table import Table

__all__ = ["Encoder"]

MAX_PLANS = 64
ADDITIVE = ("mean", "sif", "sum")  # poolings to which each token adds its row


class Encoder:
    """Texts → vectors, by the rules of a mode; several threads may use one encoder, and it pickles with its table.

    The first texts of a process go through the `tokenizers` library and NumPy. From about 1,000 sentences on, or if
    numba is already imported, they go through compiled kernels and, if there is one for this kind of tokenizer, a
    scanner. The ids are the same.

    Args:
        table: A table with a tokenizer; or with n-grams, when texts are split at white space (fastText); or of things
            that are not words, such as nodes or items, when a text is the name of one.
        mode: The library whose rules apply, as in `EncodeOptions`; None is "rowspace", but not for the rows of a model
            that decides vectors by the context.
        **options: The other fields of `EncodeOptions`: pooling="mean", dim=None, normalize=None, max_tokens=None,
            dtype="float32", workers=None, sif_a=1e-3.

    Attributes:
        table: The table.
        options: The options.
        tokenizer: The tokenizer, `None` if texts are split at white space.
        executor: Runs the plans of the options.
        plan: The plan of `options`.
        texts_at_once: The largest useful number of texts of one call of `encode`.

    Raises:
        UsageError: The table has neither a tokenizer nor n-grams, an option is invalid, or no mode is given for the
            rows of a contextual model.

    >>> from rowspace.text import whitespace_json
    >>> words = ["the", "cat"]
    >>> table = Table(words, np.eye(2, dtype=np.float32), tokenizer=whitespace_json(words))
    >>> Encoder(table).encode(["the cat", "a cat", ""])
    array([[0.5, 0.5],
           [0. , 1. ],
           [0. , 0. ]], dtype=float32)
    """

    texts_at_once = 1 << 14

    @shows_options(EncodeOptions)
    def __init__(self, table: Table, *, mode: Mode | None = None, **options: Unpack[EncodeKeywords]) -> None:
        table = self.table = with_names(table)
        if mode is None:
            check_rows_alone(table)
        self.options: EncodeOptions = with_cut(options_from({"mode": mode or "rowspace", **options}), table)
        if table.tokenizer is None and table.subwords is None:
            raise UsageError(
                "this table has no tokenizer, so texts have no ids; open one that has a tokenizer.json, or, if its "
                "tokens are words, give it one that splits at white space: Table(table.vocabulary, table.rows, "
                "table.counts, tokenizer=rowspace.text.whitespace_json(table.vocabulary))"
            )
        if (self.options.dim or 0) > table.dim:
            raise UsageError(f"dim must be at most the table's {table.dim}, not {self.options.dim}")
        self.executor = Executor(table, self.options)
        self.tokenizer: FlatTokenizer | None = self.executor.tokenizer
        self.plan = self.executor.plan_for(self.options)
        self._plans: dict[tuple[object, ...], Plan] = {}

    @overload
    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        mode: Literal["contextual"],
        download: bool = False,
        **options: Unpack[EncodeKeywords],
    ) -> ContextualEncoder: ...

    @overload
    @classmethod
    def load(
        cls,
        path: str | Path,
        *,
        mode: Literal["rowspace", "model2vec", "sentence-transformers"] | None = None,
        download: bool = False,
        **options: Unpack[EncodeKeywords],
    ) -> "Encoder": ...

    @overload
    @classmethod
    def load(
        cls, path: str | Path, *, mode: Mode | None, download: bool = False, **options: Unpack[EncodeKeywords]
    ) -> "Encoder | ContextualEncoder": ...

    @classmethod
    @shows_options(EncodeOptions)
    def load(
        cls, path: str | Path, *, mode: Mode | None = None, download: bool = False, **options: Unpack[EncodeKeywords]
    ) -> "Encoder | ContextualEncoder":
        """Open the table at `path`, in any format of `rowspace.load`, for texts; or a sentence encoder.

        Args:
            path: A folder, a file, or a name of the Hugging Face Hub, as for `rowspace.load`.
            mode: As for `Encoder`; None is that of the library that wrote the folder, model2vec or
                sentence-transformers, else "rowspace". "contextual" runs the model of transformers or
                sentence-transformers in the folder `path`, and returns a `ContextualEncoder`.
            download: As for `rowspace.load`.
            **options: As for `Encoder`.

        Raises:
            UsageError: The model decides vectors by the context, or has modules that an encoder cannot run, and no mode
                is given; and as `Encoder` and `rowspace.load` raise.
            FileFormatError: What is at `path` is damaged.
            MissingExtraError: The mode is "contextual", and PyTorch or transformers is not installed.
        """
        given, path = path, Path(local_path(path, download=download))
        if mode == "contextual":
            return ContextualEncoder(path, options_from({"mode": mode, **options}))
        if mode is None:
            check_static(path)
            found = mode_at(path)
            mode = None if found == "rowspace" else found
        if mode == "sentence-transformers":
            check_modules(path)
        table = load(path)
        if is_url(given):
            table.path = str(given)
        return cls(table, mode=mode, **options)

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

    @property
    def num_embeddings(self) -> int:
        """The number of rows of the table, which ids must be below."""
        return len(self.table)

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all that decides the vectors: rows, tokenizer and options; computed once."""
        return fingerprint_of(self.table, self.options)

    @property
    def report(self) -> Report:
        """What was encoded so far: texts, tokens, how many of them unknown, and the share of a scanner."""
        return self.executor.report

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
        overrides = (mode, max_tokens, normalize, dtype, workers)
        plan = self.plan if overrides == (None, None, None, None, None) else self._plan_for(overrides)
        if isinstance(texts, str):
            vector: NDArray[Any] = self.executor.encode([texts], plan)[0]
            return vector
        return self.executor.encode(as_list(texts), plan)

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
        listed = as_list(texts)
        counts = np.zeros(len(listed), np.int64)
        return self.executor.encode(listed, self.plan, counts), counts

    def encode_tokens(self, texts: Iterable[str]) -> FlatIds:
        """Return the ids of texts as two flat arrays, before a mode cuts texts or leaves ids out.

        A default prompt is part of each text.

        Args:
            texts: n texts.

        Returns:
            `ids` int32, and `indptr` (n + 1,): the ids of text i are ids[indptr[i]:indptr[i + 1]].

        Raises:
            UsageError: The table has no tokenizer, or a text is not a string.
        """
        if self.tokenizer is None:
            raise UsageError("this table has no tokenizer, so texts have no ids; encode() works without one")
        listed = as_list(texts)
        try:
            if self.plan.rules.prompt:
                listed = [self.plan.rules.prompt + text for text in listed]
            return self.tokenizer.encode(listed, workers=self.options.workers)
        except TypeError:
            check_texts(listed)
            raise

    def encode_ids(self, ids: FlatIds | Sequence[Sequence[int]]) -> NDArray[Any]:
        """Return the vectors of texts whose ids are known: (n, d), as `encode` returns them.

        Args:
            ids: The ids of n texts, as lists or flat arrays. Those that have no row are treated as the mode says.
        """
        flat = ids if isinstance(ids, FlatIds) else FlatIds.of(ids)
        if flat.ids.size and flat.ids.min() < 0:
            raise UsageError(f"ids must not be negative, and one is {flat.ids.min()}; check the tokenizer")
        return self.executor.encode_ids(flat, self.plan)

    def token_rows(self, text: str) -> TokenRows:
        """Return the rows whose mean is the vector of a text before it is normalized, and where their tokens are.

        Args:
            text: A text.

        Returns:
            The places and rows of the tokens that are used; with pooling "sum", it is their sum. Tokens of a default
            prompt are at [0, 0].

        Raises:
            UsageError: The pooling is "first" or "max", of which tokens have no shares.

        >>> from rowspace.text import whitespace_json
        >>> table = Table(["the", "cat"], np.eye(2, dtype=np.float32), tokenizer=whitespace_json(["the", "cat"]))
        >>> found = Encoder(table).token_rows("the red cat")
        >>> found.spans.tolist(), found.rows.tolist()
        ([[0, 3], [8, 11]], [[1.0, 0.0], [0.0, 1.0]])
        """
        if self.options.pooling not in ADDITIVE:
            raise UsageError(f"token_rows needs pooling {', '.join(ADDITIVE)}, not {self.options.pooling!r}")
        return self.executor.token_rows(text, self.plan)

    def encode_to(
        self,
        source: TextSource,
        out: str | Path,
        *,
        options: StreamOptions | None = None,
        resume: bool = False,
        on_progress: Callable[[StreamProgress], None] | None = None,
    ) -> StreamResult:
        """Encode the texts of a source into a file with bounded memory; see `rowspace.encode.encode_to`."""
        return encode_to(self, source, out, options=options, resume=resume, on_progress=on_progress)

    def warm_up(self) -> "Encoder":
        """Prepare kernels and the scanner now, so that no later call waits for them; return the encoder itself."""
        self.executor.warm_up(self.plan)
        return self

    def _plan_for(self, overrides: tuple[Any, ...]) -> Plan:
        """Return the plan for options that a call gives, made once."""
        plan = self._plans.get(overrides)
        if plan is None:
            names = ("mode", "max_tokens", "normalize", "dtype", "workers")
            changed = {name: value for name, value in zip(names, overrides, strict=True) if value is not None}
            plan = self.executor.plan_for(replace(self.options, **changed))
            if len(self._plans) < MAX_PLANS:
                self._plans[overrides] = plan
        return plan


def _restore(table: Table, options: dict[str, Any]) -> Encoder:
    """Unpickle an encoder."""
    return Encoder(table, **options)
