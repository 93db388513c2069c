"""`make_app`: an encoder → a Starlette application with the endpoints of OpenAI's API for embeddings."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

import numpy as np
from anyio import CapacityLimiter, to_thread
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from rowspace._base.parallel import available_cores
from rowspace.encode import ContextualEncoder, Encoder
from rowspace.errors import UsageError
from rowspace.serve.embeddings.errors import HANDLERS, ApiError
from rowspace.serve.embeddings.observed import Numbers
from rowspace.serve.embeddings.reply import embedding_reply, finish_vectors, json_arrays
from rowspace.serve.embeddings.request import EmbeddingRequest, Limits, parse_request
from rowspace.serve.request import read_body

__all__ = ["make_app", "openapi"]

VERSION = "3.1.0"  # of OpenAPI
_STRINGS = {"type": "array", "items": {"type": "string"}}
_IDS = {"type": "array", "items": {"type": "integer", "minimum": 0}}
_INPUTS = [{"type": "string"}, _STRINGS, _IDS, {"type": "array", "items": _IDS}]


def openapi(model: str, dim: int) -> dict[str, Any]:
    """Return the document.

    Args:
        model: The name of the model.
        dim: The number of dimensions of its vectors.

    >>> list(openapi("words", 2)["paths"])
    ['/v1/embeddings', '/v1/models', '/v1/models/{name}', '/health', '/metrics']
    """
    name = [{"name": "name", "in": "path", "required": True, "schema": {"type": "string"}}]
    return {
        "openapi": VERSION,
        "info": {"title": "rowspace serve", "description": "Vectors of texts by the API of OpenAI.", "version": "1"},
        "paths": {
            "/v1/embeddings": {"post": _embeddings(model, dim)},
            "/v1/models": {"get": _answer("The model, in a list.")},
            "/v1/models/{name}": {"get": _answer("The model.") | {"parameters": name}},
            "/health": {"get": _answer("The server is ready.") | {"security": []}},
            "/metrics": {"get": _answer("Numbers for Prometheus.", kind="text/plain")},
        },
        "security": [{}, {"key": []}],
        "components": {"securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}},
    }


def _embeddings(model: str, dim: int) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "model": {"type": "string", "const": model},
        "input": {"description": "A text, texts, token ids, or lists of token ids.", "anyOf": _INPUTS},
        "encoding_format": {"type": "string", "enum": ["float", "base64"], "default": "float"},
        "dimensions": {"type": "integer", "minimum": 1, "maximum": dim, "default": dim},
        "user": {"type": "string"},
    }
    body = {"type": "object", "required": ["model", "input"], "properties": fields}
    return {"requestBody": {"required": True, "content": _content(body)}} | _answer("The vectors, in order.")


def _answer(what: str, *, kind: str = "application/json") -> dict[str, Any]:
    failed = {"description": "An error, as OpenAI's API has it.", "content": _content({"type": "object"})}
    return {"responses": {"200": {"description": what, "content": {kind: {}}}, "default": failed}}


def _content(schema: dict[str, Any]) -> dict[str, Any]:
    return {"application/json": {"schema": schema}}


SMALL_BODY = 16 << 10  # bytes
SMALL_REPLY = 1 << 15  # numbers
# Requests that are small in both are answered in the event loop: a change of threads takes longer than they do.


def make_app(
    encoder: Encoder | ContextualEncoder,
    *,
    model: str,
    created: int = 0,
    normalize: bool = True,
    limits: Limits | None = None,
    numbers: Numbers | None = None,
) -> Starlette:
    """Return the application; `KeyMiddleware` adds checks of access.

    Args:
        encoder: The encoder of the texts.
        model: The name of the model, which requests must give.
        created: When the model was made, in seconds since 1970, as `/v1/models` states it.
        normalize: Whether vectors are scaled to length 1, as OpenAI's are.
        limits: The sizes that requests may have.
        numbers: What `/metrics` shows; `Observed` counts requests in it.

    Raises:
        UsageError: The vectors of the encoder are not float32.

    >>> import rowspace as rs
    >>> from rowspace.text import whitespace_json
    >>> words = ["the", "cat"]
    >>> table = rs.Table(words, np.eye(2, dtype=np.float32), tokenizer=whitespace_json(words))
    >>> app = make_app(Encoder(table), model="words")
    """
    if encoder.options.dtype != "float32":
        raise UsageError(f"an encoder that is served must give float32, not {encoder.options.dtype}; omit dtype=")
    endpoint = _Embeddings(encoder, model, normalize, Limits() if limits is None else limits)
    card = {"id": model, "object": "model", "created": created, "owned_by": "rowspace"}

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        """Compile the encoder's kernels before the first request."""
        await to_thread.run_sync(_warm, encoder)
        yield

    return Starlette(
        routes=[
            Route("/v1/embeddings", endpoint.create, methods=["POST"]),
            Route("/v1/models", partial(_json, {"object": "list", "data": [card]})),
            Route("/v1/models/{name:path}", partial(_model, card)),
            Route("/health", partial(_json, {"status": "ok"})),
            Route("/metrics", partial(_metrics, encoder, Numbers() if numbers is None else numbers)),
            Route("/openapi.json", partial(_json, openapi(model, encoder.dim))),
        ],
        exception_handlers=HANDLERS,
        lifespan=lifespan,
    )


class _Embeddings:
    """`POST /v1/embeddings`."""

    def __init__(self, encoder: Encoder | ContextualEncoder, model: str, normalize: bool, limits: Limits) -> None:
        self.encoder = encoder
        self.model = model
        self.normalize = normalize
        self.limits = limits
        self.threads = CapacityLimiter(available_cores())
        self.under_way = 0

    async def create(self, request: Request) -> Response:
        """Respond to a request, unless too many are in progress."""
        if self.under_way >= self.limits.requests:
            message = f"{self.limits.requests} requests are in progress; send this one again later"
            raise ApiError(429, message, code="rate_limit_exceeded")
        self.under_way += 1
        try:
            body = await read_body(request, self.limits.body_bytes)
            return Response(await self._answer(body), media_type="application/json")
        finally:
            self.under_way -= 1

    async def _answer(self, body: bytes) -> bytes:
        """Return the body of the reply, computed in a thread unless it is small, so that other requests do not wait."""
        in_thread = partial(to_thread.run_sync, limiter=self.threads, abandon_on_cancel=True)
        if len(body) > SMALL_BODY:
            return await in_thread(lambda: self._embed(self._parse(body)))
        request = self._parse(body)
        if request.size * self.encoder.dim > SMALL_REPLY or isinstance(self.encoder, ContextualEncoder):
            return await in_thread(self._embed, request)
        return self._embed(request)

    def _parse(self, body: bytes) -> EmbeddingRequest:
        request = parse_request(body, self.limits, num_rows=self.encoder.num_embeddings, dim=self.encoder.dim)
        if request.model != self.model:
            raise _no_model(request.model, self.model)
        return request

    def _embed(self, request: EmbeddingRequest) -> bytes:
        if isinstance(request.input, list):
            vectors, counts = self.encoder.encode_and_count(request.input)
            num_tokens = int(counts.sum())
        else:
            vectors, num_tokens = self.encoder.encode_ids(request.input), request.input.ids.size
        if num_tokens > self.limits.tokens:
            message = f"input must have at most {self.limits.tokens:,} tokens, not {num_tokens:,}"
            raise ApiError(400, f"{message}; send several requests", param="input")
        vectors = finish_vectors(vectors, dimensions=request.dimensions, normalize=self.normalize)
        return embedding_reply(vectors, model=self.model, num_tokens=num_tokens, in_base64=request.in_base64)


def _warm(encoder: Encoder | ContextualEncoder) -> None:
    """Load what the first requests need, so that they are not slower than others."""
    encoder.warm_up()
    list(json_arrays(np.ones((1, 1), np.float32)))


def _no_model(name: str, model: str) -> ApiError:
    return ApiError(404, f"there is no model {name[:100]!r}; this server has {model!r}", code="model_not_found")


async def _model(card: dict[str, object], request: Request) -> Response:
    if (name := request.path_params["name"]) != card["id"]:
        raise _no_model(name, str(card["id"]))
    return JSONResponse(card)


async def _json(document: dict[str, object], _: Request) -> Response:
    return JSONResponse(document)


async def _metrics(encoder: Encoder | ContextualEncoder, numbers: Numbers, _: Request) -> Response:
    return PlainTextResponse(numbers.text(encoder.report), media_type="text/plain; version=0.0.4")
