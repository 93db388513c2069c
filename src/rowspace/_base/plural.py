"""`plural`: a number and what it counts, as every message says it: 1 row, 2 rows, 50,257 rows."""

__all__ = ["plural"]


def plural(number: int, one: str, many: str | None = None) -> str:
    """`number` of what is called `one` where there is 1, and else `many`, or `one` with an s.

    >>> plural(1, "row"), plural(0, "row"), plural(50257, "row"), plural(2, "row is", "rows are")
    ('1 row', '0 rows', '50,257 rows', '2 rows are')
    """
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"
