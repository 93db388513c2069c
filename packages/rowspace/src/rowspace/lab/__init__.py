"""The workbench: a Starlette app over one table, with a folder per page in `pages/`; `web/` builds `static/`.

Needs `rowspace[lab]`. Read next: `app.py`, then `lab.py`, `page.py` and a page such as `pages/cost/`.
"""

from rowspace.errors import MissingExtraError

try:
    import starlette as _starlette  # noqa: F401  # only to see whether it is installed
    import uvicorn as _uvicorn  # noqa: F401  # only to see whether it is installed
except ImportError as error:
    raise MissingExtraError("rowspace.lab needs a web server: pip install 'rowspace[lab]'") from error

from rowspace.lab.app import make_app
from rowspace.lab.lab import Lab

__all__ = ["Lab", "make_app"]
