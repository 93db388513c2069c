"""Replies encoded and decoded; the browser tests decode the same bytes in `web/`."""

import json
import struct

import numpy as np
import pytest
from hypothesis import given, strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from rowspace.errors import FileFormatError
from rowspace_lab.server.reply import Reply, decode

DTYPES = ["<f4", "<f8", "<i4", "<u4", "|u1", ">f4", "<f2", "?", "<i8", "<u8", "<i2"]


@given(st.sampled_from(DTYPES).flatmap(lambda dtype: arrays(dtype, array_shapes(min_dims=0, min_side=0, max_dims=3))))
def test_arrays_round_trip(array: np.ndarray) -> None:
    back = decode(Reply(None, first=np.zeros(3, np.uint8), values=array).encode()).arrays["values"]
    assert back.shape == array.shape
    assert back.dtype.str in ("<f4", "<f8", "<i4", "<u4", "|u1")
    np.testing.assert_array_equal(back, array.astype(back.dtype))


def test_integers_beyond_int32_become_floats() -> None:
    assert Reply(None, a=[2**31]).arrays["a"].dtype == np.float64
    assert Reply(None, a=[-(2**31)]).arrays["a"].dtype == np.int32


def test_metadata_accepts_any_text() -> None:
    facts = {"tokens": ["שלום", "\ud800", "👩\u200d👧", "\x00", "</script>"]}
    assert decode(Reply(facts).encode()).meta == facts


def test_arrays_are_aligned_to_eight_bytes() -> None:
    body = Reply({"ключ": "é"}, a=np.zeros(3, np.uint8), b=np.arange(2.0)).encode()
    length = struct.unpack_from("<I", body)[0]
    header = json.loads(body[4 : 4 + length])
    start = -(-(4 + length) // 8) * 8
    assert [array["offset"] for array in header["arrays"]] == [0, 8]
    assert np.frombuffer(body, "<f8", 2, start + 8).tolist() == [0.0, 1.0]


def test_nonfinite_metadata_becomes_null() -> None:
    facts = {"a": [float("nan"), np.float32(0.5)], "b": {"c": float("inf")}, "d": np.int64(3)}
    assert decode(Reply(facts).encode()).meta == {"a": [None, 0.5], "b": {"c": None}, "d": 3}


@pytest.mark.parametrize("length", [0, 3, 20, -1])
def test_truncated_reply_is_refused(length: int) -> None:
    body = Reply({"word": "cat"}, a=np.arange(9.0)).encode()
    with pytest.raises(FileFormatError, match="cut short"):
        decode(body[:length])
