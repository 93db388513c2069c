"""Pieces of awkward text for property tests of tokenizers."""

from hypothesis import HealthCheck, settings, strategies as st

PIECES = ["the ", " cat", "naïve", "e\u0301", "안녕", "👩‍👩‍👧", "\0", "\n\n", "  \t"]
FIXED = settings(suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])


def awkward_text(*more: str) -> st.SearchStrategy[str]:
    """Any text, or pieces in any order, among them special tokens of a tokenizer."""
    return st.text() | st.lists(st.sampled_from([*PIECES, *more])).map("".join)
