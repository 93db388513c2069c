"""The Analogies page, as a person goes through it."""

import pytest
from playwright.sync_api import Page, expect

pytestmark = pytest.mark.browser

ANSWERED = "section[aria-label=Figure][aria-busy=false]"  # all that the page has asked has come
MISS = ("list", "lists", "dict", "sin")


def shown(value: float) -> str:
    return f"{value:.3f}".replace("-", "\N{MINUS SIGN}")


def answers(page: Page) -> list[tuple[str, str, str]]:
    """Rank, token and score of each line of the table, as they stand on the page."""
    expect(page.locator(ANSWERED)).to_be_attached()
    lines = page.get_by_role("table", name="The answers").locator("tbody tr").all()
    return [tuple(line.get_by_role("cell").all_inner_texts()[:3]) for line in lines]


def pythons(lab, *question: str, **options) -> list[tuple[str, str, str]]:
    found = lab.table.analogy(*question, k=10, **options)
    return [(str(rank), token, shown(score)) for rank, (token, score) in enumerate(found, 1)]


def test_the_page_opens_with_answers_that_are_pythons(visit, lab) -> None:
    page = visit("analogies")
    expect(page.get_by_role("table", name="The answers")).to_be_visible()
    rank = [token for token, _ in lab.table.analogy("read", "write", "reader", k=len(lab.table))].index("writer") + 1
    assert answers(page)[:10] == pythons(lab, "read", "write", "reader")
    expect(page.get_by_role("region", name="Figure")).to_contain_text("A hit" if rank == 1 else "A miss")


def test_a_question_is_typed_by_keys_alone_and_a_reload_shows_it_again(visit, lab) -> None:
    page = visit("analogies")
    page.keyboard.press("/")
    for word in MISS:
        page.keyboard.type(word)
        page.keyboard.press("Tab")
    a, b, c, expected = MISS
    page.wait_for_url(f"**/analogies?a={a}&b={b}&c={c}&expected={expected}")
    figure = page.get_by_role("region", name="Figure")
    every = [token for token, _ in lab.table.analogy(a, b, c, k=len(lab.table))]
    rank = every.index(expected) + 1
    assert rank > 20  # so that it ends in th, and misses
    expect(figure).to_contain_text(f"A miss. {expected} is {rank:,}")
    expect(figure).to_contain_text(f"the first is {every[0]}")
    before = answers(page)
    assert before[:10] == pythons(lab, a, b, c)
    assert before[10][:2] == (f"{rank:,}", expected)
    page.reload()
    expect(figure).to_contain_text(f"A miss. {expected} is {rank:,}")
    assert answers(page) == before


def test_inputs_may_be_answers_by_choice_and_it_is_said(visit, lab) -> None:
    page = visit("analogies?a=read&b=write&c=reader&expected=doc")
    figure = page.get_by_role("region", name="Figure")
    expect(figure).to_contain_text("left out, as is the custom")
    page.get_by_label("a, b and c may be answers").check()
    expect(figure).to_contain_text("a, b and c may answer")
    assert answers(page)[:10] == pythons(lab, "read", "write", "reader", keep_inputs=True)
    page.wait_for_url("**&kept=true")


def test_the_other_method_gives_its_own_scores(visit, lab) -> None:
    page = visit("analogies?method=3cosmul")
    expect(page.get_by_role("table", name="The answers")).to_contain_text("3CosMul")
    assert answers(page)[:10] == pythons(lab, "read", "write", "reader", method="3cosmul")


def test_an_example_is_picked_by_enter(visit) -> None:
    page = visit("analogies")
    page.get_by_role("button", name="encode : encoder as decode : decoder").press("Enter")
    page.wait_for_url("**/analogies?a=encode&b=encoder&c=decode&expected=decoder")
    expect(page.get_by_role("button", pressed=True)).to_contain_text("encode : encoder as decode : decoder")
    expect(page.get_by_role("table", name="corners")).to_contain_text("encoder")


def test_a_token_lights_its_dot_and_is_named_there(visit, lab) -> None:
    page = visit("analogies")
    second = lab.table.analogy("read", "write", "reader", k=2)[1][0]
    page.get_by_role("table", name="The answers").get_by_text(second, exact=True).hover()
    expect(page.locator("circle.lit")).to_have_count(1)
    shown = second if len(second) <= 24 else f"{second[:23]}…"
    expect(page.locator(".plane").get_by_text(f"2 {shown}", exact=True)).to_be_visible()


def test_without_an_expected_word_any_answer_will_do(visit) -> None:
    page = visit("analogies")
    expected = page.get_by_label("is to, you expect")
    expect(expected).not_to_have_value("")
    expected.fill("")
    expected.press("Tab")
    page.wait_for_url("**/analogies?expected=")
    expect(page.locator(".verdict")).to_contain_text("The first of")
    expect(expected).to_have_value("")


def test_a_step_between_equal_words_is_not_drawn(visit) -> None:
    page = visit("analogies?a=read&b=write&c=reader")
    expect(page.locator(".step")).to_have_count(2)
    page.get_by_label("is to b").fill("read")
    expect(page.locator(".plane")).to_contain_text("read = read")
    expect(page.locator(".step")).to_have_count(0)


@pytest.mark.refused
def test_an_unknown_word_is_answered_with_its_spellings(visit) -> None:
    page = visit("analogies")
    page.get_by_label("is to b").fill("typeerorr")
    expect(page.get_by_role("alert")).to_contain_text("did you mean 'typeerror'")
