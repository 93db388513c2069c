"""Keys, their rows, and attributes of keys: what every query of `KeyedVectors` starts from."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from rowspace import space
from rowspace.compat.gensim.errors import ArgumentTypeError, MissingAttributeError, MissingKeyError
from rowspace.errors import UsageError
from rowspace.table import Table

__all__ = ["KEY_TYPES", "Key", "Rows", "VectorStorage", "as_list"]

Rows = NDArray[Any]
Key = str | int | np.integer[Any]
KEY_TYPES = (str, int, np.integer)

RENAMED = {
    "vocab": "key_to_index, and get_vecattr(key, 'count') for counts",
    "index2word": "index_to_key",
    "index2entity": "index_to_key",
    "vectors_norm": "get_normed_vectors()",
}


class VectorStorage:
    """The keys of vectors, the vectors as rows of one array, and attributes of keys such as counts.

    Args:
        vector_size: Length of a vector.
        count: Number of rows that are allocated in advance and filled by `add_vectors`.
        dtype: Type of the numbers.
        mapfile_path: Stored, and not used.

    Attributes:
        vectors: (V, vector_size).
        index_to_key: V keys; None for a row that is allocated and not filled.
        key_to_index: The index of each key; integer keys that are their own index are not in it.
        expandos: An array (V,) of each attribute of keys.
        norms: (V,) lengths of the vectors, None until a query needs them.
    """

    def __init__(
        self, vector_size: int, count: int = 0, dtype: DTypeLike = np.float32, mapfile_path: str | None = None
    ) -> None:
        self.vector_size = vector_size
        self.index_to_key: list[Any] = [None] * count
        self.next_index = 0
        self.key_to_index: dict[Any, int] = {}
        self.vectors: Rows = np.zeros((count, vector_size), dtype=dtype)
        self.norms: Rows | None = None
        self.expandos: dict[str, Rows] = {}
        self.mapfile_path = mapfile_path
        self.vectors_lockf: Rows = np.ones(1, np.float32)

    def __len__(self) -> int:
        return len(self.index_to_key)

    def __str__(self) -> str:
        return f"{type(self).__name__}<vector_size={self.vector_size}, {len(self)} keys>"

    def __getattr__(self, name: str) -> Any:
        """Say what replaces a name of gensim 3."""
        if name in RENAMED:
            raise MissingAttributeError(f"KeyedVectors has no {name} since gensim 4; use {RENAMED[name]}")
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __getitem__(self, key_or_keys: Any) -> Rows:
        """Return the vector of a key, or the vectors (n, vector_size) of a list of keys."""
        if isinstance(key_or_keys, KEY_TYPES):
            return self.get_vector(key_or_keys)
        return np.vstack([self.get_vector(key) for key in key_or_keys])

    def __setitem__(self, keys: Any, weights: Any) -> None:
        """Add the vectors of keys, or replace them."""
        self.add_vectors(keys, weights, replace=True)

    def __contains__(self, key: object) -> bool:
        return self.has_index_for(key)

    def has_index_for(self, key: object) -> bool:
        """Return whether `key` has a row of its own."""
        return self.get_index(key, -1) >= 0

    def _has_row(self, key: Any) -> bool:
        """Return whether `key` is a key; an integer that is only an index of one is not."""
        index = self.get_index(key, -1)
        return bool(index >= 0 and self.index_to_key[index] == key)

    def get_index(self, key: Any, default: int | None = None) -> int:
        """Return the index of the row of `key`.

        Args:
            key: A key; an integer that is no key is an index itself.
            default: Returned for an unknown key.

        Raises:
            MissingKeyError: The key is unknown, and there is no default.
        """
        index = self.key_to_index.get(key, -1)
        if index >= 0:
            return index
        if isinstance(key, (int, np.integer)) and 0 <= key < len(self.index_to_key):
            return int(key)
        if default is not None:
            return default
        raise MissingKeyError(
            f"key {key!r} is not in the vocabulary of {len(self):,} keys; check its spelling and case"
        )

    def get_vector(self, key: Any, norm: bool = False) -> Rows:
        """Return the vector of `key`, (vector_size,), read-only.

        Args:
            key: A key or an index.
            norm: Divide the vector by its length.

        Raises:
            MissingKeyError: The key is unknown.

        Example:
            >>> vectors = VectorStorage(2)
            >>> vectors.add_vector("cat", np.array([3.0, 4.0]))
            0
            >>> vectors.get_vector("cat", norm=True).tolist()
            [0.6000000238418579, 0.800000011920929]
        """
        index = self.get_index(key)
        vector = np.asarray(self.vectors[index])
        if norm:
            length = self.filled_norms()[index]
            vector = (vector / length if length else np.zeros_like(vector)).astype(self.vectors.dtype)
        vector.setflags(write=False)
        return vector

    def word_vec(self, *args: Any, **keywords: Any) -> Rows:
        """Return `get_vector` of the same arguments."""
        return self.get_vector(*args, **keywords)

    def add_vector(self, key: Key, vector: Any) -> int:
        """Add the vector of one key to the next free row; return its index.

        Args:
            key: A new key.
            vector: (vector_size,).

        Raises:
            UsageError: The key has a vector already; `wv[key] = vector` replaces it.
        """
        if self._has_row(key):
            raise UsageError(f"key {key!r} has a vector already; replace it by wv[key] = vector")
        self.add_vectors([key], np.asarray(vector).reshape(1, -1))
        return self.get_index(key)

    def add_vectors(self, keys: Any, weights: Any, extras: dict[str, Any] | None = None, replace: bool = False) -> None:
        """Add the vectors of keys, after the rows that are filled.

        Args:
            keys: A key or a list of keys.
            weights: (n, vector_size), or (vector_size,) for one key.
            extras: Values (n,) of attributes, by name.
            replace: Replace the vectors of keys that have one; otherwise these are left as they are.

        Raises:
            UsageError: There are not as many vectors as keys, or they have another length.
        """
        if isinstance(keys, KEY_TYPES):
            keys, weights = [keys], np.asarray(weights).reshape(1, -1)
        rows = np.asarray(weights, self.vectors.dtype)
        if rows.shape != (len(keys), self.vector_size):
            raise UsageError(
                f"weights must be one vector of {self.vector_size} numbers for each of {len(keys)} keys, got an array "
                f"of shape {rows.shape}"
            )
        known = np.array([self._has_row(key) for key in keys], bool)
        self._append([key for key, has in zip(keys, known, strict=True) if not has], rows[~known])
        changed = np.arange(len(keys)) if replace else np.flatnonzero(~known)
        indices = [self.get_index(keys[i]) for i in changed]
        self.vectors[indices] = rows[changed]
        for name, values in (extras or {}).items():
            self.allocate_vecattrs({name: np.asarray(values).dtype})
            self.expandos[name][indices] = np.asarray(values)[changed]
        self.norms = None

    def _append(self, keys: list[Any], rows: Rows) -> None:
        """Give new keys the allocated rows, and append the rest."""
        free = [index for index in range(self.next_index, len(self.index_to_key)) if self.index_to_key[index] is None]
        missing = len(keys) - len(free)
        if missing > 0:
            free += range(len(self.index_to_key), len(self.index_to_key) + missing)
            self.index_to_key.extend([None] * missing)
            self.vectors = np.vstack([self.vectors, rows[-missing:]])
        for key, index in zip(keys, free, strict=False):
            self.index_to_key[index] = key
            self.key_to_index[key] = index
            self.next_index = index + 1
        self.allocate_vecattrs()

    def allocate_vecattrs(self, attrs: Any = None, types: Sequence[DTypeLike] | None = None) -> None:
        """Make room for attributes of all keys; values that exist are kept, new ones are 0.

        Args:
            attrs: Names of attributes, with their `types`; a dict from name to type; None for those that exist.
            types: A type for each name.

        Raises:
            ArgumentTypeError: An attribute has values of another type; this is a `TypeError`, as in gensim.
        """
        wanted = attrs if isinstance(attrs, dict) else dict(zip(attrs or (), types or (), strict=True))
        for name, given in ({each: array.dtype for each, array in self.expandos.items()} | wanted).items():
            kind = np.dtype(given)
            before = self.expandos.get(name, np.zeros(0, object if kind.kind in "SU" else kind))  # text of any length
            if not np.can_cast(kind, before.dtype):
                raise ArgumentTypeError(
                    f"attribute {name!r} has the type {before.dtype}, which cannot hold a value of type {kind}; use "
                    "another attribute"
                )
            if len(before) != len(self.index_to_key) or name not in self.expandos:
                grown = np.zeros(len(self.index_to_key), before.dtype)
                size = min(len(before), len(grown))
                grown[:size] = before[:size]
                self.expandos[name] = grown

    def set_vecattr(self, key: Any, attr: str, val: Any) -> None:
        """Set an attribute of one key, for example its count.

        Args:
            key: A key or an index.
            attr: The name of the attribute.
            val: Its value: a number, or any object, which is kept as such.

        Raises:
            ArgumentTypeError: The attribute has values of another type.
        """
        kind = np.asarray(val).dtype if np.ndim(val) == 0 else np.dtype(object)
        self.allocate_vecattrs({attr: np.dtype(np.int64) if kind.kind in "iu" else kind})
        self.expandos[attr][self.get_index(key)] = val

    def get_vecattr(self, key: Any, attr: str) -> Any:
        """Return an attribute of one key.

        Raises:
            MissingKeyError: The key is unknown, or no key has this attribute.
        """
        if attr not in self.expandos:
            known = ", ".join(sorted(self.expandos)) or "none"
            raise MissingKeyError(f"attribute {attr!r} is set for no key; the attributes are: {known}")
        return self.expandos[attr][self.get_index(key)]

    def resize_vectors(self, seed: int = 0) -> None:
        """Make as many rows as there are keys; new rows are uniform in ±1/vector_size, others stay.

        Args:
            seed: Seed of the new rows.
        """
        missing = len(self.index_to_key) - len(self.vectors)
        if missing > 0:
            generator = np.random.default_rng(abs(seed))
            new = (2 * generator.random((missing, self.vector_size), dtype=np.float32) - 1) / self.vector_size
            self.vectors = np.vstack([self.vectors, new.astype(self.vectors.dtype)])
        self.vectors = self.vectors[: len(self.index_to_key)]
        self.allocate_vecattrs()
        self.norms = None

    def sort_by_descending_frequency(self) -> None:
        """Order the keys by falling "count"; only before they have vectors.

        Raises:
            UsageError: There are vectors, which would not be ordered.
        """
        if not len(self):
            return
        if len(self.vectors):
            raise UsageError("keys that have vectors cannot be sorted; sort them before the vectors are made")
        order = np.argsort(-self.expandos["count"], kind="stable")
        self.index_to_key = [self.index_to_key[index] for index in order.tolist()]
        self.allocate_vecattrs()
        self.expandos = {name: values[order] for name, values in self.expandos.items()}
        self.key_to_index = {key: index for index, key in enumerate(self.index_to_key)}

    def fill_norms(self, force: bool = False) -> None:
        """Compute the lengths of all vectors, if they are not known.

        Args:
            force: Compute them again, after a change of `vectors` in place.
        """
        if self.norms is None or len(self.norms) != len(self.vectors) or force:
            self.norms = space.row_norms(self.vectors)

    def filled_norms(self) -> Rows:
        """Return the lengths of all vectors, (V,) float64."""
        self.fill_norms()
        return np.asarray(self.norms)

    def get_normed_vectors(self) -> Rows:
        """Return the vectors divided by their lengths, (V, vector_size)."""
        return space.unit_rows(self.vectors).astype(self.vectors.dtype)

    def unit_normalize_all(self) -> None:
        """Divide all vectors by their lengths, in place; their lengths are lost."""
        self.vectors = self.get_normed_vectors()
        self.fill_norms(force=True)

    def init_sims(self, replace: bool = False) -> None:
        """Compute the lengths of all vectors, as `fill_norms`; with `replace`, as `unit_normalize_all`."""
        if replace:
            self.unit_normalize_all()
        else:
            self.fill_norms()

    def to_table(self) -> Table:
        """Return the vectors as a `rowspace.Table`, which shares their memory; integer keys become text."""
        counts = self.expandos.get("count")
        return Table([str(key) for key in self.index_to_key], self.vectors, counts)


def as_list(keys: Any) -> list[Any]:
    """Return a key or a vector in a list, and a list or a matrix as a list of its items; None is no item."""
    if keys is None:
        return []
    if isinstance(keys, KEY_TYPES) or (isinstance(keys, np.ndarray) and keys.ndim == 1):
        return [keys]
    if not isinstance(keys, Iterable):
        raise ArgumentTypeError(f"expected a key, a vector or a list of these, got {type(keys).__name__}")
    return list(keys)
