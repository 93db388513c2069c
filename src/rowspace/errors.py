"""Every error that rowspace raises on purpose, under one base, and what it warns of.

Each message is one clear sentence: what was wrong, where, and the next step. The command line prints it and exits
with status 1 (`UsageError`: 2). Nothing here imports anything of ours.
"""

__all__ = [
    "CorpusError",
    "CorpusWarning",
    "FileFormatError",
    "FitDiverged",
    "FitInterrupted",
    "MissingExtraError",
    "RowspaceError",
    "UnknownTokenError",
    "UnseenTokenWarning",
    "UsageError",
    "printable",
    "reason_of",
]

LONGEST = 120  # characters: zipfile and pyarrow put raw bytes of a damaged file into their messages


def reason_of(error: BaseException) -> str:
    r"""Return what another library says of an error as a part of our own sentence: one line, short and printable.

    >>> reason_of(ValueError("header b'\\x00' differs\nmore")), reason_of(EOFError())
    ("header b'\\x00' differs", 'EOFError')
    """
    line = str(error).split("\n")[0].strip()
    return printable(line[:LONGEST]) + ("..." if len(line) > LONGEST else "") or type(error).__name__


def printable(text: str) -> str:
    r"""Return a text with a question mark for each character that a terminal would not show as one.

    >>> printable("a\x07b")
    'a?b'
    """
    return "".join(character if character.isprintable() else "?" for character in text)


class RowspaceError(Exception):
    """The base of every error that rowspace raises on purpose."""


class UsageError(RowspaceError, ValueError):
    """An argument has a value that the call cannot work with."""


class CorpusError(RowspaceError, ValueError):
    """A corpus cannot be read as text, or holds none."""


class FileFormatError(RowspaceError, ValueError):
    """A file is damaged, truncated, lies about itself, or is of a kind that does not open here."""


class UnknownTokenError(RowspaceError, KeyError):
    """A token is not in the vocabulary; the message names the nearest spellings that are."""

    def __str__(self) -> str:
        """The sentence itself: `KeyError` would print its quoted form."""
        return str(self.args[0])


class CorpusWarning(UserWarning):
    """A corpus is not quite what it seems: something was left out, or its words are not what a reader expects."""


class UnseenTokenWarning(UserWarning):
    """A token is not in the vocabulary; its row is the mean of its n-gram rows."""


class MissingExtraError(RowspaceError, ImportError):
    """An optional dependency is not installed; the message holds the pip command."""


class FitInterrupted(RowspaceError):
    """A fit was stopped by Ctrl-C or SIGTERM, after saving what was learned; the message says how to go on."""


class FitDiverged(RowspaceError):
    """A learning rate was too high for its text and options; the message says what was kept, and what to try."""
