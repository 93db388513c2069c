"""The "Why" panels: one for each page, in a fixed form, with links that the page understands."""

import re
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import numpy as np
import pytest

from rowspace.errors import UsageError
from rowspace.table import Table
from rowspace_lab.lab import Lab
from rowspace_lab.lessons.panels import PAGES, read_why, why
from rowspace_lab.lessons.source import plain_text
from rowspace_lab.pages import PAGES as ALL_PAGES
from rowspace_lab.server.query import Query

FREE = {"path", "other", "word", "text", "texts", "cell", "claim"}
"""Parameters whose values are not listed in the source of the page."""
WEB = Path(__file__).parents[2] / "web" / "src" / "pages"


def test_every_page_has_a_panel() -> None:
    assert sorted(["claims", *(page.name for page in ALL_PAGES)]) == PAGES


@pytest.mark.parametrize("page", PAGES)
def test_panel_has_four_to_six_sentences_and_three_links(page: str) -> None:
    found = read_why(page)
    sentences = re.findall(r"[.?!](?=\s|$)", plain_text(found.prose))
    assert 4 <= len(sentences) <= 6
    assert len(found.links) == len(dict(found.links)) == 3
    assert re.fullmatch(r"“.+”", found.belief, re.DOTALL)
    texts = [found.title, found.prose, found.belief, found.evidence]
    assert not re.findall(r"\d", plain_text(" ".join(texts)).replace("BM25", ""))


@pytest.mark.parametrize("page", PAGES)
def test_links_have_parameters_and_values_of_the_page(page: str) -> None:
    source = "".join(file.read_text(encoding="utf-8") for file in (WEB / page).rglob("*.ts"))
    states = re.findall(r"addressState\(\{(.*?)\}\)", source, re.DOTALL)
    known = set(re.findall(r"^\s+(\w+): ", "\n".join(states), re.MULTILINE))
    for _, address in read_why(page).links:
        url = urlsplit(address)
        assert url.path == f"/{page}"
        parameters = parse_qsl(url.query, strict_parsing=True)
        assert {name for name, _ in parameters} <= known, address
        for name, value in parameters:
            free = name in FREE or value in {"true", "false"} or value.replace(".", "").isdigit()
            assert free or f'"{value}"' in source or f"\n  {value}: {{" in source, f"{name}={value} of {address}"


def test_panel_has_the_numbers_of_the_table() -> None:
    lab = Lab(Table(["a", "b"], np.ones((2, 6000))), "my-table")
    reply = why(lab, Query({"page": ["head"]}))
    assert "12,000</data>" in reply["html"]
    assert reply["links"][0]["search"] == "?source=example"
    with pytest.raises(UsageError, match="page must be one of"):
        why(lab, Query({"page": ["lessons"]}))
