"""A number with its noun, for messages: 1 row, 2 rows, 50,257 rows."""

__all__ = ["plural"]


def plural(number: int, one: str, many: str | None = None) -> str:
    """Return `number` with its noun in the singular or plural.

    Args:
        number: Printed with thousands separators.
        one: The noun for 1.
        many: The noun for any other number; by default `one` with an s.

    Returns:
        The number, a space and the noun.

    >>> plural(1, "row"), plural(0, "row"), plural(50257, "row"), plural(2, "row is", "rows are")
    ('1 row', '0 rows', '50,257 rows', '2 rows are')
    """
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
