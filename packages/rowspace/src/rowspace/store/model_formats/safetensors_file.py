"""A .safetensors file with a tokenizer.json next to it: its only (V, d) tensor, or the one that the key names.

Rows are mapped. Two files cannot be replaced in one step; `array_formats/npy.py` describes what a killed save leaves.
"""

from collections.abc import Mapping
from pathlib import Path

from rowspace._base.atomic import StrPath, atomic_file, check_file_target
from rowspace._base.plural import join_names
from rowspace.errors import FileFormatError, UsageError
from rowspace.files.content import read_start
from rowspace.files.foreign import ADAPTER_REMEDY
from rowspace.files.safetensors_header import Tensor
from rowspace.files.scaled_rows import by_level, map_rows, tensors_beside
from rowspace.files.strict_json import read_object
from rowspace.files.tensors import FLOATS, can_be_rows, read_tensors, tensor_pieces
from rowspace.files.transformers_folder import CONFIG, TOKENIZER
from rowspace.store.tokenizer import table_of_tensor, tokenizer_json
from rowspace.store.words import check_rows
from rowspace.table import Table

__all__ = ["SETTINGS_OF_GENSIM_NAMES", "ask_for_key", "check_target", "load", "recognizes", "save"]

KEY = "embeddings"
# Names of model2vec and of our quantized rows, whose folders are opened by their own readers.
OF_FOLDERS = ({"embeddings", "weights"}, {"embeddings", "mapping"}, {"pq.codes"}, {"binary.bits"})
SETTINGS_OF_GENSIM_NAMES = "settings.json"  # in each file of `save` of rowspace.compat.gensim
# Its classes that have vectors, by the name of a tensor that the others above do not have.
GENSIM_NAMES = {
    "dv.vectors": "Doc2Vec",
    "wv.ngram_rows": "FastText",
    "wv.vectors": "Word2Vec",
    "ngram_rows": "FastTextKeyedVectors",
    "vectors": "KeyedVectors",
}
HEADS = ("lm_head.weight", "embed_out.weight")  # of which a shard of a model may hold nothing else


def load(path: StrPath, *, limit: int | None = None, key: str | None = None) -> Table:
    """Open a tensor of the file `path` as a table; `key` may be left out where it holds one (V, d) tensor only.

    Raises `UsageError` if there are several candidates, and `FileFormatError` as `rowspace.load` does.

    >>> import tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(Table(["cat", "dog"], np.eye(2)), f"{folder}/pets.safetensors")
    ...     load(f"{folder}/pets.safetensors")["dog"].tolist()
    [0.0, 1.0]
    """
    source = Path(path)
    tensors = read_tensors(source)
    name = _named(tensors, key, str(source))
    config_path = source.with_name(CONFIG)
    config = read_object(config_path) if config_path.is_file() else None
    rows = map_rows(name, lambda _: source, tensors, config=config, limit=limit, known=tensors)
    return table_of_tensor(rows, source.parent, f"{source}: {name}", limit=limit)


def save(table: Table, path: StrPath) -> None:
    """Write the rows of `table` to `path` as the tensor `embeddings`, and tokenizer.json next to it.

    Ids of the tokenizer without a row in the table get rows of zeros. Counts and settings are not saved. Raises
    `UsageError` and `RowspaceError` as `rowspace.store.save` does.
    """
    check_rows(table)
    tokenizer, unknown_rows = tokenizer_json(table)
    check_target(path)
    with atomic_file(Path(path).with_name(TOKENIZER)) as tokenizer_file, atomic_file(path) as file:
        tokenizer_file.write(tokenizer)
        for piece in tensor_pieces(KEY, table.rows, unknown_rows):
            file.write(piece)


def recognizes(path: Path) -> bool:
    """Whether the file `path` begins as safetensors files do: a length of eight bytes, and JSON."""
    start = read_start(path)
    return len(start) > 9 and start[8:9] == b"{" and start[5:8] == b"\0\0\0"


def check_target(path: StrPath) -> None:
    """Raise what `save` to `path` would raise about the path itself: call it before long work."""
    target = check_file_target(path, is_same_kind=recognizes)
    tokenizer_path = check_file_target(Path(path).with_name(TOKENIZER))
    if tokenizer_path.exists() and not target.exists():
        raise UsageError(
            f"cannot save to {target}: {tokenizer_path} exists and belongs to other rows, so it cannot be replaced; "
            "name a path in a separate folder"
        )


def ask_for_key(source: str, example: str) -> str:
    """Return the end of an error message about several tensors: how to name one of them.

    >>> ask_for_key("my-model", "encoder.wte.weight")
    "name one as the key: rs.load('my-model', key='encoder.wte.weight'), or rowspace convert my-model NEW --key NAME"
    """
    return f"name one as the key: rs.load({source!r}, key={example!r}), or rowspace convert {source} NEW --key NAME"


def _named(tensors: Mapping[str, Tensor], key: str | None, source: str) -> str:
    """Return the name of the tensor that is meant."""
    if SETTINGS_OF_GENSIM_NAMES in tensors:
        raise UsageError(f"{source}: {_of_gensim_names(tensors, source)}")
    if key is not None and key not in tensors:
        raise UsageError(f"{source}: holds no tensor {key!r}, but {join_names(tensors)}; check the key")
    if key is not None:
        return key
    if any(tensors.keys() >= names for names in OF_FOLDERS):
        raise UsageError(f"{source}: its other tensors change its rows; open the folder that it is in")
    if any(name.startswith("base_model.model.") for name in tensors):
        raise UsageError(f"{source}: {ADAPTER_REMEDY}")
    rows = _candidates(tensors)
    if not any(can_be_rows(tensors[name]) for name in rows):
        found = {f"{name}: {tensor.dtype} {list(tensor.shape)}" for name, tensor in tensors.items()}
        raise FileFormatError(f"{source}: holds no tensor of floats with two dimensions, but {join_names(found)}")
    if len(rows) > 1:
        found = {f"{name} {'×'.join(map(str, tensors[name].shape))}" for name in rows}
        asked = ask_for_key(source, rows[0])
        raise UsageError(f"{source}: holds {len(rows)} tensors of rows ({join_names(found)}); {asked}")
    if rows[0].endswith(HEADS):
        raise UsageError(f"{source}: holds a head, {rows[0]!r}, but no token table; {ask_for_key(source, rows[0])}")
    return rows[0]


def _of_gensim_names(tensors: Mapping[str, Tensor], source: str) -> str:
    """Return what a file of rowspace.compat.gensim is, and how to get a table from it."""
    kind = next((GENSIM_NAMES[name] for name in GENSIM_NAMES if name in tensors), None)
    if kind is None:
        return "was saved by rowspace.compat.gensim and has no vectors; open it with the load of its class there"
    return (
        f"is a {kind} of rowspace.compat.gensim; open it with rowspace.compat.gensim.{kind}.load({source!r})"
        ".to_table(), whose save(NEW) writes a file for rowspace.load"
    )


def _candidates(tensors: Mapping[str, Tensor]) -> list[str]:
    """Return the names of the tensors that may be the rows: numbers and packed codes, but no scales of these."""
    codes = [name for name, tensor in tensors.items() if len(tensor.shape) == 2 and tensor.dtype not in FLOATS]
    levels = by_level(tensors)
    scales = {name: tensors_beside(name, levels) for name in codes}
    all_scales = {other for found in scales.values() for other in found}
    return [
        name for name, tensor in tensors.items() if (can_be_rows(tensor) and name not in all_scales) or scales.get(name)
    ]
