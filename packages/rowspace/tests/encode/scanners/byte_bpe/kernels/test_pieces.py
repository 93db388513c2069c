"""Tokens found by their bytes, compared with a dictionary."""

import numpy as np
import pytest
from hypothesis import given, strategies as st
from numpy.typing import NDArray

from rowspace.encode.scanners.byte_bpe.kernels.pieces import Merges, enter_tokens, whole_id

pytestmark = pytest.mark.kernels


@given(st.lists(st.binary(max_size=4), unique=True, max_size=20), st.lists(st.binary(min_size=1, max_size=4)))
def test_whole_tokens_are_found_by_their_bytes(tokens: list[bytes], pieces: list[bytes]) -> None:
    starts = np.cumsum([0, *map(len, tokens)])
    arena: NDArray[np.uint8] = np.frombuffer(b"".join(tokens), np.uint8)
    slots = np.zeros(64, np.int64)
    enter_tokens(slots, starts, arena)
    no_merges = np.full((2, 2), -1, np.int64)
    model = Merges(np.arange(256, dtype=np.int32), no_merges, slots, starts, arena)
    for piece in [*pieces, *filter(None, tokens)]:
        found = whole_id(np.frombuffer(b"\xff" + piece, np.uint8), 1, len(piece) + 1, model)
        assert found == (tokens.index(piece) if piece in tokens else -1)
