"""Numbers and names in messages: `plural` and `join_names`."""

from collections.abc import Iterable

__all__ = ["join_names", "plural"]

MAX_NAMES = 9  # in one message


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


def join_names(names: Iterable[str]) -> str:
    """Join the first names in alphabetical order, and the number of the others.

    Args:
        names: Any strings.

    Returns:
        The quoted names, or "none".

    >>> join_names(["wte.weight", "wpe.weight"]), join_names(map(str, range(100)))[-7:]
    ("'wpe.weight', 'wte.weight'", '91 more')
    """
    in_order = sorted(names)
    more = [f"{len(in_order) - MAX_NAMES} more"] if len(in_order) > MAX_NAMES else []
    return ", ".join([*map(repr, in_order[:MAX_NAMES]), *more]) or "none"
