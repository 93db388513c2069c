"""The OpenAPI document of the server, `/openapi.json`."""

from typing import Any

__all__ = ["openapi"]

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
