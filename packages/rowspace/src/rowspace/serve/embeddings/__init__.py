"""Vectors by the API of OpenAI: a table → `/v1/embeddings` and `/v1/models`, with `/health` and `/metrics`.

| in this folder | what flows in → out |
|---|---|
| `request.py` | the body of a request → texts or ids, and the form of the reply |
| `reply.py` | vectors → the body of the reply |
| `errors.py` | an error → a status and an error object |
| `key.py` | requests without the key, or of other sites → an error |
| `observed.py` | requests → lines of a log, and numbers for Prometheus |
| `app.py` | an encoder → the application |

Read next: `app.py`.
"""

from rowspace.serve.embeddings.app import make_app
from rowspace.serve.embeddings.key import KeyMiddleware
from rowspace.serve.embeddings.observed import Numbers, Observed
from rowspace.serve.embeddings.request import Limits

__all__ = ["KeyMiddleware", "Limits", "Numbers", "Observed", "make_app"]
