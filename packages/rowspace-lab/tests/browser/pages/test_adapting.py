"""The Adapting page in a browser."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser


@pytest.mark.long
def test_bars_and_table_are_those_of_the_reply(visit, lab, ask) -> None:
    page = visit("adapting?sentences=8&rank=3")
    ways = ask(lab, "adapting/ways", sentences=8, rank=3).meta["ways"]
    held_out = page.get_by_role("region", name="Loss on held-out new sentences")
    expect(held_out.get_by_role("status")).to_have_text([f"{way['held_out']:.2f}" for way in ways])
    widths = [bar.bounding_box()["width"] for bar in held_out.locator(".bar").all()]
    assert widths.index(max(widths)) == 1  # frozen
    table = page.get_by_role("table", name="Four ways to adapt")
    expect(table.locator("tbody td:nth-child(2)")).to_have_text([f"{way['learned']:,}" for way in ways])


@pytest.mark.long
def test_shown_measures_can_be_chosen(visit, unfold) -> None:
    page = visit("adapting?sentences=4&measure=moved")
    expect(page.get_by_role("heading", level=2, name="move")).to_have_count(2)
    expect(page.get_by_role("region", name="Loss on old sentences")).to_have_count(0)
    unfold("More controls")
    page.get_by_text("both losses").click()
    page.wait_for_url("**&measure=losses")
    expect(page.get_by_role("region", name="Loss on old sentences")).to_be_visible()
    expect(page.get_by_role("heading", level=2, name="move")).to_have_count(0)
