"""The numbers g of a request, one for each token: how large its gradient is."""

from rowspace.errors import UsageError
from rowspace_lab.server.query import Query

__all__ = ["gradient_numbers"]

_MAX_GRADIENT = 100.0


def gradient_numbers(query: Query, count: int) -> list[float]:
    """Return a number for each token: those of the query, and the token's 1-based index for tokens without one."""
    numbers = query.numbers("g", [1.0], limit=64)
    if (largest := max(numbers, key=abs)) and abs(largest) > _MAX_GRADIENT:
        raise UsageError(f"g must be numbers from -{_MAX_GRADIENT:g} to {_MAX_GRADIENT:g}, not {largest:g}")
    return [*numbers, *map(float, range(len(numbers) + 1, count + 1))][:count]
