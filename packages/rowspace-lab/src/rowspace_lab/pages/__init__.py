"""The pages of the workbench, one folder each, registered in `PAGES`; pages do not import each other."""

from collections.abc import Sequence

from rowspace_lab.page import Page
from rowspace_lab.pages.adapting import PAGE as ADAPTING
from rowspace_lab.pages.analogies import PAGE as ANALOGIES
from rowspace_lab.pages.arena import PAGE as ARENA
from rowspace_lab.pages.compare import PAGE as COMPARE, compare_page
from rowspace_lab.pages.contextual import PAGE as CONTEXTUAL
from rowspace_lab.pages.cost import PAGE as COST
from rowspace_lab.pages.head import PAGE as HEAD
from rowspace_lab.pages.input import PAGE as INPUT
from rowspace_lab.pages.order import PAGE as ORDER
from rowspace_lab.pages.patches import PAGE as PATCHES
from rowspace_lab.pages.pipeline import PAGE as PIPELINE
from rowspace_lab.pages.positions import PAGE as POSITIONS
from rowspace_lab.pages.search import PAGE as SEARCH, SearchSource, search_page
from rowspace_lab.pages.start import PAGE as START
from rowspace_lab.pages.tokens import PAGE as TOKENS
from rowspace_lab.pages.training import PAGE as TRAINING
from rowspace_lab.pages.words import PAGE as WORDS
from rowspace_lab.tables.tables import Tables

__all__ = ["PAGES", "SearchSource", "pages_over"]

PAGES: tuple[Page, ...] = (
    START,
    WORDS,
    ANALOGIES,
    COMPARE,
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
    ADAPTING,
    ARENA,
    SEARCH,
)
"""In the order of the workbench's navigation."""


def pages_over(source: SearchSource, tables: Tables, pages: Sequence[Page]) -> list[Page]:
    """Return pages, of which Search searches what the command line names, and Compare compares any of the tables."""
    over = {SEARCH.name: search_page(source), COMPARE.name: compare_page(tables)}
    return [over[page.name] if page in (SEARCH, COMPARE) else page for page in pages]
