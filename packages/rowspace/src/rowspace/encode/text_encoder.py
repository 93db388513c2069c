"""`TextEncoder`: the encoder as a transformer of scikit-learn, for pipelines and searches over its options."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rowspace._base.validate import check_column
from rowspace.encode.encoder import Encoder
from rowspace.errors import MissingExtraError, UsageError
from rowspace.table import Table

try:
    from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
    from sklearn.utils.validation import check_is_fitted
except ImportError as error:
    raise MissingExtraError("TextEncoder needs scikit-learn: pip install 'rowspace[analysis]'") from error

__all__ = ["TextEncoder", "checked_texts"]

OPTIONS = ("mode", "pooling", "dim", "normalize", "max_tokens", "dtype", "workers")


class TextEncoder(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """Texts → vectors in a scikit-learn pipeline. Needs `rowspace[analysis]`.

    `fit` opens the table and learns nothing. A pickle (also joblib's) of an encoder with a path has the path and a hash
    of the table, not its rows: the table must still be there, unchanged. One with a `Table` has its rows. A pickle can
    run any code when it is opened, so open only your own.

    Args:
        table: The path of a table in any format of `rowspace.load`, or a `Table`. `clone`, and so every search, copies
            a `Table`, but not the table at a path.
        mode: As in `EncodeOptions`; `None` takes the one of the library that wrote the folder, as `Encoder.load` does.
        pooling: As in `EncodeOptions`.
        dim: As in `EncodeOptions`.
        normalize: As in `EncodeOptions`.
        max_tokens: As in `EncodeOptions`.
        dtype: As in `EncodeOptions`.
        workers: As in `EncodeOptions`.

    Attributes:
        fingerprint_: A hash of all that decides the vectors.

    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from rowspace.text import whitespace_json
    >>> words = ["cat", "dog", "red", "blue"]
    >>> rows = np.array([[1, 0], [0.9, 0.1], [0, 1], [0.1, 0.9]], np.float32)
    >>> table = Table(words, rows, tokenizer=whitespace_json(words))
    >>> classify = make_pipeline(TextEncoder(table), LogisticRegression())
    >>> _ = classify.fit(["cat", "red"], ["pet", "color"])
    >>> classify.predict(["dog dog", "blue"]).tolist()
    ['pet', 'color']
    """

    def __init__(
        self,
        table: str | Path | Table,
        *,
        mode: str | None = None,
        pooling: str = "mean",
        dim: int | None = None,
        normalize: bool | None = None,
        max_tokens: int | None = None,
        dtype: str = "float32",
        workers: int | None = None,
    ) -> None:
        self.table = table
        self.mode = mode
        self.pooling = pooling
        self.dim = dim
        self.normalize = normalize
        self.max_tokens = max_tokens
        self.dtype = dtype
        self.workers = workers

    def fit(self, X: Iterable[str], y: object = None) -> Self:
        """Open the table, and check the options and the texts.

        Args:
            X: n texts: a list, a one-dimensional array, or a column of a data frame.
            y: Ignored.

        Raises:
            UsageError: An option is invalid, or X is not one-dimensional or holds something else than texts.
        """
        checked_texts(X)
        self._encoder = self._open()
        self.fingerprint_ = self._encoder.fingerprint
        self._n_features_out = self._encoder.encode([""]).shape[1]
        return self

    def transform(self, X: Iterable[str]) -> NDArray[Any]:
        """Return the vectors of texts.

        Args:
            X: n texts, as for `fit`.

        Returns:
            (n, d), float32 or what `dtype` says; a data frame after `set_output`.

        Raises:
            UsageError: X is not one-dimensional or holds something else than texts, or the table of an unpickled
                encoder has changed.
        """
        check_is_fitted(self, "fingerprint_")
        texts = checked_texts(X)
        if self._encoder is None:
            self._encoder = self._reopened()
        return self._encoder.encode(texts)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickling, without the open table; a `Table` among the arguments is kept."""
        state: dict[str, Any] = super().__getstate__()
        return state | {"_encoder": None} if "_encoder" in state else state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.transformer_tags.preserves_dtype = []
        return tags

    def _open(self) -> Encoder:
        options = {name: getattr(self, name) for name in OPTIONS if name != "mode" or self.mode is not None}
        return Encoder(self.table, **options) if isinstance(self.table, Table) else Encoder.load(self.table, **options)

    def _reopened(self) -> Encoder:
        encoder = self._open()
        if encoder.fingerprint != self.fingerprint_:
            raise UsageError(
                f"the table {str(self.table)!r} or an option differs from the one that this encoder was fitted with; "
                "restore it, or fit again"
            )
        return encoder


def checked_texts(X: object) -> list[str]:
    """Return texts as a list; raise `UsageError` for anything but one dimension of strings."""
    if isinstance(X, str | bytes):
        raise UsageError("X must be a list of texts, not one text; pass [text]")
    shape = getattr(X, "shape", None)
    if shape is not None and len(shape) != 1:
        raise UsageError(
            f"X must be one-dimensional texts, got shape {tuple(shape)}; pass one column, which a ColumnTransformer "
            "selects by its name and not by a list of names"
        )
    check_column("X", X)
    if not isinstance(X, Iterable):
        raise UsageError(f"X must be a list of texts, not {type(X).__name__}")
    texts = X.tolist() if isinstance(X, np.ndarray) else list(X)
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise UsageError(f"X must hold texts, but item {number} is {text!r:.80}; replace it, for example by ''")
    return texts
