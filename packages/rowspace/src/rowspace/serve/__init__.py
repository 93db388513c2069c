"""Serving over HTTP: the vectors of a table by the OpenAI API, and what it shares with the workbench.

| in this folder | contents |
|---|---|
| `access.py` | the address of a server, and checks of hosts, origins and secrets |
| `request.py` | `HttpError`, and the body of a request with a size limit |
| `connections.py` | accepting connections up to a limit |
| `server.py` | listening on a port, and running an application until a signal |
| `embeddings/` | `make_app`: `/v1/embeddings` and `/v1/models` of a table |

Needs `rowspace[serve]`. Read next: `embeddings/app.py`.
"""

from rowspace._base.lazy import import_extra as _import_extra

for _module in ("starlette", "uvicorn"):
    _import_extra(_module, "rowspace.serve needs a web server", "serve")
