"""The workbench: a Starlette app over one table, with a folder per page in `pages/`; `web/` builds `static/`.

Read next: `app.py`, then `lab.py`, `page.py` and a page such as `pages/cost/`.
"""

from rowspace._base.lazy import lazy_exports

__getattr__, __dir__, __all__ = lazy_exports(__name__, __file__)
