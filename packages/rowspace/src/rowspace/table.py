"""`Table`: a vocabulary and its rows, which every folder takes or returns.

It looks up tokens and passes arrays to `rowspace.space`, which has the formulas. `Table.save` imports the store when it
is called. No function here learns or changes rows.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from rowspace import space
from rowspace._base.lazy import import_workbench
from rowspace._base.plural import plural
from rowspace._base.validate import (
    index_of,
    validate_counts,
    validate_id,
    validate_keys,
    validate_outputs,
    validate_rows,
    validate_vocabulary,
)
from rowspace.errors import UnknownTokenError, UnseenTokenWarning, UsageError
from rowspace.files.byte_tokens import kept_tokens, shown_token, tokens_shown_as
from rowspace.subwords.hashing import Subwords

if TYPE_CHECKING:
    from rowspace.space.evaluation.analogies import AnalogyScores
    from rowspace.space.evaluation.word_pairs import PairScores
    from rowspace.space.similarity import Metric
    from rowspace_lab.notebook import TableWidget

__all__ = ["Table"]

Rows = NDArray[np.floating[Any]]
Query = str | int | Sequence[str] | Sequence[float] | Rows


class Table:
    """A vocabulary, one row per token, and, where known, how often each token occurred.

    Rows are treated as immutable: their norms are computed once, when they are first needed. To change rows, create
    another table.

    Args:
        vocabulary: V distinct tokens in id order. A `Sequence` that is neither a list nor a tuple stays unread until
            a token is first looked up.
        rows: (V, d) floating, d >= 1, kept unchanged: a read-only memory map stays one.
        counts: (V,) integers, how often each token occurred.
        tokenizer: The text of a tokenizer.json whose ids 0..V-1 are the rows, or a function that returns it, which is
            called when the text is first needed.
        settings: How the table was learned.
        subwords: Gives tokens that are not in the vocabulary a row, with an `UnseenTokenWarning`.
        outputs: (V, d) floating, the output rows against which the rows were learned (word2vec's second matrix); a fit
            continues from both.

    Attributes:
        path: The absolute path or the URL that `rowspace.load` opened; None for a table that is only in memory, or of
            which a part was opened. `rowspace.scale` sends it to workers instead of the rows.

    Raises:
        UsageError: Sizes disagree, rows are not two-dimensional floats, or a token is duplicated.

    >>> rows = np.array([[0.72, -0.41, 0.15], [0.68, -0.38, 0.22], [-0.12, 0.05, 0.88]])
    >>> table = Table(["cat", "dog", "the"], rows)
    >>> table
    Table(3 tokens × 3, float64)
    >>> table.neighbors("cat", k=1, metric="euclidean")[0][0]
    'dog'
    """

    def __init__(
        self,
        vocabulary: Sequence[str],
        rows: Rows,
        counts: NDArray[np.integer[Any]] | None = None,
        *,
        tokenizer: str | Callable[[], str] | None = None,
        settings: Mapping[str, object] | None = None,
        subwords: Subwords | None = None,
        outputs: Rows | None = None,
    ) -> None:
        self.vocabulary = validate_vocabulary(vocabulary)
        self.rows = validate_rows(rows, len(self.vocabulary))
        self.counts = None if counts is None else validate_counts(counts, len(self.vocabulary))
        self.settings = dict(settings or {})
        if subwords is not None and subwords.own.shape != self.rows.shape:
            raise UsageError(
                f"subwords.own must have the shape {self.rows.shape} of the rows, got {subwords.own.shape}"
            )
        self.subwords = subwords
        self.outputs = None if outputs is None else validate_outputs(outputs, self.rows.shape)
        self.path: str | None = None
        self._tokenizer = tokenizer
        self._norms: NDArray[np.float64] | None = None
        if isinstance(self.vocabulary, list):
            _ = self._ids  # report duplicated tokens immediately

    def __len__(self) -> int:
        return len(self.vocabulary)

    def __iter__(self) -> Iterator[str]:
        return iter(self.vocabulary)

    def __contains__(self, token: object) -> bool:
        return isinstance(token, str) and token in self._ids

    def __getstate__(self) -> dict[str, object]:
        """Return the state for pickling and copying: data in files is read, cached values are omitted."""
        kept = {name: value for name, value in vars(self).items() if name not in ("_ids", "_norms", "_kept")}
        arrays = {
            "rows": np.asarray(self.rows),
            "counts": self.counts if self.counts is None else np.asarray(self.counts),
            "outputs": self.outputs if self.outputs is None else np.asarray(self.outputs),
        }
        return kept | arrays | {"_tokenizer": self.tokenizer, "_norms": None}

    def __repr__(self) -> str:
        return f"Table({plural(len(self), 'token')} × {self.dim}, {self.rows.dtype})"

    def __getitem__(self, key: str | int | Sequence[str] | Sequence[int] | NDArray[np.integer[Any]]) -> Rows:
        """Return the row (d,) of a token or an id, or the rows (n, d) of a list of tokens or ids.

        If the table has `subwords`, an out-of-vocabulary token gets the mean of its n-gram rows, with an
        `UnseenTokenWarning`.

        Raises:
            UnknownTokenError: A token is not in the vocabulary, and no row can be computed for it.
            UsageError: An id is out of range, or the key has another type.
        """
        if isinstance(key, (str, int, np.integer)):
            return self._row(key)
        keys = validate_keys(key)
        if self.subwords is None or all(token in self for token in keys if isinstance(token, str)):
            return self.rows[self._positions(keys)]
        return np.stack([self._row(token) for token in keys])

    @cached_property
    def _ids(self) -> dict[str, int]:
        """Return the ids by token, built at the first lookup."""
        return index_of(self.vocabulary)

    @property
    def tokenizer(self) -> str | None:
        """Return the text of the table's tokenizer.json, or None."""
        if callable(self._tokenizer):
            self._tokenizer = self._tokenizer()
        return self._tokenizer

    @cached_property
    def _kept(self) -> frozenset[str] | None:
        """The tokens that are shown as they are though the vocabulary is byte-level; None if it is not."""
        return kept_tokens(self.tokenizer, self.vocabulary, self)

    @property
    def is_byte_level(self) -> bool:
        """Whether the tokens are bytes in GPT-2's alphabet: by the tokenizer or, without one, by its tokens."""
        return self._kept is not None

    @property
    def dim(self) -> int:
        """Return the width d of a row.

        >>> Table(["a"], np.ones((1, 7))).dim
        7
        """
        return int(self.rows.shape[1])

    @property
    def norms(self) -> NDArray[np.float64]:
        """Return the Euclidean length of each row, (V,) float64, computed once.

        >>> Table(["a", "b"], np.array([[3.0, 4.0], [0.0, 0.0]])).norms
        array([5., 0.])
        """
        if self._norms is None:
            self._norms = space.row_norms(self.rows)
        return self._norms

    def id(self, token: str) -> int:
        """Return the id of `token`.

        Raises:
            UnknownTokenError: The token is not in the vocabulary; the message suggests similar spellings.

        >>> table = Table(["anchor", "boat"], np.eye(2))
        >>> table.id("boat")
        1
        >>> table.id("bote")
        Traceback (most recent call last):
        rowspace.errors.UnknownTokenError: token 'bote' is not in the vocabulary; did you mean 'boat'?
        """
        try:
            return self._ids[token]
        except (KeyError, TypeError):
            raise self._unknown(token) from None

    def ids(self, tokens: Sequence[str]) -> NDArray[np.int64]:
        """Return the ids of `tokens`, (n,) int64.

        Raises:
            UnknownTokenError: As for `id`.
            UsageError: `tokens` is a string.

        >>> Table(["a", "b"], np.eye(2)).ids(["b", "a", "b"])
        array([1, 0, 1])
        """
        if isinstance(tokens, str):
            raise UsageError(f"tokens must be a list of tokens, got the string {tokens!r}; use id() for a single token")
        return np.fromiter((self.id(token) for token in tokens), np.int64)

    def find(self, tokens: Sequence[str]) -> NDArray[np.int64]:
        """Return the ids of `tokens`, (n,) int64, -1 for those that are not in the vocabulary.

        >>> Table(["a", "b"], np.eye(2)).find(["b", "c"])
        array([ 1, -1])
        """
        ids = self._ids
        return np.fromiter((ids.get(token, -1) for token in tokens), np.int64)

    def shown(self, token: str) -> str:
        """Return what is shown of a token to people: text in place of the bytes of a byte-level vocabulary.

        A blank is `␣` and incomplete UTF-8 is in hex. Tokens of other vocabularies are returned unchanged; see
        `is_byte_level`.

        >>> Table(["Ġking"], np.ones((1, 2))).shown("Ġking")
        'Ġking'
        >>> byte_level = '{"pre_tokenizer": {"type": "ByteLevel"}}'
        >>> table = Table(["Ġking", "ìķĪ", "ìķ"], np.eye(3), tokenizer=byte_level)
        >>> [table.shown(token) for token in table]
        ['␣king', '안', '⟨EC 95⟩']
        """
        return token if self._kept is None or token in self._kept else shown_token(token)

    def find_shown(self, text: str) -> str | None:
        """Return the token that a text means: itself, else the one of which it is the text or what is `shown`.

        Returns:
            The token, None if there is none.

        >>> table = Table(["king", "Ġking"], np.eye(2), tokenizer='{"decoder": {"type": "ByteLevel"}}')
        >>> [table.find_shown(text) for text in ("king", " king", "␣king", "Ġking", " queen")]
        ['king', 'Ġking', 'Ġking', 'Ġking', None]
        """
        if text in self:
            return text
        meant = () if self._kept is None else tokens_shown_as(text)
        return next((token for token in meant if token in self), None)

    def neighbors(self, query: Query, *, k: int = 10, metric: "Metric" = "cosine") -> list[tuple[str, float]]:
        """Return the k tokens nearest to `query`, nearest first, with their scores.

        Ties go to the lower id.

        Args:
            query: A token, an id, a list of tokens (the mean of their unit rows is used), or a vector (d,). Tokens and
                ids of the query are excluded from the result.
            k: The number of neighbors.
            metric: "cosine", "dot", or "euclidean", whose score is the distance.

        Raises:
            UnknownTokenError: A token is not in the vocabulary, and the table has no `subwords` to compute a row from.
            UsageError: The query has another type, or the metric is unknown.

        >>> rows = np.array([[0.72, -0.41, 0.15], [0.68, -0.38, 0.22], [-0.12, 0.05, 0.88]])
        >>> table = Table(["cat", "dog", "the"], rows)
        >>> [(token, round(distance, 3)) for token, distance in table.neighbors("cat", metric="euclidean")]
        [('dog', 0.086), ('the', 1.204)]
        """
        vector, query_ids = self._query(query)
        exclude = np.asarray([query_ids], np.int64) if query_ids else None
        ids, scores = space.nearest(
            vector[np.newaxis], self.rows, k, metric=metric, exclude=exclude, row_norms=self.norms
        )
        return self._named(ids[0], scores[0])

    def similarity(self, a: str | int, b: str | int, *, metric: "Metric" = "cosine") -> float:
        """Return the similarity of the rows of two tokens or ids.

        Args:
            a: A token or an id.
            b: A token or an id.
            metric: "cosine", "dot", or "euclidean", which is a distance.

        Raises:
            UnknownTokenError: A token is not in the vocabulary, and no row can be computed for it.
            UsageError: An id is out of range, or the metric is unknown.

        >>> table = Table(["a", "b"], np.array([[3.0, 0.0], [1.0, 0.0]]))
        >>> table.similarity("a", "b"), table.similarity("a", "b", metric="dot")
        (1.0, 3.0)
        """
        return float(space.score(self._row(a), self._row(b), metric=metric))

    def analogy(
        self,
        a: str,
        b: str,
        c: str,
        *,
        k: int = 5,
        method: Literal["3cosadd", "3cosmul"] = "3cosadd",
        keep_inputs: bool = False,
    ) -> list[tuple[str, float]]:
        """Answer "`a` is to `b` as `c` is to ...": the k best answers, best first, with their scores.

        Args:
            a: The first word of the known pair.
            b: The second word of the known pair.
            c: The first word of the pair to complete.
            k: The number of answers.
            method: "3cosadd" or "3cosmul", after Levy & Goldberg (2014); see `rowspace.space.analogy`.
            keep_inputs: Allow the three inputs as answers.

        Raises:
            UnknownTokenError: A word is not in the vocabulary.
            UsageError: The method is unknown.

        >>> rows = np.array([[1.0, 0, 0], [1, 0, 1], [0, 1, 0], [0, 1, 1]])
        >>> table = Table(["man", "king", "woman", "queen"], rows)
        >>> table.analogy("man", "king", "woman", k=1)[0][0]
        'queen'
        """
        if method not in ("3cosadd", "3cosmul"):
            raise UsageError(f"method must be '3cosadd' or '3cosmul', got {method!r}")
        solve = space.cos_add if method == "3cosadd" else space.cos_mul
        question = self._positions([a, b, c])[np.newaxis]
        ids, scores = solve(self.rows, question, k, row_norms=self.norms, keep_inputs=keep_inputs)
        return self._named(ids[0], scores[0])

    def odd_one_out(self, tokens: Sequence[str]) -> str:
        """Return the token whose row has the largest angle to the mean of the tokens' unit rows.

        Raises:
            UnknownTokenError: A token is not in the vocabulary, and no row can be computed for it.
            UsageError: Fewer than three tokens are given.

        >>> rows = np.array([[0.72, -0.41, 0.15], [0.68, -0.38, 0.22], [-0.12, 0.05, 0.88]])
        >>> table = Table(["cat", "dog", "the"], rows)
        >>> table.odd_one_out(["cat", "the", "dog"])
        'the'
        """
        tokens = validate_keys(tokens)
        return str(tokens[space.odd_one_out(self[tokens])])

    def set_similarity(self, tokens_a: Sequence[str], tokens_b: Sequence[str]) -> float:
        """Return the cosine of the mean rows of two sets of tokens (gensim's `n_similarity`).

        Raises:
            UnknownTokenError: A token is not in the vocabulary, and no row can be computed for it.
            UsageError: A set is empty.

        >>> table = Table(["a", "b", "c"], np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]]))
        >>> round(table.set_similarity(["a", "b"], ["c"]), 6)
        1.0
        """
        return space.set_similarity(*self._two_sets(tokens_a, tokens_b))

    def set_distance(self, tokens_a: Sequence[str], tokens_b: Sequence[str]) -> float:
        """Return 1 - `set_similarity`: 0 for the same direction, 2 for opposite directions.

        >>> table = Table(["a", "b"], np.array([[1.0, 0.0], [-1.0, 0.0]]))
        >>> table.set_distance(["a"], ["b"])
        2.0
        """
        return space.set_distance(*self._two_sets(tokens_a, tokens_b))

    def evaluate_pairs(
        self,
        path: str | Path,
        *,
        restrict_vocab: int | None = 300_000,
        case_insensitive: bool = True,
        dummy4unknown: bool = False,
    ) -> "PairScores":
        """Correlate cosines with human similarity judgments of word pairs.

        If the table has `subwords`, out-of-vocabulary words get the mean of their n-gram rows; `composed` of the result
        counts the pairs with such words. See `rowspace.space.evaluate_pairs` for arguments and errors.
        """
        return space.evaluate_pairs(
            path,
            self.vocabulary,
            self.rows,
            restrict_vocab=restrict_vocab,
            case_insensitive=case_insensitive,
            dummy4unknown=dummy4unknown,
            unseen=None if self.subwords is None else self.subwords.row,
        )

    def evaluate_analogies(
        self,
        path: str | Path,
        *,
        restrict_vocab: int | None = 300_000,
        case_insensitive: bool = True,
        dummy4unknown: bool = False,
    ) -> "AnalogyScores":
        """Return the accuracy on a file of analogies; see `rowspace.space.evaluate_analogies`."""
        return space.evaluate_analogies(
            path,
            self.vocabulary,
            self.rows,
            restrict_vocab=restrict_vocab,
            case_insensitive=case_insensitive,
            dummy4unknown=dummy4unknown,
            row_norms=self.norms,
        )

    @classmethod
    def check_target(cls, path: str | Path) -> None:
        """Raise the errors that `save` would raise about `path`; call it before long work."""
        from rowspace.store import check_target  # the store imports this module

        check_target(path)

    def save(self, path: str | Path, *, format: str | None = None) -> None:
        """Write the table to `path` atomically; see `rowspace.store.save` for formats and errors."""
        from rowspace.store import save  # the store imports this module

        save(self, path, format=format)

    def show(self, words: Sequence[str | int] = (), *, height: int = 480) -> "TableWidget":
        """Return a widget that shows the map of the rows in a notebook, with the nearest neighbors of chosen words.

        Args:
            words: The words or ids that are chosen at first; later, they are the `selection` of the widget.
            height: The height of the map in pixels.

        Raises:
            MissingExtraError: The workbench or anywidget is not installed.
            UnknownTokenError: A word is not in the vocabulary.
            UsageError: An id or the height is out of range, or the table has no rows.
        """
        widget = import_workbench("notebook", "TableWidget", "Table.show", "'rowspace-lab[notebook]'")
        return cast("TableWidget", widget(self, words, height=height))

    def _position(self, key: str | int) -> int:
        """Return the id of a token, or an id after validating it."""
        return self.id(key) if isinstance(key, str) else validate_id(key, len(self))

    def _positions(self, keys: object) -> NDArray[np.int64]:
        """Return the ids of several tokens or ids, (n,) int64."""
        return np.fromiter((self._position(key) for key in validate_keys(keys)), np.int64)

    def _row(self, key: str | int) -> Rows:
        """Return the row (d,) of a token or an id; warn if it is computed from n-grams."""
        if isinstance(key, str) and self.subwords is not None and key not in self:
            row = self.subwords.row(key)
            if row is not None:
                warnings.warn(
                    f"{key!r} is not in the vocabulary: its row is the mean of its n-gram rows",
                    UnseenTokenWarning,
                    stacklevel=3,
                )
                return row
        return cast("Rows", self.rows[self._position(key)])

    def _two_sets(self, tokens_a: Sequence[str], tokens_b: Sequence[str]) -> tuple[Rows, Rows]:
        """Return the rows of two lists of tokens."""
        return self[validate_keys(tokens_a)], self[validate_keys(tokens_b)]

    def _query(self, query: Query) -> tuple[Rows, list[int]]:
        """Return the vector (d,) of a query, and the ids to exclude from the result."""
        if isinstance(query, (str, int, np.integer)):
            return self._row(query), self._known([query])
        if isinstance(query, Sequence) and query and all(isinstance(item, str) for item in query):
            tokens = cast("Sequence[str]", query)
            return space.mean_unit_row(self[tokens]), self._known(tokens)
        vector = np.asarray(query)
        if vector.shape != (self.dim,) or vector.dtype.kind not in "fiu":
            raise UsageError(
                f"query must be a token, a list of tokens, or a vector of {plural(self.dim, 'number')}; "
                f"got shape {vector.shape} of {vector.dtype}"
            )
        return vector, []

    def _known(self, keys: Sequence[str | int]) -> list[int]:
        """Return the ids of those tokens or ids that are in the vocabulary."""
        return [self._position(key) for key in keys if key in self or not isinstance(key, str)]

    def _named(self, ids: NDArray[np.int64], scores: NDArray[np.float32]) -> list[tuple[str, float]]:
        """Return ids and scores as tokens and floats, without entries of id -1, which have no neighbor."""
        pairs = zip(ids.tolist(), scores.tolist(), strict=True)
        return [(self.vocabulary[row], score) for row, score in pairs if row >= 0]

    def _unknown(self, token: object) -> UnknownTokenError:
        """Return the error for an unknown token, with similar spellings from the vocabulary."""
        near = space.nearest_spellings(token, self.vocabulary) if isinstance(token, str) else []
        hint = (
            f"; did you mean {' or '.join(map(self._named_and_shown, near))}?"
            if near
            else f", and none of the table's {plural(len(self), 'token')} has a similar spelling"
        )
        return UnknownTokenError(f"token {token!r} is not in the vocabulary{hint}")

    def _named_and_shown(self, token: str) -> str:
        """Return a token in quotes and, if something else is shown of it, that in parentheses."""
        text = self.shown(token)
        return repr(token) if text == token else f"{token!r} ({text})"
