"""The exceptions of gensim's names: rowspace's own, and also of the built-in types that gensim raises."""

from rowspace.errors import FileFormatError, RowspaceError, UsageError

__all__ = [
    "ArgumentTypeError",
    "BadEncodingError",
    "DamagedFileError",
    "EmptySetError",
    "MissingAttributeError",
    "MissingFileError",
    "MissingKeyError",
    "NotReadyError",
    "UnreadableFileError",
    "UnsupportedModelError",
]


class ArgumentTypeError(UsageError, TypeError):
    """An argument has the wrong type, or two arguments exclude each other."""


class NotReadyError(RowspaceError, RuntimeError):
    """The model has no vocabulary or no weights for this call."""


class EmptySetError(UsageError, ZeroDivisionError):
    """A set of words has none that has a vector, so it has no mean."""


class DamagedFileError(FileFormatError, EOFError):
    """A file of vectors is cut off or damaged."""


class UnsupportedModelError(FileFormatError, NotImplementedError):
    """A file holds a model of a kind that these classes do not have."""


class MissingAttributeError(UsageError, AttributeError):
    """An attribute or a method does not exist here; the message says what to use."""


class UnreadableFileError(UsageError, OSError):
    """A file cannot be opened."""


class MissingFileError(UnreadableFileError, FileNotFoundError):
    """There is no such file."""


class MissingKeyError(RowspaceError, KeyError):
    """A key has no vector."""

    def __str__(self) -> str:
        """Return the message; `KeyError` would print it in quotes."""
        return str(self.args[0])


class BadEncodingError(FileFormatError, UnicodeDecodeError):
    """A word of a file is not valid in the given encoding."""

    def __init__(self, message: str, error: UnicodeDecodeError) -> None:
        UnicodeDecodeError.__init__(self, error.encoding, error.object, error.start, error.end, error.reason)
        self.message = message

    def __str__(self) -> str:
        """Return the message."""
        return self.message
