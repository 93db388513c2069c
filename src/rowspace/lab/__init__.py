"""The workbench: a Starlette app, one file per page's data; `static/` is the front end that `web/` builds.

Needs `rowspace[lab]`. Read next: `app.py`.
"""

from rowspace.errors import MissingExtraError

try:
    import starlette as _starlette  # noqa: F401
    import uvicorn as _uvicorn  # noqa: F401
except ImportError as error:
    raise MissingExtraError("rowspace.lab needs its server: pip install 'rowspace[lab]'") from error

from rowspace.lab.app import make_app
from rowspace.lab.lab import Lab

__all__ = ["Lab", "make_app"]
