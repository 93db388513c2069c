"""The files next to the rows: tokenizer.json, which maps tokens to rows, and those of a static model.

Tokens take the ids of the tokenizer; an id without a token is called `[id N has no token]`. Libraries that open what is
written look rows up by the tokenizer's ids, so these must be 0..n-1, one row each. Ids from V up belong to no token of
the table (the unknown token, say); they get rows of zeros in the file, and none in memory.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from rowspace._base.plural import plural
from rowspace._base.validate import check_sizes
from rowspace.errors import FileFormatError, UsageError, reason_of
from rowspace.files.open_folder import open_regular, resolve_inside
from rowspace.files.tokenizer_json import UNKNOWN_TOKEN, whitespace_json
from rowspace.files.transformers_folder import TOKENIZER
from rowspace.files.vocabulary import encode_token_list
from rowspace.table import Table

__all__ = [
    "CONFIG_CONTENT", "MODULES", "MODULES_CONTENT", "modules_of", "normalizes", "read_tokens", "table_of_tensor",
    "tokenizer_json", "vocabulary_ids",
]  # fmt: skip

# config.json and modules.json, which model2vec and sentence-transformers read.
MODULES = "modules.json"
# max_length null: model2vec would cut texts at 512 tokens, and their mean would not be the text's.
CONFIG_CONTENT: dict[str, object] = {
    "model_type": "model2vec",
    "architectures": ["StaticModel"],
    "normalize": False,
    "max_length": None,
}
MODULES_CONTENT: list[dict[str, object]] = [
    {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.StaticEmbedding"}
]
# What follows in the modules.json of a model that normalizes texts; it has no files of its own.
NORMALIZE_MODULE: dict[str, object] = {
    "idx": 1, "name": "1", "path": "1_Normalize", "type": "sentence_transformers.models.Normalize"
}  # fmt: skip


def tokenizer_json(table: Table) -> tuple[bytes, int]:
    """Return the tokenizer.json of `table` as bytes, and how many rows of zeros must follow its rows.

    A table without a tokenizer gets one that splits at white space and looks whole words up; it has
    [UNK], with a row of zeros where the vocabulary has none. Raises `UsageError` where the table's own
    tokenizer cannot be read, where its ids are not those of the vocabulary, or where a token is not valid UTF-8.

    >>> import numpy as np
    >>> tokenizer_json(Table(["a", "b"], np.eye(2)))[1], tokenizer_json(Table(["a", "[UNK]"], np.eye(2)))[1]
    (1, 0)
    """
    if table.tokenizer is not None:
        return _checked(table, table.tokenizer)
    encode_token_list(table.vocabulary)  # which says which token has not valid UTF-8
    return whitespace_json(table.vocabulary).encode(), int(UNKNOWN_TOKEN not in table.vocabulary)


def vocabulary_ids(text: str) -> dict[str, int]:
    """Return token to id, in no order, of a tokenizer.json, those added to its vocabulary too.

    Raises `ValueError`, with the message of the tokenizers library, if it cannot open it.

    >>> import numpy as np
    >>> vocabulary_ids(tokenizer_json(Table(["a"], np.eye(1)))[0].decode()) == {"a": 0, "[UNK]": 1}
    True
    """
    from tokenizers import Tokenizer  # 20 ms that most saves and loads do without

    try:
        return dict(Tokenizer.from_str(text).get_vocab(with_added_tokens=True))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # it raises nothing narrower, and where its own code panics no `Exception` at all
        raise ValueError(str(error)) from error


def read_tokens(path: Path) -> tuple[list[str], str]:
    """Return the tokens of a tokenizer.json by id, those added to its vocabulary too, and its text."""
    if not path.exists():
        raise FileFormatError(
            f"{path}: missing, so the rows have no tokens; write one with transformers: "
            "AutoTokenizer.from_pretrained(MODEL).save_pretrained(FOLDER)"
        )
    with open_regular(path) as file:
        data = file.read()
    try:
        text = data.decode()
        ids = vocabulary_ids(text)
    except ValueError as error:
        raise FileFormatError(f"{path}: does not open as a tokenizer ({reason_of(error)}); restore the file") from error
    size = max(ids.values(), default=-1) + 1
    if size > 2 * len(ids) + 1000:
        raise FileFormatError(f"{path}: has ids up to {size - 1:,} for {plural(len(ids), 'token')}; restore the file")
    tokens = [f"[id {number} has no token]" for number in range(size)]
    for token, number in sorted(ids.items(), reverse=True):  # of two tokens with one id always the same
        tokens[number] = token
    return tokens, text


def table_of_tensor(
    rows: NDArray[Any], folder: Path, source: str, *, limit: int | None, settings: Mapping[str, object] | None = None
) -> Table:
    """Join rows, already cut to `limit`, with the tokens of the tokenizer.json in `folder`.

    Rows beyond the tokenizer's ids are padding, and are left out with a warning. Raises `FileFormatError` where ids go
    beyond the rows, or the rows are not (V, d) floats.
    """
    if rows.ndim != 2 or rows.dtype.kind != "f":
        raise FileFormatError(f"{source}: is {rows.dtype} of shape {rows.shape}; expected (V, d) floats, check the key")
    tokens, text = read_tokens(resolve_inside(folder, TOKENIZER))
    if limit is not None and limit < len(tokens) and limit <= len(rows):
        return Table(tokens[:limit], rows[:limit], settings=settings)
    first = repr(tokens[len(rows)]) if len(tokens) > len(rows) else ""
    check_sizes(len(tokens), len(rows), source, tokenizer=str(folder / TOKENIZER), first=first)
    return Table(tokens, rows[: len(tokens)], tokenizer=text, settings=settings)


def _checked(table: Table, text: str) -> tuple[bytes, int]:
    """Check that the ids of the tokenizer `text` are 0..n-1 and begin with the vocabulary's."""
    try:
        ids = vocabulary_ids(text)
    except ValueError as error:
        raise UsageError(f"the table's tokenizer does not open: {error}; repair it or pass None") from error
    for number, token in enumerate(table.vocabulary):
        if ids.get(token) != number:
            raise UsageError(
                f"the table's tokenizer gives {token!r} the id {ids.get(token)}, but its row is {number}; "
                "the ids 0..V-1 of the tokenizer must be the vocabulary in order"
            )
    if sorted(ids.values()) != list(range(len(ids))):
        raise UsageError(
            f"the {len(ids):,} ids of the table's tokenizer are not 0..{len(ids) - 1:,}, one per row; "
            "number its tokens without gaps"
        )
    return text.encode(), len(ids) - len(table)


def normalizes(table: Table) -> bool:
    """Whether the table was opened from a model that normalizes texts."""
    return table.settings.get("normalize") is True


def modules_of(table: Table) -> list[dict[str, object]]:
    """Return the content of modules.json: the static module, and one that normalizes if the table has that setting."""
    return [*MODULES_CONTENT, NORMALIZE_MODULE] if normalizes(table) else MODULES_CONTENT
