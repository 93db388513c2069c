"""The Search page: passages of one's own files that answer a question, by vectors and by words.

| file | contents |
|---|---|
| `source.py` | `SearchSource`: the folder or index that the command line names; where its indexes are |
| `indexing.py` | the job that indexes the folder with the table |
| `routes.py`, `replies.py` | the routes and their replies |
| `marks.py` | the words of a passage that carried its score, as the page draws them |
| `passage_map.py` | the passages on a map |
| `notes.py` | the notes of the lesson on search, ranked for its questions |
| `listing.py` | the code that the page shows |
"""

from functools import partial

from rowspace_lab.page import Page
from rowspace_lab.pages.search.indexing import job_kinds
from rowspace_lab.pages.search.notes import ROUTES
from rowspace_lab.pages.search.routes import HANDLERS
from rowspace_lab.pages.search.source import SearchSource

__all__ = ["PAGE", "SearchSource", "search_page"]


def search_page(source: SearchSource) -> Page:
    """Return the page over a folder or an index."""
    return Page(
        "search",
        {**{path: partial(handler, source) for path, handler in HANDLERS.items()}, **ROUTES},
        job_kinds(source),
    )


PAGE = search_page(SearchSource())
"""The page over the working folder."""
