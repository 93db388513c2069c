"""Pages while they load, and after an error."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, Route, expect

pytestmark = pytest.mark.browser


def test_slow_figure_shows_a_skeleton(page: Page, lab_url: str) -> None:
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    page.route("**/api/pipeline/forward*", hold)
    with page.expect_request("**/api/pipeline/forward*"):
        page.goto(f"{lab_url}/pipeline")
    skeleton = page.get_by_role("region", name="Figure").get_by_role("status").filter(has_text="Loading")
    expect(skeleton).to_be_visible()
    expect(skeleton).to_have_css("animation-delay", "0.2s")  # fast replies show no skeleton
    for route in held:
        route.continue_()
    expect(page.get_by_label("Rows copied")).to_be_visible()
    expect(skeleton).to_have_count(0)


@pytest.mark.refused
@pytest.mark.parametrize(
    ("address", "field", "figure"),
    [
        ("words?word=sin", "Word", "Turn the table"),
        pytest.param("analogies", "as c", "verdict", marks=pytest.mark.long),
        pytest.param("head?word=sin", "Hidden state: the row of", "cumulative probability", marks=pytest.mark.long),
        pytest.param("positions", "Query: a token’s row", "The score of a query and a key", marks=pytest.mark.long),
    ],
)
def test_error_removes_the_figure(visit: Callable[[str], Page], address: str, field: str, figure: str) -> None:
    page = visit(address)
    drawn = page.locator(".verdict") if figure == "verdict" else page.get_by_text(figure, exact=True).first
    expect(drawn).to_be_visible()
    page.get_by_label(field, exact=True).fill("typeerorr")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="typeerorr")).to_be_visible()
    expect(drawn).to_have_count(0)
    page.go_back()
    expect(drawn).to_be_visible()


@pytest.mark.refused
@pytest.mark.long
def test_error_hides_the_heading_of_the_numbers(visit: Callable[[str], Page]) -> None:
    page = visit("words?word=sin")
    numbers = page.get_by_role("heading", name="The numbers")
    expect(numbers).to_be_visible()
    page.get_by_label("Word", exact=True).fill("typeerorr")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert").filter(has_text="typeerorr")).to_be_visible()
    expect(numbers).to_be_hidden()
