"""The exceptions and warnings of rowspace; all exceptions derive from `RowspaceError`.

Each message says what was wrong, where, and what to do next. The command line prints it and exits with status 1
(`UsageError`: 2). This module imports nothing else from rowspace.
"""

import os

__all__ = [
    "CorpusError",
    "CorpusWarning",
    "EncodingInterrupted",
    "FileFormatError",
    "FitDiverged",
    "FitInterrupted",
    "MissingExtraError",
    "RowspaceError",
    "TrainingDiverged",
    "TrainingInterrupted",
    "UnknownTokenError",
    "UnseenTokenWarning",
    "UsageError",
    "missing_file",
    "printable",
    "reason_of",
]

MAX_MESSAGE = 120  # characters: zipfile and pyarrow put raw bytes of a damaged file into their messages


def reason_of(error: BaseException) -> str:
    r"""Return another library's error message in a form that fits into ours: one short, printable line.

    Args:
        error: The exception.

    Returns:
        The first line of its message, or the name of its class if that is empty.

    >>> reason_of(ValueError("header b'\\x00' differs\nmore")), reason_of(EOFError())
    ("header b'\\x00' differs", 'EOFError')
    """
    line = str(error).split("\n")[0].strip()
    return printable(line[:MAX_MESSAGE]) + ("..." if len(line) > MAX_MESSAGE else "") or type(error).__name__


def printable(text: str) -> str:
    r"""Replace each unprintable character by a question mark.

    Args:
        text: Any text.

    Returns:
        A text of the same length.

    >>> printable("a\x07b")
    'a?b'
    """
    return "".join(character if character.isprintable() else "?" for character in text)


class RowspaceError(Exception):
    """Base class of all exceptions that rowspace raises intentionally."""


class UsageError(RowspaceError, ValueError):
    """An argument has an invalid value."""


def missing_file(name: object, advice: str = "check the path") -> UsageError:
    """Return the error for a path or URL at which there is nothing, or no file.

    >>> missing_file("a.txt")
    UsageError("there is no file or folder 'a.txt'; check the path")
    """
    text = str(name)
    shown = repr(text if len(text) <= 300 else f"{text[:40]}...{text[-200:]}")
    exists = os.path.exists(text)  # noqa: PTH110  # Path.exists raises for long names
    what = f"{shown} is not a file" if exists else f"there is no file or folder {shown}"
    return UsageError(f"{what}; {advice}")


class CorpusError(RowspaceError, ValueError):
    """A corpus cannot be read as text, or contains none."""


class FileFormatError(RowspaceError, ValueError):
    """A file is damaged, truncated, inconsistent, or of an unsupported kind."""


class UnknownTokenError(RowspaceError, KeyError):
    """A token is not in the vocabulary; the message lists similar spellings that are."""

    def __str__(self) -> str:
        """Return the message; `KeyError` would print it in quotes."""
        return str(self.args[0])


class CorpusWarning(UserWarning):
    """Part of a corpus was skipped, or its words are not what a reader expects."""


class UnseenTokenWarning(UserWarning):
    """A token is not in the vocabulary; its row is the mean of its n-gram rows."""


class MissingExtraError(RowspaceError, ImportError):
    """An optional dependency is not installed; the message contains the pip command.

    `pip install 'rowspace[torch]'` also completes an installation from a clone, since pip keeps an installed rowspace.
    """


class EncodingInterrupted(RowspaceError):
    """The encoding of a source was stopped by Ctrl-C or SIGTERM; the message says how to resume."""


class FitInterrupted(RowspaceError):
    """A fit was stopped by Ctrl-C or SIGTERM after saving its state; the message says how to resume."""


class FitDiverged(RowspaceError):
    """A fit diverged because the learning rate was too high; the message says what was saved and what to try."""


class TrainingInterrupted(RowspaceError):
    """A training was stopped by Ctrl-C or SIGTERM after saving a checkpoint; the message says how to resume."""


class TrainingDiverged(RowspaceError):
    """A loss or a gradient is not finite; the message has the step, the batch, the rows and the checkpoint kept."""
