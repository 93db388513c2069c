"""`parse_request`: the body of `POST /v1/embeddings` → texts or ids, and the form of the reply."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from rowspace.encode.texts import FlatIds
from rowspace.serve.embeddings.errors import ApiError

__all__ = ["EmbeddingRequest", "Limits", "parse_request"]

FORMATS = ("float", "base64")


@dataclass(frozen=True)
class Limits:
    """The limits of a request, and of the number of requests in progress.

    Attributes:
        body_bytes: Bytes of a request's body.
        inputs: Texts, or lists of ids, of a request; as in OpenAI's API.
        tokens: Tokens of a request; as in OpenAI's API.
        requests: Requests in progress at a time; others get status 429.
    """

    body_bytes: int = 4 << 20
    inputs: int = 2048
    tokens: int = 300_000
    requests: int = 256


class EmbeddingRequest(NamedTuple):
    """A valid request.

    Attributes:
        model: The name of the model.
        input: The texts, or the ids of texts.
        in_base64: Whether vectors are sent as base64 of float32 instead of JSON numbers.
        dimensions: The number of dimensions to keep; None for all.
    """

    model: str
    input: list[str] | FlatIds
    in_base64: bool
    dimensions: int | None

    @property
    def size(self) -> int:
        """The number of inputs, and of vectors in the reply."""
        return len(self.input) if isinstance(self.input, list) else self.input.indptr.size - 1


def parse_request(body: bytes, limits: Limits, *, num_rows: int, dim: int) -> EmbeddingRequest:
    """Parse and check a body.

    Args:
        body: The bytes of a JSON object.
        limits: The largest number of inputs and of tokens; those of texts are counted later.
        num_rows: The size of the table, which ids must be below.
        dim: The width of the table, which `dimensions` may not exceed.

    Raises:
        ApiError: Something is missing, wrong or too large (400).

    >>> request = parse_request(b'{"model": "m", "input": "a text"}', Limits(), num_rows=9, dim=2)
    >>> request.input, request.in_base64, request.dimensions
    (['a text'], False, None)
    """
    document = _object(body)
    model, form, dimensions = (document.get(name) for name in ("model", "encoding_format", "dimensions"))
    if not isinstance(model, str) or not model:
        raise ApiError(400, "model must be a name of a model; GET /v1/models lists them", param="model")
    if form is not None and form not in FORMATS:
        message = f"encoding_format must be float or base64, not {_shown(form)}"
        raise ApiError(400, message, param="encoding_format")
    if dimensions is not None and not (type(dimensions) is int and 1 <= dimensions <= dim):
        message = f"dimensions must be an integer from 1 to {dim}, the width of this table, not {_shown(dimensions)}"
        raise ApiError(400, message, param="dimensions")
    return EmbeddingRequest(model, _input(document.get("input"), limits, num_rows), form == "base64", dimensions)


def _object(body: bytes) -> dict[str, Any]:
    try:
        document = json.loads(body)
    except (ValueError, RecursionError) as error:  # also invalid UTF-8, and numbers of thousands of digits
        reason = f" ({error.msg}, character {error.pos})" if isinstance(error, json.JSONDecodeError) else ""
        raise ApiError(400, f"the body must be a JSON object in UTF-8{reason}") from None
    if not isinstance(document, dict):
        raise ApiError(400, f"the body must be a JSON object, not {_shown(document)}")
    return document


def _input(value: object, limits: Limits, num_rows: int) -> list[str] | FlatIds:
    """Return the texts, or the ids, that the field `input` holds."""
    if isinstance(value, str):
        value = [value]
    if not isinstance(value, list) or not value:
        raise _wrong_input("input must be a text, a list of texts, a list of token ids, or a list of such lists", value)
    if type(value[0]) is int:
        value = [value]
    if len(value) > limits.inputs:
        raise ApiError(
            400,
            f"input must have at most {limits.inputs:,} texts, not {len(value):,}; send several requests",
            param="input",
        )
    return _texts(value) if isinstance(value[0], str) else _ids(value, limits, num_rows)


def _texts(values: Sequence[object]) -> list[str]:
    texts = []
    for number, text in enumerate(values):
        if not isinstance(text, str) or not text:
            raise _wrong_input(f"input {number} must be a text that is not empty, as the first one is", text)
        texts.append(text)
    return texts


def _ids(values: Sequence[object], limits: Limits, num_rows: int) -> FlatIds:
    lists = []
    for number, ids in enumerate(values):
        if not isinstance(ids, list) or set(map(type, ids)) != {int}:
            raise _wrong_input(f"input {number} must be a text or a list of token ids that is not empty", ids)
        if min(ids) < 0 or max(ids) >= num_rows:
            wrong = next(id for id in ids if not 0 <= id < num_rows)
            message = f"token id {_shown(wrong)} of input {number} is out of range for a table of {num_rows:,} rows"
            raise ApiError(400, f"{message}; send ids of this model's own tokenizer, or texts", param="input")
        lists.append(ids)
    if sum(map(len, lists)) > limits.tokens:
        raise ApiError(400, f"input must have at most {limits.tokens:,} tokens; send several requests", param="input")
    return FlatIds.of(lists)


def _wrong_input(message: str, value: object) -> ApiError:
    return ApiError(400, f"{message}; got {_shown(value)}", param="input")


def _shown(value: object) -> str:
    """Return the beginning of a value, and as much of it as JSON, which does not take long for large values."""
    if isinstance(value, list | dict):
        return f"a list of {len(value):,}" if isinstance(value, list) else "an object"
    if type(value) is int and value.bit_length() > 100:
        return "a larger number"
    text = json.dumps(value[:40] if isinstance(value, str) else value)
    return text if len(text) <= 60 else f"{text[:60]}..."
