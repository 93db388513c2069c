"""What a question or a number needs: words of a table, or PyTorch."""

from rowspace.errors import MissingExtraError, UsageError
from rowspace.table import Table

__all__ = ["require_torch", "require_words"]


def require_words(table: Table, *words: str) -> None:
    """Raise `UsageError` for words that are not in the table."""
    missing = [word for word in dict.fromkeys(words) if word not in table]
    if missing:
        raise UsageError(f"this table has no row for {', '.join(missing)}; choose another table")


def require_torch() -> None:
    """Raise `UsageError` if PyTorch is not installed."""
    try:
        import rowspace.layers  # noqa: F401  # raises MissingExtraError
    except MissingExtraError as error:
        raise UsageError(str(error)) from error
