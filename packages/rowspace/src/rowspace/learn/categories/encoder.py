"""`CategoryEncoder`: categories of tabular data → rows that are learned against a target."""

import warnings
from collections.abc import Iterator
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from rowspace._base.validate import check_whole_number
from rowspace.errors import MissingExtraError, UsageError
from rowspace.learn.categories.levels import Levels, columns_of
from rowspace.learn.categories.rows import rows_of, rule_of
from rowspace.learn.categories.target import TARGETS, Target, target_of
from rowspace.table import Table

try:
    from sklearn.base import BaseEstimator, TransformerMixin
    from sklearn.model_selection import KFold, StratifiedKFold
    from sklearn.utils import check_array
    from sklearn.utils.validation import check_is_fitted, validate_data
except ImportError as error:
    raise MissingExtraError("a category encoder needs scikit-learn: pip install 'rowspace[analysis]'") from error

__all__ = ["CategoryEncoder"]

Ids = NDArray[np.int64]


class CategoryEncoder(TransformerMixin, BaseEstimator):
    """Columns of categories → numbers, a row for each category, learned against a target. Needs `rowspace[analysis]`.

    A row says how the target behaves in its category, compared with all data: zeros are the average, and the row of
    every category that was not there in `fit`. Rare categories are shrunk towards zeros (partial pooling): a category
    seen n times gets n / (n + prior) of its own deviation. A row has at most `dim` numbers:

    - for a number to predict: the mean; with several columns, the partial effect next to the other columns; then the
      principal components of the shape of its distribution (deciles, without what the mean explains);
    - for two classes: the share of the second one; with several columns, the partial effect;
    - for more classes: the principal components of their shares.

    A category's row contains the targets of its own examples, so `fit_transform` returns rows from other examples
    (cross-fitting, as scikit-learn's `TargetEncoder` does): it is not `fit(X, y).transform(X)`. Pipelines call it when
    they learn.

    Args:
        dim: The maximum length of a row.
        smooth: The prior: the number of examples that zeros count as, or "auto", which estimates the best one for each
            column: the variance within categories divided by that between them.
        target_type: "continuous", "binary", "multiclass", or "auto": classes for strings, booleans and whole numbers.
        cv: The number of parts in `fit_transform`: the rows of a part are learned from the others.
        seed: Seed of the division into parts.

    Attributes:
        tables_: A `Table` of each column by its name: tokens are the categories as text, by decreasing count, after
            "[unseen]" and, if `fit` has seen missing values, "[missing]". `settings` has the kind "category", the names
            of the numbers of a row, and the prior of the first one in examples.
        classes_: The classes in order; None for a continuous target.
        n_features_in_: The number of columns.
        feature_names_in_: Their names, if X has names of strings.

    >>> X = [["red"], ["red"], ["red"], ["blue"], ["blue"], ["green"]] * 10
    >>> y = [3.0, 2.5, 3.5, 1.0, 1.5, 2.0] * 10
    >>> encoder = CategoryEncoder(dim=1, smooth=2.0).fit(X, y)
    >>> encoder.transform([["red"], ["blue"], ["purple"]]).round(2)
    array([[ 0.82],
           [-1.06],
           [ 0.  ]])
    """

    def __init__(
        self,
        *,
        dim: int = 8,
        smooth: float | Literal["auto"] = "auto",
        target_type: Literal["auto", "continuous", "binary", "multiclass"] = "auto",
        cv: int = 5,
        seed: int = 0,
    ) -> None:
        self.dim = dim
        self.smooth = smooth
        self.target_type = target_type
        self.cv = cv
        self.seed = seed

    def fit(self, X: Any, y: Any) -> Self:
        """Learn rows from all examples.

        Args:
            X: (n, C), an array, a list of lists or a frame of pandas or polars. Values are compared as text, where 1
                and 1.0 are the same; None, NaN and NA are missing, a category of its own if `fit` sees it.
            y: (n,) numbers or classes.

        Raises:
            UsageError: An option is invalid, y is missing, not finite or of another length, or has one value only.
        """
        self._fit(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Learn rows from all examples, and return for each example its rows as learned from the other parts.

        Returns:
            (n, sum of the lengths of rows) float64, or a frame (`set_output`).
        """
        codes, target = self._fit(X, y)
        out = np.zeros((len(target.main), len(self.get_feature_names_out())))
        for learned, held_out in self._parts(target):
            found = rows_of([ids[learned] for ids in codes], target.main[learned], target.shape[learned], self._rule)
            out[held_out] = np.hstack([rows[ids[held_out]] for rows, ids in zip(found, codes, strict=True)])
        return out

    def transform(self, X: Any) -> Any:
        """Return the rows of the categories of each example, side by side.

        Returns:
            (n, sum of the lengths of rows) float64, or a frame (`set_output`).
        """
        check_is_fitted(self, "tables_")
        columns = columns_of(self._checked(X, reset=False))
        codes = [levels.codes(values) for levels, values in zip(self._levels, columns, strict=True)]
        return np.hstack([table.rows[ids] for table, ids in zip(self.tables_.values(), codes, strict=True)])

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the columns of the output, such as "color_mean" and "color_partial".

        Raises:
            UsageError: `input_features` are not the names that `fit` has seen.
        """
        check_is_fitted(self, "tables_")
        known = list(self.tables_)
        names = known if input_features is None else list(input_features)
        if len(names) != len(known) or (hasattr(self, "feature_names_in_") and names != known):
            raise UsageError(
                f"input_features is not equal to feature_names_in_, or should have length equal to number of features: "
                f"expected {known}, got {names}"
            )
        named = zip(names, self._rule.parts, strict=True)
        return np.array([f"{name}_{part}" for name, parts in named for part in parts], object)

    def _fit(self, X: Any, y: Any) -> tuple[list[Ids], Target]:
        """Learn rows; return the ids of the categories of each column, and the target."""
        smooth = self._checked_options()
        if y is None:
            raise UsageError("CategoryEncoder requires y to be passed, but the target y is None; give fit(X, y)")
        X = self._checked(X, reset=True)
        names = self._names()
        columns = columns_of(X)
        levels = [Levels.of(values, name) for values, name in zip(columns, names, strict=True)]
        codes = [each.codes(values) for each, values in zip(levels, columns, strict=True)]
        labels = np.asarray(y)
        if labels.ndim and len(labels) != len(codes[0]):
            raise UsageError(f"X has {len(codes[0]):,} examples and y has {len(labels):,}; they must agree")
        target = target_of(labels, self.target_type)
        self._levels = levels
        self._rule = rule_of(codes, [each.counts for each in levels], target, self.dim, smooth)
        self.classes_ = np.array(target.facts["classes"]) if "classes" in target.facts else None
        rows = rows_of(codes, target.main, target.shape, self._rule)
        settings = {"kind": "category", "target": target.kind, **target.facts}
        self.tables_ = {
            name: Table(
                each.tokens,
                found,
                each.counts,
                settings=settings | {"column": name, "prior": prior, "numbers": parts},
            )
            for name, each, found, prior, parts in zip(
                names, levels, rows, self._rule.priors, self._rule.parts, strict=True
            )
        }
        return codes, target

    def _parts(self, target: Target) -> Iterator[tuple[Ids, Ids]]:
        """Yield the examples to learn from and those held out, for each part; each class is in all parts."""
        kind = KFold if target.kind == "continuous" else StratifiedKFold
        labels = target.main.argmax(axis=1) if target.kind == "multiclass" else target.main[:, 0] > 0
        most = len(labels) if target.kind == "continuous" else max(np.unique(labels, return_counts=True)[1])
        if self.cv > most:
            of_class = "" if target.kind == "continuous" else " of the largest class"
            raise UsageError(f"cv is {self.cv}, but there are only {most} examples{of_class}; give a lower cv")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # a class with fewer examples than parts
            yield from kind(self.cv, shuffle=True, random_state=self.seed).split(labels, labels)

    def _checked_options(self) -> float | None:
        """Return the prior, None to estimate it; raise `UsageError` for an invalid option."""
        check_whole_number("dim", self.dim, 1, 65_536)
        check_whole_number("cv", self.cv, 2, 1_000)
        check_whole_number("seed", self.seed, 0, 2**32 - 1)
        if self.target_type not in ("auto", *TARGETS):
            raise UsageError(f"target_type must be one of auto, {', '.join(TARGETS)}, not {self.target_type!r}")
        if self.smooth == "auto":
            return None
        if isinstance(self.smooth, bool) or not isinstance(self.smooth, int | float) or not 0 <= self.smooth <= 1e9:
            raise UsageError(
                f"smooth must be 'auto' or a number of examples from 0 to 1,000,000,000, not {self.smooth!r}"
            )
        return float(self.smooth)

    def _checked(self, X: Any, *, reset: bool) -> Any:
        """Return X as a frame or an array (n, C); record its columns, or compare them with those of `fit`."""
        if not hasattr(X, "columns"):
            array = check_array(X, dtype=None, ensure_all_finite=False)
            if not hasattr(X, "dtype") and array.dtype.kind == "U":  # a list of several types
                array = check_array(X, dtype=object, ensure_all_finite=False)
            X = array
        elif min(X.shape) < 1:
            raise UsageError(f"X has shape {X.shape}, but at least one example and one column are needed")
        elif len(set(X.columns)) < X.shape[1]:
            name = next(name for number, name in enumerate(X.columns) if name in [*X.columns[:number]])
            raise UsageError(f"two columns are named {name!r}; rename one")
        validate_data(self, X, skip_check_array=True, reset=reset)
        return X

    def _names(self) -> list[str]:
        """Return the names of the columns, x0, x1, ... if they have none."""
        names = [str(name) for name in getattr(self, "feature_names_in_", [])]
        return names or [f"x{number}" for number in range(self.n_features_in_)]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = tags.input_tags.string = tags.input_tags.allow_nan = True
        tags.target_tags.required = True
        return tags
