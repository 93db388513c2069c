"""`EncodeBatches`: a function of batches for Ray Data, Dask, Spark and Daft, which opens its table once a process."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from rowspace._base.plural import join_names
from rowspace.encode.stream.bad_rows import encode_texts
from rowspace.errors import UsageError
from rowspace.scale.encoders import EncoderSource, TableLike
from rowspace.scale.part_files import vectors_of
from rowspace.text.corpus.parquet_column import texts_of

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["EncodeBatches"]


class EncodeBatches:
    """Adds a column with the vectors of texts to batches; a text that is null or not UTF-8 has a vector of zeros.

    An object pickles with the path of its table and not with the rows, if the table or encoder was opened from a path
    that the workers see. Each process opens the table when its first batch comes, and maps its rows, so that the
    processes of a machine share them. One thread encodes, since engines run several workers.

    Ray Data stops without a message when actors take all processors of a cluster: leave one for reading and writing.

    Args:
        table: The path or URL of a table with a tokenizer, a `Table`, or an `Encoder` with its options.
        column: The column that holds the texts.
        out: The name of the new column.

    Raises:
        UsageError: There is no such table, or it has no tokenizer.

    >>> import numpy as np, pyarrow as pa
    >>> from rowspace.table import Table
    >>> from rowspace.text import whitespace_json
    >>> table = Table(["cat", "dog"], np.eye(2, dtype=np.float32), tokenizer=whitespace_json(["cat", "dog"]))
    >>> EncodeBatches(table)(pa.table({"text": ["cat", None]})).to_pylist()
    [{'text': 'cat', 'vector': [1.0, 0.0]}, {'text': None, 'vector': [0.0, 0.0]}]
    """

    def __init__(self, table: TableLike, *, column: str = "text", out: str = "vector") -> None:
        self.column, self.out = column, out
        self._source = EncoderSource.of(table)

    def __call__(self, batch: Any) -> Any:
        """Return a batch of the same kind with the column of vectors.

        Arrow batches get lists of fixed size, except for Spark, which reads only lists of any size.

        Args:
            batch: A table or record batch of Arrow, a dictionary of NumPy arrays (Ray Data), a data frame of pandas
                (Dask), or an iterator of record batches (Spark's `mapInArrow`).

        Raises:
            UsageError: It is something else, or has no column of texts, or has a column `out`.
            RowspaceError: This machine does not see the table.
        """
        if isinstance(batch, Mapping):
            self._check_names(batch)
            return {**batch, self.out: self.vectors(batch[self.column])}
        if type(batch).__module__.split(".")[0] == "pandas":
            self._check_names(batch.columns)
            return batch.assign(**{self.out: list(self.vectors(batch[self.column]))})
        if hasattr(batch, "schema") and hasattr(batch, "append_column"):
            return self._with_column(batch)
        if isinstance(batch, Iterator):
            return map(self._with_lists, batch)
        raise UsageError(f"a batch is one of Arrow, a dictionary or a data frame, not {type(batch).__name__}")

    def vectors(self, texts: "Iterable[str | None] | pa.Array") -> NDArray[Any]:
        """Return the vectors of texts, (n, d), for engines whose functions take columns, such as Daft.

        Args:
            texts: n texts; one that is None, or NaN as pandas has it, has a vector of zeros.
        """
        found = list(texts)
        for place, text in enumerate(found):
            if not isinstance(text, str):
                if not _is_missing(text):
                    raise UsageError(f"the column {self.column!r} has {text!r:.80} in row {place}, which is not text")
                found[place] = None
        return encode_texts(self._source.open(), found)

    def _with_column(self, batch: Any) -> Any:
        """Return a table or record batch of Arrow with the vectors."""
        self._check_names(batch.schema.names)
        texts, _ = texts_of(self.column, batch.column(self.column))
        return batch.append_column(self.out, vectors_of(self._source.open(), texts))

    def _with_lists(self, batch: "pa.RecordBatch") -> "pa.RecordBatch":
        """Return a record batch for Spark, which reads no lists of fixed size."""
        import pyarrow as pa

        found = self._with_column(batch)
        vectors = found.column(self.out)
        offsets = pa.array(np.arange(len(found) + 1, dtype=np.int32) * vectors.type.list_size)
        place = found.schema.get_field_index(self.out)
        return found.set_column(place, self.out, pa.ListArray.from_arrays(offsets, vectors.flatten()))

    def _check_names(self, names: Iterable[Any]) -> None:
        if self.column not in names:
            raise UsageError(f"there is no column {self.column!r} in a batch with {join_names(map(str, names))}")
        if self.out in names:
            raise UsageError(f"a batch has a column {self.out!r} already; give another name with out=...")


def _is_missing(value: object) -> bool:
    """Whether a value is None, or NaN or NA of pandas."""
    return value is None or (isinstance(value, float) and np.isnan(value)) or type(value).__name__ == "NAType"
