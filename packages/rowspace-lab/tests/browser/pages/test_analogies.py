"""The Analogies page in a browser."""

import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from tests.browser.at_rest import box_at_rest
from tests.browser.held_requests import hold

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
    expect(page.get_by_role("tab", name="Parallelogram")).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("region", name="Figure")).to_contain_text("Correct.")
    question = [page.get_by_label(name, exact=True).input_value() for name in ("a", "is to b", "as c")]
    assert answers(page)[:10] == expected_answers(lab, *question)


def test_question_can_be_typed_and_survives_a_reload(visit, unfold, lab) -> None:
    page = visit("analogies")
    page.keyboard.press("/")
    for word in WRONG[:3]:
        page.keyboard.type(word)
        page.keyboard.press("Tab")
    unfold("More controls")
    page.get_by_label("is to (expected)").fill(WRONG[3])
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


@pytest.mark.long
def test_inputs_can_be_included(visit, lab) -> None:
    page = visit("analogies?a=read&b=write&c=reader&expected=doc")
    figure = page.get_by_role("region", name="Figure")
    expect(figure).to_contain_text("a, b and c are excluded, as usual")
    page.get_by_label("Include a, b and c").check()
    expect(figure).to_contain_text("a, b and c are included")
    assert answers(page)[:10] == expected_answers(lab, "read", "write", "reader", keep_inputs=True)
    page.wait_for_url("**&kept=true")


def test_3cosmul_scores_match_python(visit, unfold, lab) -> None:
    page = visit("analogies?method=3cosmul")
    unfold("The numbers")
    expect(page.get_by_role("table", name="The answers")).to_contain_text("3CosMul")
    assert answers(page)[:10] == expected_answers(lab, "read", "write", "reader", method="3cosmul")


@pytest.mark.long
def test_enter_opens_an_example(visit, unfold) -> None:
    page = visit("analogies")
    unfold("The numbers")
    page.get_by_role("button", name="encode : encoder as decode : decoder").press("Enter")
    page.wait_for_url("**/analogies?a=encode&b=encoder&c=decode&expected=decoder")
    expect(page.get_by_role("button", pressed=True)).to_contain_text("encode : encoder as decode : decoder")
    expect(page.get_by_role("table", name="corners")).to_contain_text("encoder")


def test_hovered_token_highlights_and_labels_its_dot(visit, unfold, lab) -> None:
    page = visit("analogies?view=plane")
    unfold("The numbers")
    second = lab.table.analogy("read", "write", "reader", k=2)[1][0]
    page.get_by_role("table", name="The answers").get_by_text(second, exact=True).hover()
    expect(page.locator("circle.lit")).to_have_count(1)
    shown = second if len(second) <= 24 else f"{second[:23]}…"
    expect(page.locator(".plane").get_by_text(f"2 {shown}", exact=True)).to_be_visible()


@pytest.mark.long
def test_expected_word_is_optional(visit, unfold) -> None:
    page = visit("analogies")
    unfold("More controls")
    expected = page.get_by_label("is to (expected)")
    expect(expected).not_to_have_value("")
    expected.fill("")
    expected.press("Tab")
    page.wait_for_url("**/analogies?expected=")
    expect(page.locator(".verdict")).to_contain_text("The first of")
    expect(expected).to_have_value("")


@pytest.mark.long
def test_no_arrows_between_equal_words(visit) -> None:
    page = visit("analogies?a=read&b=write&c=reader&view=plane")
    expect(page.locator(".step")).to_have_count(2)
    page.get_by_label("is to b").fill("read")
    expect(page.locator(".plane")).to_contain_text("read = read")
    expect(page.locator(".step")).to_have_count(0)


@pytest.mark.refused
@pytest.mark.long
def test_unknown_word_suggests_similar_spellings(visit) -> None:
    page = visit("analogies")
    page.get_by_label("is to b").fill("typeerorr")
    expect(page.get_by_role("alert")).to_contain_text("did you mean 'typeerror'")


def test_answers_are_drawn_at_their_angles_from_the_target(visit, lab) -> None:
    page = visit("analogies?view=angles&a=read&b=write&c=reader")
    figure = page.locator(".fan")
    expect(figure.get_by_role("img", name="write − read + reader")).to_be_visible()
    token, score = lab.table.analogy("read", "write", "reader", k=1)[0]
    expect(figure.get_by_text(f"1 {token} {np.degrees(np.arccos(score)):.0f}°", exact=True)).to_be_visible()
    origin, ends = figure.locator("circle.origin"), figure.locator("circle.answer")
    x, y = (float(origin.get_attribute(name)) for name in ("cx", "cy"))
    first = ends.last  # drawn above the others
    drawn = np.arctan2(y - float(first.get_attribute("cy")), float(first.get_attribute("cx")) - x)
    assert np.cos(drawn) == pytest.approx(score, abs=1e-3)


@pytest.mark.long
def test_moving_a_word_changes_the_ranking(visit, lab) -> None:
    page = visit("analogies?a=read&b=write&c=reader&view=move")
    ranking = page.get_by_role("list", name="Ranking").get_by_role("listitem")
    expect(ranking.first).to_contain_text(lab.table.analogy("read", "write", "reader", k=1)[0][0])
    handle = page.get_by_role("button", name="c: reader")
    handle.focus()
    page.keyboard.press("ArrowUp")
    page.wait_for_function("new URLSearchParams(location.search).get('c') !== 'reader'")
    word = page.evaluate("new URLSearchParams(location.search).get('c')")
    best, score = lab.table.analogy("read", "write", word, k=1)[0]
    expect(ranking.first).to_have_text(re.compile(rf"{re.escape(best)}\s+{re.escape(shown(score))}"))
    expect(page.locator(LOADED)).to_be_attached()  # the map of the new words
    dragged = page.get_by_role("button", name="a: read")
    dragged.evaluate("handle => handle.parentElement.scrollIntoView({ block: 'center' })")
    onto = box_at_rest(page.get_by_role("button", name="b: write"))
    dragged.hover()
    page.mouse.down()
    page.mouse.move(onto["x"] + onto["width"] / 2, onto["y"] + 0.6 * onto["height"], steps=4)
    page.mouse.up()
    page.wait_for_function("new URLSearchParams(location.search).get('a') !== 'read'")


@pytest.mark.long
def test_second_move_before_the_reply_to_the_first_keeps_both(visit) -> None:
    page = visit("analogies?a=read&b=write&c=reader&view=move")
    a, c = page.get_by_role("button", name="a: "), page.get_by_role("button", name="c: ")
    expect(c).to_be_visible()
    held = hold(page, "**/api/analogies/answers?*")
    for which, handle, word in (("a", a, "read"), ("c", c, "reader")):
        with page.expect_request("**/api/analogies/answers?*"):
            handle.press("ArrowUp")
        page.wait_for_function(f"new URLSearchParams(location.search).get('{which}') !== '{word}'")
    moved = page.evaluate("['a', 'b', 'c'].map((name) => new URLSearchParams(location.search).get(name))")
    held[-1].continue_()
    assert moved[0] != "read"
    expect(page.get_by_role("button", name=f"a: {moved[0]}")).to_be_visible()
    expect(page.get_by_role("button", name=f"c: {moved[2]}")).to_be_visible()


def test_one_relation_over_many_pairs_matches_python(visit, lab) -> None:
    pairs, other = [("key", "keys"), ("row", "rows"), ("value", "values")], [("read", "reader"), ("write", "writer")]
    text = ", ".join(" ".join(pair) for pair in pairs)
    page = visit("analogies?view=pairs")
    controls = page.get_by_role("region", name="Controls")
    expect(controls.get_by_role("textbox")).to_have_count(2)  # not those of a single analogy
    expect(controls.get_by_role("checkbox")).to_have_count(0)
    page.get_by_label("Pairs: a b, c d").fill(text)
    page.get_by_label("Another relation: a b, c d").fill("read reader, write writer")
    offsets = [np.array([lab.table[b] - lab.table[a] for a, b in group]) for group in (pairs, other)]
    units = offsets[0] / np.linalg.norm(offsets[0], axis=1, keepdims=True)
    mean = (units @ units.T)[np.triu_indices(3, 1)].mean()
    expect(page.get_by_text(f"two of the 3 offsets is {shown(float(mean))}")).to_be_visible()
    one, two = (group.mean(0) for group in offsets)
    degrees = np.degrees(np.arccos(one @ two / np.linalg.norm(one) / np.linalg.norm(two)))
    expect(page.get_by_text(f"relations are at {degrees:.0f}°")).to_be_visible()
    expect(page.get_by_role("img", name="The offsets of 5 pairs")).to_be_visible()
    expect(page.get_by_role("application", name="cos(b − a, d − c): 5 rows")).to_be_visible()
    page.get_by_role("combobox", name="Pairs", exact=True).select_option("verb to agent")
    page.wait_for_function("new URLSearchParams(location.search).get('pairs').includes('encode encoder')")
