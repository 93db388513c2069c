"""`Verdict`: whether a measurement supports a statement."""

from typing import Literal

__all__ = ["Verdict"]

Verdict = Literal["true", "false", "it depends"]
