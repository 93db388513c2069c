"""`embedding_reply`: vectors → the body of the reply of `/v1/embeddings`."""

import json
from base64 import b64encode
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from rowspace.serve.embeddings.errors import ApiError
from rowspace.space import unit_rows

__all__ = ["embedding_reply", "finish_vectors", "json_arrays"]

Floats = NDArray[np.float32]


def embedding_reply(vectors: Floats, *, model: str, num_tokens: int, in_base64: bool) -> bytes:
    """Return the body, as `json.dumps` would write it without spaces.

    Args:
        vectors: (n, d) float32, finite.
        model: The name of the model.
        num_tokens: The number of tokens of the request.
        in_base64: Whether vectors are base64 of little-endian float32, from which the official client reads arrays.

    >>> embedding_reply(np.ones((1, 1), np.float32), model="m", num_tokens=2, in_base64=True)[:72]
    b'{"object":"list","data":[{"object":"embedding","index":0,"embedding":"AA'
    """
    encoded = _base64_strings(vectors) if in_base64 else json_arrays(vectors)
    data = b",".join(
        b'{"object":"embedding","index":%d,"embedding":%b}' % (number, vector) for number, vector in enumerate(encoded)
    )
    usage = b'{"prompt_tokens":%d,"total_tokens":%d}' % (num_tokens, num_tokens)
    return b'{"object":"list","data":[%b],"model":%b,"usage":%b}' % (data, json.dumps(model).encode(), usage)


def finish_vectors(vectors: Floats, *, dimensions: int | None, normalize: bool) -> Floats:
    """Keep the first dimensions of vectors, and scale them to length 1, as OpenAI's vectors are; zeros stay zeros.

    Args:
        vectors: (n, d) float32.
        dimensions: The number of dimensions to keep; None for all.
        normalize: Whether to scale.

    Raises:
        ApiError: A vector is not finite (500).

    >>> finish_vectors(np.array([[3, 4, 9], [0, 0, 9]], np.float32), dimensions=2, normalize=True)
    array([[0.6, 0.8],
           [0. , 0. ]], dtype=float32)
    """
    vectors = vectors[:, :dimensions]
    norms = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))
    if not np.isfinite(norms).all():
        wrong = int(np.flatnonzero(~np.isfinite(norms))[0])
        raise ApiError(500, f"the vector of input {wrong} has NaN or infinity, as rows of this table do", param="input")
    if not normalize:
        return vectors
    return unit_rows(vectors).astype(np.float32)


def json_arrays(vectors: Floats) -> Iterator[bytes]:
    """Yield each vector as a JSON array; a reader that rounds its numbers to float32 gets the same vector.

    Args:
        vectors: (n, d) float32, finite.

    >>> list(json_arrays(np.array([[0.25, -2]], np.float32)))
    [b'[0.25,-2.0]']
    """
    from rowspace.store.text_formats.print_kernels import (  # numba, which base64 does not need
        MAX_NUMBER_BYTES,
        print_numbers,
    )

    buffer = np.empty(vectors.shape[1] * MAX_NUMBER_BYTES, np.uint8)
    for vector in vectors:
        size = print_numbers(np.ascontiguousarray(vector), buffer)
        yield b"[%b]" % buffer[:size].tobytes()


def _base64_strings(vectors: Floats) -> Iterator[bytes]:
    for vector in vectors.astype("<f4", copy=False):
        yield b'"%b"' % b64encode(vector.tobytes())
