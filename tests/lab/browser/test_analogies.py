"""The Analogies page in a browser."""

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

LOADED = "section[aria-label=Figure][aria-busy=false]"
WRONG = ("list", "lists", "dict", "sin")


def shown(value: float) -> str:
    return f"{value:.3f}".replace("-", "\N{MINUS SIGN}")


def answers(page: Page) -> list[tuple[str, str, str]]:
    """Rank, token and score of each row of the table."""
    expect(page.locator(LOADED)).to_be_attached()
    lines = page.get_by_role("table", name="The answers").locator("tbody tr").all()
    return [tuple(line.get_by_role("cell").all_inner_texts()[:3]) for line in lines]


def expected_answers(lab, *question: str, **options) -> list[tuple[str, str, str]]:
    found = lab.table.analogy(*question, k=10, **options)
    return [(str(rank), token, shown(score)) for rank, (token, score) in enumerate(found, 1)]


def test_initial_answers_match_python(visit, lab) -> None:
    page = visit("analogies")
    expect(page.get_by_role("table", name="The answers")).to_be_visible()
    rank = [token for token, _ in lab.table.analogy("read", "write", "reader", k=len(lab.table))].index("writer") + 1
    assert answers(page)[:10] == expected_answers(lab, "read", "write", "reader")
    expect(page.get_by_role("region", name="Figure")).to_contain_text("Correct." if rank == 1 else "Wrong.")


def test_question_can_be_typed_and_survives_a_reload(visit, lab) -> None:
    page = visit("analogies")
    page.keyboard.press("/")
    for word in WRONG:
        page.keyboard.type(word)
        page.keyboard.press("Tab")
    a, b, c, expected = WRONG
    page.wait_for_url(f"**/analogies?a={a}&b={b}&c={c}&expected={expected}")
    figure = page.get_by_role("region", name="Figure")
    every = [token for token, _ in lab.table.analogy(a, b, c, k=len(lab.table))]
    rank = every.index(expected) + 1
    assert rank > 20  # a wrong answer
    expect(figure).to_contain_text(f"Wrong. {expected} is the {rank:,}")
    expect(figure).to_contain_text(f"the first is {every[0]}")
    before = answers(page)
    assert before[:10] == expected_answers(lab, a, b, c)
    assert before[10][:2] == (f"{rank:,}", expected)
    page.reload()
    expect(figure).to_contain_text(f"Wrong. {expected} is the {rank:,}")
    assert answers(page) == before


def test_inputs_can_be_included(visit, lab) -> None:
    page = visit("analogies?a=read&b=write&c=reader&expected=doc")
    figure = page.get_by_role("region", name="Figure")
    expect(figure).to_contain_text("a, b and c are excluded, as usual")
    page.get_by_label("Include a, b and c").check()
    expect(figure).to_contain_text("a, b and c are included")
    assert answers(page)[:10] == expected_answers(lab, "read", "write", "reader", keep_inputs=True)
    page.wait_for_url("**&kept=true")


def test_3cosmul_scores_match_python(visit, lab) -> None:
    page = visit("analogies?method=3cosmul")
    expect(page.get_by_role("table", name="The answers")).to_contain_text("3CosMul")
    assert answers(page)[:10] == expected_answers(lab, "read", "write", "reader", method="3cosmul")


def test_enter_opens_an_example(visit) -> None:
    page = visit("analogies")
    page.get_by_role("button", name="encode : encoder as decode : decoder").press("Enter")
    page.wait_for_url("**/analogies?a=encode&b=encoder&c=decode&expected=decoder")
    expect(page.get_by_role("button", pressed=True)).to_contain_text("encode : encoder as decode : decoder")
    expect(page.get_by_role("table", name="corners")).to_contain_text("encoder")


def test_hovered_token_highlights_and_labels_its_dot(visit, lab) -> None:
    page = visit("analogies")
    second = lab.table.analogy("read", "write", "reader", k=2)[1][0]
    page.get_by_role("table", name="The answers").get_by_text(second, exact=True).hover()
    expect(page.locator("circle.lit")).to_have_count(1)
    shown = second if len(second) <= 24 else f"{second[:23]}…"
    expect(page.locator(".plane").get_by_text(f"2 {shown}", exact=True)).to_be_visible()


def test_expected_word_is_optional(visit) -> None:
    page = visit("analogies")
    expected = page.get_by_label("is to (expected)")
    expect(expected).not_to_have_value("")
    expected.fill("")
    expected.press("Tab")
    page.wait_for_url("**/analogies?expected=")
    expect(page.locator(".verdict")).to_contain_text("The first of")
    expect(expected).to_have_value("")


def test_no_arrows_between_equal_words(visit) -> None:
    page = visit("analogies?a=read&b=write&c=reader")
    expect(page.locator(".step")).to_have_count(2)
    page.get_by_label("is to b").fill("read")
    expect(page.locator(".plane")).to_contain_text("read = read")
    expect(page.locator(".step")).to_have_count(0)


@pytest.mark.refused
def test_unknown_word_suggests_similar_spellings(visit) -> None:
    page = visit("analogies")
    page.get_by_label("is to b").fill("typeerorr")
    expect(page.get_by_role("alert")).to_contain_text("did you mean 'typeerror'")
