"""Rows of tables of pandas and Polars, by what these have, so that neither is imported."""

from collections.abc import Iterator
from typing import Any

__all__ = ["frame_records", "frame_rows"]


def frame_rows(value: Any) -> Iterator[tuple[Any, ...]] | None:
    """Return the rows of a table of pandas or Polars as tuples; None for anything else."""
    if hasattr(value, "itertuples"):
        rows: Iterator[tuple[Any, ...]] = value.itertuples(index=False, name=None)
        return rows
    return iter(value.iter_rows()) if hasattr(value, "iter_rows") else None


def frame_records(value: Any) -> Iterator[dict[str, Any]] | None:
    """Return the rows of a table of pandas or Polars as dicts; None for anything else."""
    rows = frame_rows(value)
    return None if rows is None else (dict(zip(value.columns, row, strict=True)) for row in rows)
