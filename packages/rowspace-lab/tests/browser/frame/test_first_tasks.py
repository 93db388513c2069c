"""Ten tasks of a first visit, each from the Start page on a laptop: the actions until the answer is in view."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = pytest.mark.browser
LAPTOP = {"width": 1280, "height": 720}


class Visitor:
    """Counts clicks, filled fields, and answers that have to be scrolled to."""

    def __init__(self, page: Page) -> None:
        self.page, self.actions = page, 0

    def open(self, title: str) -> None:
        self.click(self.page.get_by_role("navigation", name="Pages").get_by_role("link", name=title, exact=True))

    def click(self, target: Locator) -> None:
        target.click()
        self.actions += 1

    def fill(self, field: Locator, text: str) -> None:
        field.fill(text)
        field.press("Enter")
        self.actions += 1

    def see(self, answer: Locator) -> None:
        expect(answer).to_be_visible()
        expect(self.page.locator("section[aria-label=Figure][aria-busy=true]")).to_have_count(0)
        box = answer.bounding_box()
        assert box is not None
        if box["y"] + box["height"] > LAPTOP["height"]:
            answer.scroll_into_view_if_needed()
            self.actions += 1


def nearest_words_of_dog(visitor: Visitor) -> None:
    visitor.fill(visitor.page.get_by_role("combobox", name="Word on all pages"), "dog")
    visitor.see(visitor.page.get_by_role("list", name="Nearest neighbors of dog"))


def what_a_position_adds(visitor: Visitor) -> None:
    visitor.open("Input")
    visitor.see(visitor.page.get_by_label("= sum").first)


def whether_king_minus_man_plus_woman_is_queen(visitor: Visitor) -> None:
    visitor.open("Analogies")
    visitor.see(visitor.page.get_by_text("Correct.", exact=True))


def how_a_tokenizer_cuts_a_word(visitor: Visitor) -> None:
    visitor.open("Tokens")
    visitor.fill(visitor.page.get_by_role("textbox", name="Text", exact=True), "unbelievably")
    visitor.see(visitor.page.get_by_role("region", name=re.compile(r"^[\d,]+ tokens$")).last)


def which_row_an_id_takes(visitor: Visitor) -> None:
    visitor.open("Pipeline")
    visitor.see(visitor.page.get_by_label(re.compile("^The table E of")).first)


def whether_order_matters_with_positions(visitor: Visitor) -> None:
    visitor.open("Order")
    visitor.click(visitor.page.get_by_role("group", name="Positions").get_by_text("sinusoid"))
    visitor.see(visitor.page.get_by_label("Largest difference", exact=True))


def how_rows_learn(visitor: Visitor) -> None:
    visitor.open("Training")
    visitor.see(visitor.page.get_by_role("application", name="The map of 110 rows at step 50"))


def why_a_token_is_likely(visitor: Visitor) -> None:
    visitor.open("Head")
    visitor.see(visitor.page.get_by_role("heading", name=re.compile("^The logit of")))


def what_a_patch_is(visitor: Visitor) -> None:
    visitor.open("Patches")
    visitor.see(visitor.page.get_by_role("heading", name=re.compile(r"^Patch \d+")))


def whether_embeddings_are_normalized(visitor: Visitor) -> None:
    visitor.open("Claims")
    mark = visitor.page.get_by_role("list", name="Verdicts").get_by_role("button", name="Embeddings are normalized.")
    expect(mark).to_have_text(re.compile("[✓✗~]"))
    visitor.see(mark)


@pytest.mark.long
@pytest.mark.parametrize(
    ("task", "actions"),
    [
        (nearest_words_of_dog, 1),
        (what_a_position_adds, 1),
        (whether_king_minus_man_plus_woman_is_queen, 1),
        (how_a_tokenizer_cuts_a_word, 2),
        (which_row_an_id_takes, 1),
        (whether_order_matters_with_positions, 2),
        (how_rows_learn, 1),
        (why_a_token_is_likely, 1),
        (what_a_patch_is, 1),
        (whether_embeddings_are_normalized, 1),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_first_task_takes_few_actions(
    page: Page, visit: Callable[[str], Page], task: Callable[[Visitor], None], actions: int
) -> None:
    page.set_viewport_size(LAPTOP)
    page.emulate_media(reduced_motion="reduce")
    visitor = Visitor(visit("start?table=english-words"))
    task(visitor)
    assert visitor.actions == actions


def test_list_of_pages_is_complete_on_a_laptop(page: Page, visit: Callable[[str], Page]) -> None:
    page.set_viewport_size(LAPTOP)
    pages = visit("cost").get_by_role("navigation", name="Pages")
    assert pages.evaluate("each => [each.scrollHeight - each.clientHeight, each.scrollTop]") == [0, 0]
    expect(pages.get_by_role("link", name="Docs")).to_be_in_viewport(ratio=1)
    links = pages.get_by_role("listitem").get_by_role("link")
    assert min(links.evaluate_all("all => all.map(link => link.getBoundingClientRect().height)")) >= 24  # WCAG 2.5.8
    assert links.evaluate_all("all => all.filter(link => link.scrollWidth > link.clientWidth).length") == 0
