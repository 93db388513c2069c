"""Pages with a table of Hebrew words, and of one that is reversed by an invisible character."""

import re
from collections.abc import Callable, Iterator
from urllib.parse import quote

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from tests.browser.conftest import pages_with, serving, url_of

from rowspace.table import Table
from rowspace_lab.app import make_app
from rowspace_lab.lab import Lab

pytestmark = pytest.mark.browser
REVERSED = "\u202egnp.exe"  # a browser shows it as "exe.png"
WORDS = ("שלום", "עולם", "ילד", "ספר", "מלך", "אישה", REVERSED)
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
    with serving(make_app(Lab(Table(WORDS, rows), "hebrew"), pages=pages_with())) as server:
        yield url_of(server)


def test_rank_word_and_angle_of_an_answer_keep_their_order(visit: Callable[[str], Page]) -> None:
    page = visit("analogies?view=angles")
    answers = page.locator(".fan bdi").filter(has_text=re.compile("[א-ת].*°"))
    expect(answers.first).to_be_visible()
    for label in answers.all():
        edges = label.evaluate(LEFT_EDGES)
        assert edges == sorted(edges), label.inner_text()


def test_invisible_characters_of_a_token_are_shown(visit: Callable[[str], Page]) -> None:
    page = visit(f"words?chosen=true&groups={quote(REVERSED)}")
    page.get_by_role("application", name="PCA of 1 chosen words").press("0")  # the only word is at the center
    expect(page.locator("figcaption output")).to_have_text("⟨202E⟩gnp.exe")
    expect(page.get_by_role("list", name="Words to open")).to_contain_text("⟨202E⟩gnp.exe")
