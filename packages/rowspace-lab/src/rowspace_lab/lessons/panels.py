"""The "Why" of each page: a few sentences, the formula, the common mistake, and links that set the page's state."""

import re
from dataclasses import dataclass
from functools import cache
from urllib.parse import urlsplit

from rowspace_lab.lab import Lab
from rowspace_lab.lessons.computed import why as computed
from rowspace_lab.lessons.replies import WhyLink, WhyReply
from rowspace_lab.lessons.source import TEXTS, SourceError, Values, prose_html, read_document
from rowspace_lab.server.query import Query

__all__ = ["PAGES", "Why", "read_why", "why"]

PAGES = sorted(each.name.removesuffix(".md") for each in TEXTS.joinpath("why").iterdir())
"""The pages with a file `why/PAGE.md`."""
_LINK = re.compile(r"^- \[([^\]]+)\]\((/[^)\s]+)\)$")


@dataclass(frozen=True)
class Why:
    """The source of a page's panel.

    Attributes:
        title: The question that it answers.
        formula: Symbols only, so that it has no measured numbers.
        prose: Markdown of four to six sentences.
        belief: The common mistake, as someone would say it.
        evidence: What is true instead.
        links: Titles and addresses, "Try this".
    """

    title: str
    formula: str
    prose: str
    belief: str
    evidence: str
    links: tuple[tuple[str, str], ...]


@cache
def read_why(page: str) -> Why:
    """Return the panel of a page.

    Raises:
        SourceError: The file is not a header, prose, a mistake, and a list of links.
    """
    document = read_document(f"why/{page}.md")
    kinds = [block.kind for block in document.blocks]
    if kinds != ["prose", "mistake", "prose"]:
        raise SourceError(f"why/{page}.md: expected prose, a mistake and a list of links, not {', '.join(kinds)}")
    prose, mistake, tries = (block.parts for block in document.blocks)
    found = [_LINK.match(line) for line in tries[0].split("\n")]
    links = tuple((match[1], match[2]) for match in found if match)
    if len(links) < len(found):
        raise SourceError(f"why/{page}.md: each line after the mistake must be '- [title](/page?state)'")
    belief, evidence = mistake
    return Why(document.header["title"], document.header["formula"], prose[0], belief, evidence, links)


def why(lab: Lab, query: Query) -> WhyReply:
    """Return the panel of `page`, with its numbers computed on the table."""
    page = query.choice("page", PAGES)
    found, values = read_why(page), Values(computed, lab)
    return {
        "page": page,
        "title": found.title,
        "formula": found.formula,
        "html": prose_html(found.prose, values),
        "belief": prose_html(found.belief, values),
        "evidence": prose_html(found.evidence, values),
        "links": [_link(title, address) for title, address in found.links],
    }


def _link(title: str, address: str) -> WhyLink:
    url = urlsplit(address)
    return {"title": title, "page": url.path.strip("/"), "search": f"?{url.query}"}
