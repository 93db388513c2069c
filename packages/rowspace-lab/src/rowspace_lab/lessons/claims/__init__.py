"""The Claims page: statements about embeddings, each with a measurement and the verdict that follows from it.

`../texts/claims.md` has the statements and the evidence, `../computed/claims/` the measurements. `routes.py` measures
on request, claims about tables by `on_tables.py`. What takes longer has a result in `stored.json`, which `stored.py`
reads, and `jobs.py` measures it again in the background.
"""

from rowspace_lab.lessons.claims.jobs import JOB_KINDS
from rowspace_lab.lessons.claims.routes import ROUTES
from rowspace_lab.page import Page

__all__ = ["PAGE"]

PAGE = Page("claims", ROUTES, JOB_KINDS)
