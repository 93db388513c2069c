"""The native format: a folder that rowspace maps, and that model2vec and sentence-transformers open too.

    model.safetensors       `embeddings`, (V + unknown rows, d): the rows, then zeros for ids without one
    vocabulary.safetensors  tokens as UTF-8 and offsets; counts, where known
    subwords.safetensors    n-gram rows, where the table has them (`subwords.py`)
    outputs.safetensors     `outputs`, (V, d): output rows, where the table has them
    tokenizer.json          the table's tokenizer, or one built from the vocabulary
    config.json             for model2vec: no normalization, no truncation of long texts
    modules.json            for sentence-transformers
    rowspace.json           settings, versions, sizes and checksums (`manifest.py`)

The other libraries give a word its row bit for bit, and a text the mean of its words' rows. They differ in unknown
words: model2vec leaves them out; sentence-transformers counts them as zeros, so its mean is shorter by the share of
known words (same direction, so cosines agree). A text without a known word is zeros in both.
"""

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from rowspace._base.atomic import StrPath, atomic_folder, check_folder_target
from rowspace.errors import FileFormatError
from rowspace.files.open_folder import Folder
from rowspace.files.safetensors_header import header_bytes
from rowspace.files.tensors import tensor_pieces
from rowspace.files.transformers_folder import CONFIG, MODEL, TOKENIZER
from rowspace.files.vocabulary import encode_vocabulary
from rowspace.store.native.manifest import (
    FILES,
    MARKER,
    OPTIONAL,
    OUTPUTS,
    SUBWORDS,
    VOCABULARY,
    FileRecord,
    Manifest,
    installed_versions,
    plain_settings,
)
from rowspace.store.native.reading import manifest_of, table_of
from rowspace.store.native.subwords import subword_pieces
from rowspace.store.tokenizer import CONFIG_CONTENT, MODULES, MODULES_CONTENT, tokenizer_json
from rowspace.store.words import check_rows
from rowspace.table import Table

__all__ = ["check_target", "load", "read_manifest", "recognizes", "save"]


def save(table: Table, path: StrPath) -> None:
    """Write `table` to the folder `path`, replacing an older table there atomically.

    Rows keep their dtype (float16, float32 or float64) and are streamed, so that a mapped table larger than memory can
    be saved. After an error, `path` is unchanged.

    Raises:
        UsageError: `path` cannot be replaced, or the table cannot be written in this format.
        RowspaceError: The system refuses (disk full, no permission).

    >>> import tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Table(["cat", "dog"], np.eye(2)), f"{folder}/pets")
    ...     load(f"{folder}/pets")["dog"].tolist()
    [0.0, 1.0]
    """
    check_rows(table)
    # The table is checked before the first byte is written.
    settings = plain_settings(table.settings)
    vocabulary = list(_vocabulary_pieces(table))
    tokenizer, unknown_rows = tokenizer_json(table)
    with atomic_folder(path, marker=MARKER, contents=(*FILES, *OPTIONAL)) as folder:
        contents: dict[str, Iterable[bytes | memoryview]] = {
            MODEL: tensor_pieces("embeddings", table.rows, unknown_rows),
            VOCABULARY: vocabulary,
            TOKENIZER: [tokenizer],
            CONFIG: [json.dumps(CONFIG_CONTENT, indent=1).encode()],
            MODULES: [json.dumps(MODULES_CONTENT, indent=1).encode()],
        }
        if table.subwords is not None:
            contents[SUBWORDS] = subword_pieces(table.subwords)
        if table.outputs is not None:
            contents[OUTPUTS] = tensor_pieces("outputs", np.asarray(table.outputs, table.rows.dtype), 0)
        manifest = Manifest(
            num_embeddings=len(table),
            embedding_dim=table.dim,
            dtype=table.rows.dtype.name,
            unknown_rows=unknown_rows,
            own_tokenizer=table.tokenizer is not None,
            settings=settings,
            versions=installed_versions(),
            files={name: _write(folder / name, pieces) for name, pieces in contents.items()},
        )
        (folder / MARKER).write_bytes(manifest.to_bytes())


def load(path: StrPath, *, verify: bool = False, limit: int | None = None) -> Table:
    """Open the table in the folder `path`; its rows are mapped, read from the disk when first touched.

    A table that is saved again while it is opened opens as the complete old or the complete new one.

    Args:
        path: The folder.
        verify: Read every byte and compare checksums; sizes, headers and rowspace.json are always checked.
        limit: Open only the first rows, without the tokenizer, since it has more ids.

    Raises:
        FileFormatError: `save` cannot have written this; the message names the file and the position.

    >>> import tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Table(["cat"], np.ones((1, 2), np.float16), np.array([7])), f"{folder}/pets")
    ...     table = load(f"{folder}/pets", verify=True)
    >>> table.rows.dtype.name, table.counts
    ('float16', array([7]))
    """
    while True:
        with Folder(Path(path)) as folder:
            try:
                table = table_of(folder, verify=verify)
                return table if limit is None else _first(table, limit)
            except FileFormatError:
                if not folder.was_replaced():
                    raise


def read_manifest(path: StrPath) -> Manifest:
    """Read rowspace.json in the folder `path`: sizes, dtype, settings, versions; no rows, no vocabulary.

    Raises:
        FileFormatError: rowspace.json is missing or damaged.

    >>> import tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Table(["cat"], np.ones((1, 2)), settings={"window": 5}), f"{folder}/pets")
    ...     read_manifest(f"{folder}/pets").settings
    {'window': 5}
    """
    with Folder(Path(path)) as folder:
        return manifest_of(folder)


def recognizes(path: Path) -> bool:
    """Whether the folder `path` holds rowspace.json."""
    return (path / MARKER).exists()


def check_target(path: StrPath) -> None:
    """Raise what `save` to `path` would raise about the path itself: call it before long work."""
    check_folder_target(path, marker=MARKER, contents=(*FILES, *OPTIONAL))


def _first(table: Table, limit: int) -> Table:
    """Return a table of the first rows, which stay mapped."""
    counts = None if table.counts is None else table.counts[:limit]
    subwords = table.subwords and dataclasses.replace(table.subwords, own=table.subwords.own[:limit])
    outputs = None if table.outputs is None else table.outputs[:limit]
    return Table(
        table.vocabulary[:limit],
        table.rows[:limit],
        counts,
        settings=table.settings,
        subwords=subwords,
        outputs=outputs,
    )


def _vocabulary_pieces(table: Table) -> Iterator[bytes | memoryview]:
    run, offsets = encode_vocabulary(table.vocabulary)
    tensors = {"offsets": ("I64", offsets.shape)}
    arrays = [offsets]
    if table.counts is not None:
        tensors["counts"] = ("I64", table.counts.shape)
        arrays.append(table.counts)
    yield header_bytes({**tensors, "tokens": ("U8", (len(run),))})
    yield from (array.astype("<i8").tobytes() for array in arrays)
    yield run


def _write(path: Path, pieces: Iterable[bytes | memoryview]) -> FileRecord:
    """Write the pieces to a new file, and return its size and checksum."""
    digest = hashlib.sha256()
    with path.open("xb") as file:
        for piece in pieces:
            digest.update(piece)
            file.write(piece)
        return FileRecord(file.tell(), digest.hexdigest())
