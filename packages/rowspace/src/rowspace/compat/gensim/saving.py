"""The files of `save` and `load`: one safetensors file of arrays, with the rest as JSON in an array of bytes.

Nothing in a file is executed when it is read, unlike a pickle, which is what gensim writes.
"""

import json
import logging
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rowspace._base.atomic import atomic_file
from rowspace.compat.gensim.errors import ArgumentTypeError, MissingAttributeError
from rowspace.compat.gensim.opening import opening_error
from rowspace.errors import FileFormatError, UsageError
from rowspace.files.safetensors_header import header_bytes
from rowspace.files.strict_json import parse_object
from rowspace.files.tensors import read_tensors
from rowspace.store.model_formats.safetensors_file import SETTINGS_OF_GENSIM_NAMES as SETTINGS

__all__ = ["Arrays", "SaveLoad", "named_parts", "within"]

Arrays = dict[str, NDArray[Any]]
VERSION = 1
DTYPES = {"<f2": "F16", "<f4": "F32", "<f8": "F64", "<i4": "I32", "<i8": "I64", "|u1": "U8", "|b1": "BOOL"}
PICKLE = b"\x80"
logger = logging.getLogger(__name__)


class ClassOnly:
    """A class method that refuses a call on an instance, whose state it would not change."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.__doc__ = function.__doc__

    def __get__(self, instance: object, owner: type) -> Callable[..., Any]:
        if instance is not None:
            name = self.function.__name__
            raise MissingAttributeError(f"{name} returns a new object; call {owner.__name__}.{name}")
        bound: Callable[..., Any] = self.function.__get__(owner)
        return bound


class SaveLoad(ABC):
    """An object that is saved to one file; a subclass says what its parts are."""

    def save(self, fname: Any, **ignored: Any) -> None:
        """Write this object to one file; an older file is replaced atomically.

        A model can be trained further when it is opened again. A scorer of phrases is saved by its name.

        Args:
            fname: The path.
            **ignored: gensim's options of pickles (`separately`, `sep_limit`, `pickle_protocol`), which have no effect.

        Raises:
            UsageError: A part cannot be saved.
        """
        save_parts(fname, type(self).__name__, *self._parts())

    @ClassOnly
    def load(cls: Any, fname: Any, mmap: str | None = None, **options: Any) -> Any:
        """Open a file of `save`.

        Args:
            fname: The path.
            mmap: "r" maps the arrays, read-only, instead of reading them.
            **options: `scoring`, the scorer of phrases if it is in a module that is not imported; gensim's other
                options have no effect.

        Raises:
            MissingFileError: There is no such file; this is a `FileNotFoundError`.
            FileFormatError: The file is a pickle of gensim, of another kind, or damaged, or its scorer is not found.
            MissingAttributeError: It holds another class.
        """
        return cls._from_parts(*load_parts(fname, cls.__name__, mmap=mmap), **options)

    def add_lifecycle_event(self, event_name: str, log_level: int = logging.INFO, **event: Any) -> None:
        """Log an event of any name, with what is known of it; gensim keeps it in `lifecycle_events` too.

        Args:
            event_name: The name.
            log_level: A level of `logging`; False logs nothing.
            **event: What is logged with it.
        """
        if log_level:
            logger.log(log_level, "%s lifecycle event %s", type(self).__name__, {"event": event_name, **event})

    @abstractmethod
    def _parts(self) -> tuple[dict[str, Any], Arrays]:
        """Return what is saved: settings and arrays."""

    @classmethod
    @abstractmethod
    def _from_parts(cls, settings: dict[str, Any], arrays: Arrays, **options: Any) -> Self:
        """Return the object that was saved."""


def save_parts(path: Any, kind: str, settings: Mapping[str, Any], arrays: Arrays) -> None:
    """Write an object to a file; an older file is replaced atomically.

    Args:
        path: The path.
        kind: The name of the class.
        settings: What JSON can hold.
        arrays: The arrays by name.

    Raises:
        UsageError: A setting or an array cannot be saved.
    """
    _check_path(path)
    try:
        text = json.dumps({"kind": kind, "version": VERSION, **settings}, ensure_ascii=False).encode(
            errors="surrogatepass"
        )
    except (TypeError, ValueError) as error:
        raise UsageError(f"{kind} cannot be saved: {error}; set what cannot be saved to None first") from error
    stored = {name: _portable(name, array) for name, array in arrays.items()}
    stored = dict(sorted(stored.items(), key=lambda pair: -pair[1].itemsize))  # so that each begins aligned
    stored[SETTINGS] = np.frombuffer(text, np.uint8)
    with atomic_file(path) as file:
        file.write(header_bytes({name: (DTYPES[array.dtype.str], array.shape) for name, array in stored.items()}))
        for array in stored.values():
            file.write(array.data if array.size else b"")


def _portable(name: str, array: NDArray[Any]) -> NDArray[Any]:
    """Return an array as it is stored."""
    stored = np.ascontiguousarray(array)
    if stored.dtype.kind == "i" or (stored.dtype.kind == "u" and stored.dtype.itemsize > 1):
        stored = stored.astype("<i8")
    if stored.dtype.str not in DTYPES:
        raise UsageError(f"{name} cannot be saved: its type is {stored.dtype}; only numbers can be saved")
    return stored


def load_parts(path: Any, kind: str, *, mmap: str | None = None) -> tuple[dict[str, Any], Arrays]:
    """Read the settings and the arrays of a file of `save_parts`.

    Args:
        path: The path.
        kind: The name of the class that the file must hold.
        mmap: Any mode maps the arrays, read-only, instead of reading them.

    Raises:
        MissingFileError: There is no such file.
        FileFormatError: The file is of another kind, or damaged.
        MissingAttributeError: It holds another class; this is an `AttributeError`, as in gensim.
    """
    _check_path(path)
    source = Path(path)
    _refuse_pickle(source)
    tensors = read_tensors(source)
    if SETTINGS not in tensors:
        raise FileFormatError(f"{path}: not a file of rowspace.compat.gensim; open it with rowspace.load")
    arrays: Arrays = {}
    for name, tensor in tensors.items():
        codes = [code for code, known in DTYPES.items() if known == tensor.dtype]
        if not codes:
            raise FileFormatError(f"{path}: array {name!r} has the type {tensor.dtype}; the file is damaged")
        if mmap and name != SETTINGS and tensor.size:
            arrays[name] = np.memmap(source, codes[0], "r", tensor.offset, tensor.shape)
        else:
            count = tensor.size // np.dtype(codes[0]).itemsize
            arrays[name] = np.fromfile(source, codes[0], count, offset=tensor.offset).reshape(tensor.shape)
    settings = parse_object(arrays.pop(SETTINGS).tobytes(), str(path), remedy="restore it")
    found = settings.pop("kind", None)
    if found != kind:
        raise MissingAttributeError(f"{path} holds a {found}, not a {kind}; load it with {found}.load")
    if settings.pop("version", None) != VERSION:
        raise FileFormatError(f"{path} was written by another version of rowspace; load it with that one")
    return settings, arrays


def _check_path(path: Any) -> None:
    if not isinstance(path, (str, os.PathLike)):
        raise ArgumentTypeError(f"fname must be a path, got {type(path).__name__}")


def _refuse_pickle(source: Path) -> None:
    """Raise if a file is missing, or is a pickle of gensim."""
    try:
        with source.open("rb") as file:
            start = file.read(2)
    except OSError as error:
        raise opening_error(source, error) from error
    if start.startswith(PICKLE) or start in (b"cc", b"ci", b"\x1f\x8b"):
        raise FileFormatError(
            f"{source} is a pickle of gensim, which is not opened since a pickle can run any code; in an environment "
            "with gensim call model.wv.save_word2vec_format('vectors.bin', binary=True), or save_facebook_model for "
            "FastText, and load that file"
        )


def within(prefix: str, arrays: Arrays) -> Arrays:
    """Return the arrays whose names begin with `prefix`, without it."""
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def named_parts(owner: object, names: tuple[str, ...]) -> dict[str, Any]:
    """Return attributes of an object by name; NumPy's numbers become Python's."""
    values = {name: getattr(owner, name) for name in names}
    return {name: value.item() if isinstance(value, np.generic) else value for name, value in values.items()}
