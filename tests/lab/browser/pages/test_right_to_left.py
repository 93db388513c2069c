"""Pages with a table of Hebrew words: they do not reorder the numbers next to them."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from tests.lab.browser.conftest import serving, url_of

from rowspace.lab.app import make_app
from rowspace.lab.lab import Lab
from rowspace.table import Table

pytestmark = pytest.mark.browser
WORDS = ("שלום", "עולם", "ילד", "ספר", "מלך", "אישה")
# The left edges of the first characters of the parts of a label.
LEFT_EDGES = """label => {
    const text = label.firstChild;
    const at = text.data.search(/[\\u05d0-\\u05ea]/u);
    const edge = (from, to) => {
        const range = document.createRange();
        range.setStart(text, from);
        range.setEnd(text, to);
        return range.getBoundingClientRect().left;
    };
    const degrees = text.data.lastIndexOf(" ") + 1;
    return [edge(0, 1), edge(at, degrees - 1), edge(degrees, degrees + 1)];
}"""


@pytest.fixture(scope="session")
def lab_url() -> Iterator[str]:
    rows = np.random.default_rng(0).standard_normal((len(WORDS), 8), np.float32)
    with serving(make_app(Lab(Table(WORDS, rows), "hebrew"))) as server:
        yield url_of(server)


def test_rank_word_and_angle_of_an_answer_keep_their_order(visit: Callable[[str], Page]) -> None:
    page = visit("analogies")
    answers = page.locator(".fan bdi").filter(has_text="°")
    expect(answers.first).to_be_visible()
    for label in answers.all():
        edges = label.evaluate(LEFT_EDGES)
        assert edges == sorted(edges), label.inner_text()
