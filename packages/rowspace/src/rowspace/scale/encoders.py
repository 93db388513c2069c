"""`EncoderSource`: an encoder as workers get it: its path and options, or all of it if it is only in memory."""

import os
import pickle
import socket
from collections import OrderedDict
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from threading import Lock

from rowspace.encode.contextual_encoder import ContextualEncoder
from rowspace.encode.encoder import Encoder
from rowspace.encode.options import EncodeOptions
from rowspace.errors import RowspaceError, UsageError
from rowspace.files.remote import is_url
from rowspace.table import Table

__all__ = ["AnyEncoder", "EncoderSource", "TableLike"]

AnyEncoder = Encoder | ContextualEncoder

TableLike = str | os.PathLike[str] | Table | AnyEncoder
"""What has rows for texts: the path or URL of a table, a table, or an encoder with its options."""

_MOST_OPEN = 4
_open = OrderedDict[str, AnyEncoder]()  # by fingerprint
_lock = Lock()


@dataclass(frozen=True)
class EncoderSource:
    """An encoder that a process opens once.

    Attributes:
        path: The path or URL of its table or model; None if it is only in memory.
        options: Its options.
        fingerprint: Its fingerprint.
        pickled: The encoder, if there is no path.
    """

    path: str | None
    options: EncodeOptions
    fingerprint: str
    pickled: bytes

    @classmethod
    def of(cls, table: TableLike) -> "EncoderSource":
        """Return the source of an encoder, which stays open in this process.

        Raises:
            UsageError: There is no table at a path, or it has no tokenizer.
        """
        encoder = _encoder_of(table)
        if isinstance(encoder, ContextualEncoder):
            path: str | None = os.path.realpath(encoder.folder)
        else:
            path = encoder.table.path
        options = replace(encoder.options, workers=1)  # workers share the cores
        pickled = b"" if path is not None else pickle.dumps(encoder)
        source = cls(path, options, encoder.fingerprint, pickled)
        _remember(source.fingerprint, encoder)
        return source

    def open(self) -> AnyEncoder:
        """Return the encoder, which this process opens at the first call.

        Raises:
            RowspaceError: This machine does not see the table, or another one is there.
        """
        with _lock:
            found = _open.get(self.fingerprint)
            if found is None:
                found = self._opened()
                _remember(self.fingerprint, found)
            return found

    def _opened(self) -> AnyEncoder:
        if self.path is None:
            encoder: AnyEncoder = pickle.loads(self.pickled)  # noqa: S301  # of the process that started this one
        else:
            if not is_url(self.path) and not Path(self.path).exists():
                raise RowspaceError(
                    f"the worker on {socket.gethostname()} does not see the table {self.path}; put it in a folder that "
                    "all machines share, or at a URL such as s3://bucket/table"
                )
            encoder = Encoder.load(self.path, **asdict(self.options))
            if encoder.fingerprint != self.fingerprint:
                raise RowspaceError(
                    f"the table {self.path} on {socket.gethostname()} differs from the one of this run; copy the same "
                    "table to all machines"
                )
        if isinstance(encoder, Encoder):
            encoder.warm_up()  # so that all texts go through the same kernels
        return encoder


def _encoder_of(table: TableLike) -> AnyEncoder:
    if isinstance(table, Encoder | ContextualEncoder):
        encoder: AnyEncoder = table
    elif isinstance(table, Table):
        encoder = Encoder(table)
    elif isinstance(table, str | os.PathLike):
        encoder = Encoder.load(os.fspath(table))
    else:
        raise UsageError(f"table must be a path, a Table or an Encoder, not {type(table).__name__}")
    return encoder.warm_up() if isinstance(encoder, Encoder) else encoder


def _remember(fingerprint: str, encoder: AnyEncoder) -> None:
    _open[fingerprint] = encoder
    while len(_open) > _MOST_OPEN:
        _open.popitem(last=False)
