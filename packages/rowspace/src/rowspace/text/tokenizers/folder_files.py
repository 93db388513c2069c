"""The small JSON files next to a tokenizer in a folder of transformers. They are data; no code is run."""

from pathlib import Path
from typing import Any

from rowspace.errors import FileFormatError, RowspaceError
from rowspace.files.foreign import TELLING, kind_of
from rowspace.files.strict_json import parse_object

__all__ = ["class_of", "object_in", "read_bytes", "read_text", "settings_of"]


def read_bytes(path: Path) -> bytes:
    """Return a file's content; raises RowspaceError if it cannot be read or is not a regular file."""
    if not path.is_file():
        raise FileFormatError(f"{path}: is missing or not a regular file; restore it")
    try:
        data = path.read_bytes()
    except OSError as error:
        raise RowspaceError(f"{path}: cannot be read: {error.strerror}; check its permissions") from error
    foreign = kind_of(data[:TELLING])
    if foreign is not None:
        raise FileFormatError(f"{path}: {foreign}")
    return data


def read_text(path: Path) -> str:
    """Return a file's content as text; raises FileFormatError, with the byte, if it is not valid UTF-8."""
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileFormatError(f"{path}: byte {error.start}: not valid UTF-8; the file is damaged, restore it") from None


def object_in(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file, an empty one if there is no file; raises FileFormatError otherwise."""
    if not path.exists():
        return {}
    return parse_object(read_text(path).encode(), str(path))


def settings_of(folder: Path) -> dict[str, Any]:
    """Return the settings of tokenizer_config.json and special_tokens_map.json; those of the former have precedence."""
    return object_in(folder / "special_tokens_map.json") | object_in(folder / "tokenizer_config.json")


def class_of(folder: Path) -> str | None:
    """Return the name of the tokenizer class or model type, such as `Bert`; None if no file names one."""
    name = settings_of(folder).get("tokenizer_class") or object_in(folder / "config.json").get("tokenizer_class")
    if isinstance(name, str):
        return name.removesuffix("Fast").removesuffix("Tokenizer")
    model_type = object_in(folder / "config.json").get("model_type")
    return None if model_type is None else str(model_type)
