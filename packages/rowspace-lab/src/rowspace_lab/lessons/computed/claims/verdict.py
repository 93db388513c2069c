"""`Verdict`: whether a measurement supports a statement, on one table or on several."""

from collections.abc import Collection, Mapping
from typing import Any, Literal

__all__ = ["Verdict", "on_tables_verdict"]

Verdict = Literal["true", "false", "it depends"]


def on_tables_verdict(measured: Collection[Mapping[str, Any]]) -> Verdict:
    """Over several tables, it depends if they give different verdicts."""
    verdicts: list[Verdict] = [numbers["verdict"] for numbers in measured]
    return verdicts[0] if len(set(verdicts)) == 1 else "it depends"
