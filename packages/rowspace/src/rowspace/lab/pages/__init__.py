"""The pages of the workbench, one folder each, registered in `PAGES`; pages do not import each other."""

from collections.abc import Sequence

from rowspace.lab.page import Page
from rowspace.lab.pages.analogies import PAGE as ANALOGIES
from rowspace.lab.pages.arena import PAGE as ARENA
from rowspace.lab.pages.contextual import PAGE as CONTEXTUAL
from rowspace.lab.pages.cost import PAGE as COST
from rowspace.lab.pages.head import PAGE as HEAD
from rowspace.lab.pages.input import PAGE as INPUT
from rowspace.lab.pages.order import PAGE as ORDER
from rowspace.lab.pages.patches import PAGE as PATCHES
from rowspace.lab.pages.pipeline import PAGE as PIPELINE
from rowspace.lab.pages.positions import PAGE as POSITIONS
from rowspace.lab.pages.search import PAGE as SEARCH, SearchSource, search_page
from rowspace.lab.pages.start import PAGE as START
from rowspace.lab.pages.tokens import PAGE as TOKENS
from rowspace.lab.pages.training import PAGE as TRAINING
from rowspace.lab.pages.words import PAGE as WORDS

__all__ = ["PAGES", "SearchSource", "pages_over"]

PAGES: tuple[Page, ...] = (
    START,
    WORDS,
    ANALOGIES,
    TOKENS,
    PIPELINE,
    INPUT,
    ORDER,
    POSITIONS,
    PATCHES,
    HEAD,
    COST,
    CONTEXTUAL,
    TRAINING,
    ARENA,
    SEARCH,
)
"""In the order of the workbench's navigation."""


def pages_over(source: SearchSource, pages: Sequence[Page]) -> list[Page]:
    """Return pages, of which Search searches the folder or index that the command line names."""
    return [search_page(source) if page is SEARCH else page for page in pages]
