"""Bodies of requests: what is accepted, and that nothing but an `ApiError` comes of the others."""

import json
from contextlib import suppress

import pytest
from hypothesis import given, strategies as st

from rowspace.serve.embeddings.errors import ApiError
from rowspace.serve.embeddings.request import EmbeddingRequest, Limits, parse_request

SMALL = Limits(inputs=3, tokens=5)


def parse(body: bytes | object) -> EmbeddingRequest:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return parse_request(data, SMALL, num_rows=10, dim=4)


def test_null_is_the_default_and_unknown_fields_are_ignored() -> None:
    asked = parse({"model": "m", "input": "é", "encoding_format": None, "dimensions": None, "user": 5, "truncate": 1})
    assert asked == EmbeddingRequest("m", ["é"], in_base64=False, dimensions=None)


def test_ids_become_flat_arrays() -> None:
    assert parse({"model": "m", "input": [[0, 9], [3]]}).input.indptr.tolist() == [0, 2, 3]
    assert parse({"model": "m", "input": [0, 9, 3]}).input.ids.tolist() == [0, 9, 3]
    assert parse({"model": "m", "input": [[0], [9], [3]]}).size == 3


def test_wrong_body_has_a_message() -> None:
    many = "1" * 5000
    cases = [
        (b"", "the body must be a JSON object in UTF-8"),
        (b'{"model": "m", ', "the body must be a JSON object in UTF-8 .*character 15"),
        (b'{"model": "\xff"}', "the body must be a JSON object in UTF-8$"),
        (b"[" * 100_000, "the body must be a JSON object in UTF-8$"),
        (f'{{"model": "m", "input": [{many}]}}'.encode(), "the body must be a JSON object in UTF-8$"),
        ([1], "the body must be a JSON object, not a list of 1"),
        ({"input": "a"}, "model must be a name of a model"),
        ({"model": 5, "input": "a"}, "model must be a name of a model"),
        ({"model": "m"}, "input must be a text, .*; got null"),
        ({"model": "m", "input": {}}, "input must be a text, .*; got an object"),
        ({"model": "m", "input": 1.5}, "input must be a text, .*; got 1.5"),
        ({"model": "m", "input": [True]}, "input 0 must be a text or a list of token ids .*; got true"),
        ({"model": "m", "input": [[True]]}, "input 0 must be a text or a list of token ids .*; got a list of 1"),
        ({"model": "m", "input": [1, "a"]}, "input 0 must be a text or a list of token ids"),
        ({"model": "m", "input": ["a", 1]}, "input 1 must be a text that is not empty.*; got 1"),
        ({"model": "m", "input": ["a", ["b"]]}, "input 1 must be a text that is not empty.*; got a list of 1"),
        ({"model": "m", "input": [[1], "b"]}, 'input 1 must be a text or a list of token ids .*; got "b"'),
        ({"model": "m", "input": [-1]}, "token id -1 of input 0 is out of range for a table of 10 rows"),
        ({"model": "m", "input": [10**40]}, "token id a larger number of input 0 is out of range"),
        ({"model": "m", "input": ["a"] * 4}, "at most 3 texts, not 4"),
        ({"model": "m", "input": [1] * 6}, "at most 5 tokens"),
        ({"model": "m", "input": "a", "dimensions": True}, "from 1 to 4, the width of this table, not true"),
        ({"model": "m", "input": "a", "dimensions": 2.0}, "from 1 to 4, the width of this table, not 2.0"),
        ({"model": "m", "input": "a", "encoding_format": ["float"]}, "must be float or base64, not a list of 1"),
        ({"model": "m", "input": "a", "encoding_format": "x" * 99}, 'not "x{40}"$'),
    ]
    for body, message in cases:
        with pytest.raises(ApiError, match=message) as caught:
            parse(body)
        assert caught.value.status == 400, message


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=12,
)


@given(JSON, JSON, JSON)
def test_any_document_is_a_request_or_an_api_error(value: object, form: object, dimensions: object) -> None:
    body = {"model": "m", "input": value, "encoding_format": form, "dimensions": dimensions}
    with suppress(ApiError):
        assert parse(body).size >= 1


@given(st.binary(max_size=40))
def test_any_bytes_are_an_api_error(body: bytes) -> None:
    with pytest.raises(ApiError):
        parse(body)
